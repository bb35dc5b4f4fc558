// SPDX-License-Identifier: Apache-2.0
#include "core/api/file_names.hpp"

#include "tessera/core/error.hpp"

#include "core/api/location_names.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>

namespace tessera {

std::string seen_from_here(const std::string& path) {
  std::error_code failure;
  const std::filesystem::path here = std::filesystem::current_path(failure);
  if (failure || here == here.root_path()) return path;
  const std::string prefix = here.string() + "/";
  return path.starts_with(prefix) ? path.substr(prefix.size()) : path;
}

bool is_location(std::string_view folder) {
  const std::size_t scheme = folder.find("://");
  if (scheme == 0 || scheme == std::string_view::npos) return false;
  // A scheme begins with a letter (RFC 3986, 3.1).
  const bool begins_with_digit = '0' <= folder[0] && folder[0] <= '9';
  return !begins_with_digit && std::ranges::all_of(folder.substr(0, scheme), [](char c) {
    return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '+' ||
           c == '-' || c == '.';
  });
}

std::string name_in(std::string_view folder, std::string_view name) {
  std::string_view options;
  if (is_location(folder)) {
    options = folder.substr(std::min(folder.rfind('?'), folder.size()));
    folder.remove_suffix(options.size());
  }
  return fmt::format("{}/{}{}", folder, name, options);
}

std::string absolute_name(const std::string& path) {
  if (is_location(path)) return path;
  std::error_code failure;
  const std::filesystem::path whole = std::filesystem::absolute(path, failure);
  if (!failure) return whole.lexically_normal().string();
  throw store_error(
      fmt::format("'{}' is relative to the current directory, which cannot be found ({}): it may "
                  "have been removed; change to another directory, or give an absolute path",
                  path, failure.message()));
}

}  // namespace tessera
