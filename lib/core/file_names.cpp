// SPDX-License-Identifier: Apache-2.0
#include "core/api/file_names.hpp"

#include "tessera/core/error.hpp"

#include "core/api/location_names.hpp"

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
