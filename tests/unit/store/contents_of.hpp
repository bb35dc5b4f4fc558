// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Everything that a program has written to a folder.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace tessera::testing {

/// Returns the names and contents of all files in and below a folder.
inline std::string contents_of(const std::filesystem::path& folder) {
  std::string contents;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    contents += entry.path().string() + "\n";
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    contents.append(std::istreambuf_iterator<char>(file), {});
  }
  return contents;
}

}  // namespace tessera::testing
