// SPDX-License-Identifier: Apache-2.0
#include "observe/api/study_files.hpp"
#include "tool/commands.hpp"

#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>

namespace tessera::tool {

namespace {

/// Returns the folder of a study's files.
std::string folder_of(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return path.string();
  const std::string parent = path.parent_path().string();
  return parent.empty() ? "." : parent;
}

}  // namespace

int study(const study_options& options) {
  const study_results first = read_study(options.paths.front());
  if (options.paths.size() == 2) {
    const study_results second = read_study(options.paths.back());
    std::cout << (options.is_json ? comparison_json_of(first, second)
                                  : comparison_of(first, second));
    return 0;
  }
  write_study(first, folder_of(options.paths.front()));
  std::cout << (options.is_json ? json_of(first) : table_of(first));
  return 0;
}

}  // namespace tessera::tool
