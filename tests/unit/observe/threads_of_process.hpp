// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The threads of the test's process.

#include <filesystem>
#include <set>
#include <string>

namespace tessera::testing {

/// Returns the folder in /proc of each thread.
inline std::set<std::string> threads_of_process() {
  std::set<std::string> folders;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    folders.insert(entry.path().string());
  }
  return folders;
}

}  // namespace tessera::testing
