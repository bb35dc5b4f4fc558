// SPDX-License-Identifier: Apache-2.0
/// \file
/// The lists of a store in a directory.

#include "tessera/store/filesystem_store.hpp"

#include "store/folder_failure.hpp"
#include "store/unfinished_write.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace tessera {

namespace fs = std::filesystem;

using detail::names_unfinished_write;

namespace {

/// Tells whether a folder of this name belongs to claims without locks. Its files are unfinished
/// writes by their names.
bool is_folder_of_claims(std::string_view name) {
  return name.starts_with(detail::claims_prefix) && names_unfinished_write(name);
}

/// Appends the keys below `directory` to `keys`, each with `prefix` before it.
void append_keys(const fs::path& directory, const std::string& prefix,
                 std::vector<std::string>& keys) {
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    std::string name = entry.path().filename().string();
    std::error_code vanished;
    if (entry.is_directory(vanished)) {
      // Following a link to a folder above would never end.
      const bool is_followed = !entry.is_symlink(vanished) && !is_folder_of_claims(name);
      if (is_followed) append_keys(entry.path(), prefix + name + "/", keys);
    } else if (!names_unfinished_write(name)) {
      keys.push_back(prefix + name);
    }
  }
}

}  // namespace

std::vector<std::string> filesystem_store::list(std::string_view folder) const {
  validate_folder(folder);
  require_inside(folder);
  std::vector<std::string> keys;
  try {
    const std::string directory = detail::folder_path(path_, folder);
    if (fs::is_directory(directory)) {
      append_keys(directory, folder.empty() ? "" : fmt::format("{}/", folder), keys);
    } else {
      require_presence(folder);
    }
  } catch (const fs::filesystem_error& failure) {
    detail::throw_folder_failure("list", folder, failure);
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::vector<std::string> filesystem_store::list_folder(std::string_view folder) const {
  validate_folder(folder);
  require_inside(folder);
  std::vector<std::string> names;
  try {
    const std::string directory = detail::folder_path(path_, folder);
    if (!fs::is_directory(directory)) {
      require_presence(folder);
      return names;
    }
    for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
      std::string name = entry.path().filename().string();
      std::error_code vanished;
      if (entry.is_directory(vanished)) {
        if (!is_folder_of_claims(name)) names.push_back(name + "/");
      } else if (!names_unfinished_write(name)) {
        names.push_back(std::move(name));
      }
    }
  } catch (const fs::filesystem_error& failure) {
    detail::throw_folder_failure("list", folder, failure);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace tessera
