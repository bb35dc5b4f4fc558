// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/file_names.hpp"

#include <filesystem>
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
  return std::filesystem::absolute(path).lexically_normal().string();
}

}  // namespace tessera
