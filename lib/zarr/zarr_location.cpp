// SPDX-License-Identifier: Apache-2.0
#include "tessera/zarr/zarr_location.hpp"

#include "tessera/store/filesystem_store.hpp"

#include <filesystem>
#include <system_error>

namespace tessera {

namespace {

namespace fs = std::filesystem;

/// Returns the outermost directory of the hierarchy that `directory` is in.
fs::path root_of(const fs::path& directory) {
  fs::path walked;
  for (const fs::path& name : directory) {
    walked /= name;
    if (name.extension() == ".zarr") return walked;
  }
  fs::path root = directory;
  std::error_code unreadable;
  while (root.has_relative_path() && fs::exists(root.parent_path() / ".zgroup", unreadable)) {
    root = root.parent_path();
  }
  return root;
}

}  // namespace

zarr_location locate(const std::string& directory) {
  const fs::path absolute = filesystem_store(directory).path();
  const fs::path root = root_of(absolute);
  const std::string inner = absolute.lexically_relative(root).string();
  return {std::make_shared<filesystem_store>(root.string()), inner == "." ? "" : inner};
}

}  // namespace tessera
