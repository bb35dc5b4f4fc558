// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The documents of Zarr v2: `.zarray`, `.zattrs`, `.zgroup`, and `.zmetadata`.

#include "zarr/api/node_format.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail::v2 {

inline constexpr std::string_view array_key = ".zarray";
inline constexpr std::string_view attributes_key = ".zattrs";
inline constexpr std::string_view group_key = ".zgroup";
inline constexpr std::string_view consolidated_key = ".zmetadata";

[[nodiscard]] const node_format& format();

/// Returns the metadata that `text`, the contents of a `.zarray`, states.
///
/// Throws: zarr_error <- as `zarr_metadata::parse`.
[[nodiscard]] zarr_metadata parse_metadata(std::string_view text);

/// Returns the contents of a `.zarray`. Throws: as `zarr_metadata::validate`.
[[nodiscard]] std::string format_metadata(const zarr_metadata& metadata);

/// Throws zarr_error unless version 2 can state the metadata.
void validate(const zarr_metadata& metadata);

/// `node_format::differences_of_consolidated`: members that zarr-python 3 adds do not count.
[[nodiscard]] std::vector<std::string> differences_of_consolidated(
    const key_value_store& store, const std::string& group, const std::vector<std::string>& paths);

}  // namespace tessera::detail::v2
