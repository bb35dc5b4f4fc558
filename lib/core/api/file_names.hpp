// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Names of files.

#include <string>

namespace tessera {

/// Returns the path of a file relative to the working directory, if the file is below it.
[[nodiscard]] std::string seen_from_here(const std::string& path);

/// Returns a path that leads to the same file whatever the working directory is. Locations of
/// stores, "s3://bucket/folder", stay as they are.
///
/// Throws: store_error <- `path` is relative, and the working directory is no more.
[[nodiscard]] std::string absolute_name(const std::string& path);

}  // namespace tessera
