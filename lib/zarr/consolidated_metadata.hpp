// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The file `.zmetadata`: the metadata of all nodes below a group, in one place.

#include <map>
#include <string>
#include <string_view>

namespace tessera::detail {

/// Metadata files by their keys, relative to the group: "u/.zarray". The texts are strict JSON.
using metadata_files = std::map<std::string, std::string, std::less<>>;

/// Tells whether the last name of a key is that of a file that is consolidated.
[[nodiscard]] bool is_metadata_key(std::string_view key);

/// Returns the files that `text`, the contents of a `.zmetadata`, holds; `what` names it in errors.
///
/// Throws: zarr_error <- it is malformed, or a key is no key of a metadata file.
[[nodiscard]] metadata_files parse_consolidated(std::string_view text, std::string_view what);

/// Returns the contents of a `.zmetadata` that holds `files`.
///
/// Throws: zarr_error <- one of them is no JSON object.
[[nodiscard]] std::string format_consolidated(const metadata_files& files);

}  // namespace tessera::detail
