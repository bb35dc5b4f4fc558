// SPDX-License-Identifier: Apache-2.0
#include "store/s3/recipe_options.hpp"

#include "tessera/core/error.hpp"

#include "store/http/url.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace tessera::s3 {

namespace {

constexpr std::array<std::pair<std::string_view, bool s3_options::*>, 3> flags = {{
    {"anonymous", &s3_options::anonymous},
    {"virtual_host", &s3_options::virtual_host},
    {"denied_is_missing", &s3_options::denied_is_missing},
}};
constexpr std::array<std::pair<std::string_view, std::string s3_options::*>, 3> texts = {{
    {"region", &s3_options::region},
    {"profile", &s3_options::profile},
    {"ca_file", &s3_options::ca_file},
}};

[[noreturn]] void throw_malformed(std::string_view option) {
  throw value_error(fmt::format(
      "the option \"{:.60}\" of a store in S3: known are \"{}\"; region, profile, ca_file and "
      "patience (in ms) have a value, \"=<value>\"",
      option, fmt::join(option_names(), "\", \"")));
}

std::chrono::milliseconds parse_patience(const std::string& value, std::string_view option) {
  std::int64_t count = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, failure] = std::from_chars(value.data(), end, count);
  if (failure != std::errc{} || stop != end) throw_malformed(option);
  return std::chrono::milliseconds(count);
}

void set_option(s3_options& options, std::string_view option) {
  for (const auto& [name, flag] : flags) {
    if (option == name) {
      options.*flag = true;
      return;
    }
  }
  const std::size_t equals = std::min(option.find('='), option.size());
  const std::string_view given = option.substr(0, equals);
  const std::string value =
      http::percent_decoded(option.substr(std::min(equals + 1, option.size())));
  if (value.empty()) throw_malformed(option);
  for (const auto& [name, text] : texts) {
    if (given == name) {
      options.*text = value;
      return;
    }
  }
  if (given != "patience") throw_malformed(option);
  options.patience = parse_patience(value, option);
}

}  // namespace

std::vector<std::string> option_names() {
  std::vector<std::string> names;
  for (const auto& flag : flags) names.emplace_back(flag.first);
  for (const auto& text : texts) names.emplace_back(text.first);
  names.emplace_back("patience");
  return names;
}

std::string text_of(const s3_options& options) {
  std::vector<std::string> parts;
  for (const auto& [name, flag] : flags) {
    if (options.*flag) parts.emplace_back(name);
  }
  for (const auto& [name, text] : texts) {
    if ((options.*text).empty()) continue;
    parts.push_back(fmt::format("{}={}", name, http::percent_encoded(options.*text, "/")));
  }
  if (options.patience != s3_options().patience) {
    parts.push_back(fmt::format("patience={}", options.patience.count()));
  }
  return fmt::format("{}", fmt::join(parts, "&"));
}

s3_options parse_options(std::string_view text) {
  s3_options options;
  while (!text.empty()) {
    const std::string_view option = text.substr(0, text.find('&'));
    set_option(options, option);
    text.remove_prefix(std::min(option.size() + 1, text.size()));
  }
  return options;
}

}  // namespace tessera::s3
