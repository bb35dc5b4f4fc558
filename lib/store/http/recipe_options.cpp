// SPDX-License-Identifier: Apache-2.0
#include "store/http/recipe_options.hpp"

#include "tessera/core/error.hpp"

#include "store/http/url.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace tessera::http {

namespace {

[[noreturn]] void throw_malformed(std::string_view option) {
  throw value_error(fmt::format(
      "the option \"{:.60}\" of an HTTP store: known are token_variable=<name>, ca_file=<path>, "
      "denied_is_missing and patience=<milliseconds>",
      option));
}

void set_option(http_options& options, std::string_view option) {
  const std::size_t equals = std::min(option.find('='), option.size());
  const std::string_view name = option.substr(0, equals);
  const std::string value = percent_decoded(option.substr(std::min(equals + 1, option.size())));
  if (name == "token_variable" && !value.empty()) {
    options.token_variable = value;
  } else if (name == "ca_file" && !value.empty()) {
    options.ca_file = value;
  } else if (option == "denied_is_missing") {
    options.denied_is_missing = true;
  } else if (name == "patience") {
    std::int64_t count = 0;
    const char* const end = value.data() + value.size();
    const auto [stop, failure] = std::from_chars(value.data(), end, count);
    if (failure != std::errc{} || stop != end) throw_malformed(option);
    options.patience = std::chrono::milliseconds(count);
  } else {
    throw_malformed(option);
  }
}

}  // namespace

std::string text_of(const http_options& options) {
  const http_options defaults;
  std::string text;
  const auto add = [&](std::string_view option) {
    if (!text.empty()) text += '&';
    text += option;
  };
  if (!options.token_variable.empty()) add("token_variable=" + options.token_variable);
  if (!options.ca_file.empty()) add("ca_file=" + percent_encoded(options.ca_file, "/"));
  if (options.denied_is_missing) add("denied_is_missing");
  if (options.patience != defaults.patience) {
    add(fmt::format("patience={}", options.patience.count()));
  }
  return text;
}

http_options parse_options(std::string_view text) {
  http_options options;
  while (!text.empty()) {
    const std::string_view option = text.substr(0, text.find('&'));
    set_option(options, option);
    text.remove_prefix(std::min(option.size() + 1, text.size()));
  }
  return options;
}

}  // namespace tessera::http
