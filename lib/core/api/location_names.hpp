// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Names of folders: paths of directories, and locations of stores, "s3://bucket/folder?option".

#include <string>
#include <string_view>

namespace tessera {

inline constexpr std::string_view scheme_end = "://";

/// Returns the scheme of the location of a store, "s3" of "s3://bucket", or "" of a path (RFC 3986,
/// 3.1).
[[nodiscard]] std::string_view scheme_of(std::string_view name);

/// Tells whether a folder is named by the location of a store, and not by a path.
[[nodiscard]] bool is_location(std::string_view folder);

/// Returns the name of `name` in `folder`. The options of a location stay at its end.
[[nodiscard]] std::string name_in(std::string_view folder, std::string_view name);

}  // namespace tessera
