// SPDX-License-Identifier: Apache-2.0
#include "store/s3/environment.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <optional>

namespace tessera::s3 {

namespace {

constexpr std::size_t max_file = std::size_t{1} << 20;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::optional<std::string> text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(max_file + 1, '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(text.size())) && !file.eof()) {
    return std::nullopt;
  }
  if (file.gcount() > static_cast<std::streamsize>(max_file)) return std::nullopt;
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

/// Returns the section of a line "[section]", or nullopt if the line is none.
std::optional<std::string_view> section_of(std::string_view line) {
  if (!line.starts_with('[')) return std::nullopt;
  return trimmed(line.substr(1, std::min(line.find(']'), line.size()) - 1));
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return 'A' <= c && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  return lower;
}

/// Returns the path of a file of AWS's: that of a variable, else `~/.aws/<name>`.
std::string file_path(const char* variable, std::string_view name) {
  std::string path = environment(variable);
  return path.empty() ? fmt::format("{}/.aws/{}", environment("HOME"), name) : path;
}

}  // namespace

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string read_file(const std::string& path, std::string_view purpose) {
  const std::optional<std::string> text = text_of_file(path);
  if (!text) {
    throw store_error(fmt::format("cannot read {} \"{:.200}\"", purpose, path),
                      store_failure::denied);
  }
  return std::string(trimmed(*text));
}

profile_settings parse_profile(std::string_view text, std::string_view section) {
  profile_settings settings;
  bool is_inside = false;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (const auto next = section_of(line)) {
      is_inside = *next == section;
      continue;
    }
    const std::size_t equals = line.find('=');
    const bool is_setting = equals != std::string_view::npos &&
                            std::string_view(" \t#;").find(line[0]) == std::string::npos;
    if (!is_inside || !is_setting) continue;
    std::string_view value = line.substr(equals + 1);
    value = value.substr(0, std::min(value.find(" #"), value.find(" ;")));
    settings[lower_case(trimmed(line.substr(0, equals)))] = trimmed(value);
  }
  return settings;
}

profile_settings read_profile(const std::string& name) {
  const std::string chosen = name.empty() ? environment("AWS_PROFILE") : name;
  const std::string profile = chosen.empty() ? "default" : chosen;
  const auto secrets = text_of_file(file_path("AWS_SHARED_CREDENTIALS_FILE", "credentials"));
  const auto config = text_of_file(file_path("AWS_CONFIG_FILE", "config"));
  profile_settings settings = parse_profile(secrets.value_or(""), profile);
  settings.merge(parse_profile(config.value_or(""), "profile " + profile));
  if (profile == "default") settings.merge(parse_profile(config.value_or(""), profile));
  if (settings.empty() && !chosen.empty()) {
    throw store_error(
        fmt::format("the profile \"{:.80}\" is in none of AWS's files, ~/.aws/credentials and "
                    "~/.aws/config",
                    chosen),
        store_failure::denied);
  }
  return settings;
}

}  // namespace tessera::s3
