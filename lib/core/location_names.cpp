// SPDX-License-Identifier: Apache-2.0
#include "core/api/location_names.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera {

namespace {

bool is_letter(char c) { return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z'); }

bool is_in_scheme(char c) {
  return is_letter(c) || ('0' <= c && c <= '9') || c == '+' || c == '-' || c == '.';
}

}  // namespace

std::string_view scheme_of(std::string_view name) {
  const std::string_view scheme = name.substr(0, std::min(name.find(scheme_end), name.size()));
  const bool is_scheme = scheme.size() < name.size() && !scheme.empty() &&
                         is_letter(scheme.front()) && std::ranges::all_of(scheme, is_in_scheme);
  return is_scheme ? scheme : std::string_view();
}

bool is_location(std::string_view folder) { return !scheme_of(folder).empty(); }

std::string name_in(std::string_view folder, std::string_view name) {
  std::string_view options;
  if (is_location(folder)) {
    options = folder.substr(std::min(folder.rfind('?'), folder.size()));
    folder.remove_suffix(options.size());
  }
  return fmt::format("{}/{}{}", folder, name, options);
}

}  // namespace tessera
