// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The arrays and groups at and below a path, open for reading.

#include "tessera/array/any_array.hpp"
#include "tessera/storage/attributes.hpp"
#include "tessera/store/key_value_store.hpp"

#include "tool/node_tree.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace tessera::tool {

struct opened_nodes {
  std::shared_ptr<key_value_store> store;
  node_tree tree;
};

/// Throws: zarr_error <- there is no node at `path`, or a node is damaged.
[[nodiscard]] opened_nodes open_nodes(const std::string& path);

/// Opens the array at `path` below the root of `nodes`. `missing` is the option --missing.
///
/// Throws: zarr_error <- as `require_chunks` (tool/array_files.hpp), or the node is damaged.
[[nodiscard]] any_array open_array(const opened_nodes& nodes, const std::string& path,
                                   std::string_view missing);

/// Returns the attributes of the node at `path` below the root of `nodes`.
///
/// Throws: zarr_error <- the node is damaged.
[[nodiscard]] attributes attributes_of(const opened_nodes& nodes, const std::string& path);

}  // namespace tessera::tool
