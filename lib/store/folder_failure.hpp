// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The folders of a store in a directory, and failures of the calls that read them.

#include "tessera/core/error.hpp"

#include "store/api/posix_file.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace tessera::detail {

/// Returns the path of `folder` in the store whose directory is `root`.
[[nodiscard]] inline std::string folder_path(const std::string& root, std::string_view folder) {
  return folder.empty() ? root : fmt::format("{}/{}", root, folder);
}

/// Throws store_error: "cannot <action> folder "..." (path): <the system's text>".
[[noreturn]] inline void throw_folder_failure(std::string_view action, std::string_view folder,
                                              const std::filesystem::filesystem_error& failure) {
  throw store_error(fmt::format("cannot {} folder \"{}\" ({}): {}", action, folder,
                                failure.path1().string(), failure.code().message()),
                    failure_of(failure.code().value()));
}

}  // namespace tessera::detail
