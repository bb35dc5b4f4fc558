// SPDX-License-Identifier: Apache-2.0
#include "store/claim_folders.hpp"

#include <algorithm>
#include <filesystem>
#include <unistd.h>

namespace tessera::detail {

namespace {

namespace fs = std::filesystem;

}  // namespace

bool is_of_removed_folder(std::error_code failure) {
  return failure == std::errc::no_such_file_or_directory || failure == std::errc::file_exists ||
         failure == std::errc::not_a_directory;
}

std::error_code claim_folders::create_for(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  std::vector<std::string> missing;
  std::error_code ignored;
  for (fs::path above = folder; above.has_relative_path() && !fs::exists(above, ignored);
       above = above.parent_path()) {
    missing.push_back(above.string());
  }
  std::error_code failure;
  fs::create_directories(folder, failure);
  created_.insert(created_.end(), missing.rbegin(), missing.rend());
  return failure;
}

void claim_folders::remove_empty() noexcept {
  // In reverse order: a folder is empty once the folders in it are gone.
  std::for_each(created_.rbegin(), created_.rend(),
                [](const std::string& folder) { ::rmdir(folder.c_str()); });
}

}  // namespace tessera::detail
