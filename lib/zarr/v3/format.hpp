// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The documents of Zarr v3: one `zarr.json` for each node.

#include "zarr/api/node_format.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail::v3 {

[[nodiscard]] const node_format& format();

/// Returns the metadata of an array that its document `text` states.
///
/// Throws: zarr_error <- as `zarr_metadata::parse`.
[[nodiscard]] zarr_metadata parse_metadata(std::string_view text);

/// Returns the document of an array without attributes. Throws: as `zarr_metadata::validate`.
[[nodiscard]] std::string format_metadata(const zarr_metadata& metadata);

/// `node_format::differences_of_consolidated`: inner consolidated metadata do not count.
[[nodiscard]] std::vector<std::string> differences_of_consolidated(
    const key_value_store& store, const std::string& group, const std::vector<std::string>& paths);

/// `node_format::edit_consolidated`.
[[nodiscard]] std::unique_ptr<consolidated_editor> edit_consolidated(std::string text,
                                                                     std::string_view document);

/// `node_format::parse_consolidated`.
[[nodiscard]] std::optional<metadata_files> parse_files(std::string_view text,
                                                        std::string_view document);

/// `node_format::format_consolidated`.
[[nodiscard]] std::string format_files(const metadata_files& files);

}  // namespace tessera::detail::v3
