// SPDX-License-Identifier: Apache-2.0
#include "observe/api/study_files.hpp"
#include "tool/commands.hpp"

#include <filesystem>
#include <iostream>
#include <system_error>

namespace tessera::tool {

int study(const std::vector<std::string>& paths) {
  const study_results first = read_study(paths.front());
  if (paths.size() == 2) {
    std::cout << comparison_of(first, read_study(paths.back()));
    return 0;
  }
  std::error_code ignored;
  const std::filesystem::path path = paths.front();
  const bool is_folder = std::filesystem::is_directory(path, ignored);
  const std::string parent = path.parent_path().string();
  write_study(first, is_folder ? path.string() : parent.empty() ? "." : parent);
  std::cout << table_of(first);
  return 0;
}

}  // namespace tessera::tool
