// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Creates folders that other programs may remove.

#include <filesystem>
#include <system_error>

namespace tessera {

/// Creates `path` and the folders above it. Returns the error, if any.
///
/// A program removes an empty work directory at its end, perhaps between the creation of a folder
/// and of its subfolder here: such a failure is tried again.
[[nodiscard]] inline std::error_code create_folders(const std::filesystem::path& path) {
  constexpr int most_attempts = 1000;
  std::error_code failure;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    std::filesystem::create_directories(path, failure);
    if (failure != std::errc::no_such_file_or_directory) break;
  }
  return failure;
}

}  // namespace tessera
