// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The memory that this process shares, as the system tells it.

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <system_error>

namespace tessera::testing {

/// Returns the size of the files in memory that this process has open and whose names begin with
/// `name`.
inline std::size_t memory_in_files(const std::string& name) {
  std::size_t total = 0;
  std::error_code ignored;
  for (const auto& file : std::filesystem::directory_iterator("/proc/self/fd", ignored)) {
    const std::string target = std::filesystem::read_symlink(file.path(), ignored).string();
    if (!target.starts_with("/memfd:" + name)) continue;
    struct stat status {};
    if (stat(file.path().c_str(), &status) == 0) {
      total += static_cast<std::size_t>(status.st_blocks) * 512;
    }
  }
  return total;
}

/// Returns the memory of arrays of plans that is shared with further processes.
inline std::size_t arrays_in_shared_memory() { return memory_in_files("tessera "); }

/// Tells whether this process has such a file open or mapped, whatever it takes.
inline bool has_shared_memory() {
  std::error_code ignored;
  for (const auto& file : std::filesystem::directory_iterator("/proc/self/fd", ignored)) {
    const std::string target = std::filesystem::read_symlink(file.path(), ignored).string();
    if (target.starts_with("/memfd:tessera ")) return true;
  }
  std::ifstream mapped("/proc/self/maps");
  for (std::string line; std::getline(mapped, line);) {
    if (line.find("/memfd:tessera ") != std::string::npos) return true;
  }
  return false;
}

}  // namespace tessera::testing
