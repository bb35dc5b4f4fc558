// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The arrays and groups in a folder of a store, listed from their files.

#include "tessera/store/key_value_store.hpp"

#include "zarr/api/node_format.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::tool {

/// The kind of a node. A folder above nodes that is no group is a node as well: some readers open
/// the nodes by their paths.
enum class node_kind : std::uint8_t { array, group, folder };

struct node {
  /// Relative to the root of the tree; "" is the root.
  std::string path;
  node_kind kind;
  const detail::node_format* format = &detail::default_format();
};

/// A folder that is damaged, or of a different format.
struct bad_node {
  std::string path;
  /// The file that is missing or not supported.
  std::string file;
  std::string reason;
};

struct node_tree {
  /// In pre-order: a node comes before the nodes below it.
  std::vector<node> nodes;
  std::vector<bad_node> bad;
  /// Names in groups that are no part of a Zarr store, relative to the root. Names of folders end
  /// in
  /// "/".
  std::vector<std::string> stray;
};

/// Lists the nodes at and below `root`. Ignores consolidated metadata, which may be old.
///
/// Folders of arrays are not searched. A folder with neither nodes nor files of Zarr is stray, and
/// so is a folder whose name begins with ".".
///
/// Throws: zarr_error <- there are more than a million nodes, as with links in a cycle.
[[nodiscard]] node_tree find_nodes(const key_value_store& store, const std::string& root);

/// Tells whether `path` is `above` or lies below it.
[[nodiscard]] bool is_at_or_below(std::string_view path, std::string_view above);

}  // namespace tessera::tool
