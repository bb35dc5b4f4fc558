// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The arrays and groups at and below a path, open for reading.

#include "tessera/storage/attributes.hpp"
#include "tessera/store/key_value_store.hpp"

#include "tool/node_tree.hpp"

#include <memory>
#include <string>

namespace tessera::tool {

struct opened_nodes {
  std::shared_ptr<key_value_store> store;
  node_tree tree;
};

/// Throws: zarr_error <- there is no node at `path`, or a node is damaged.
[[nodiscard]] opened_nodes open_nodes(const std::string& path);

/// Returns the attributes of the node at `path` below the root of `nodes`.
///
/// Throws: zarr_error <- the node is damaged.
[[nodiscard]] attributes attributes_of(const opened_nodes& nodes, const std::string& path);

}  // namespace tessera::tool
