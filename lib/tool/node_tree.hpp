// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The arrays and groups in a folder of a store, found by their files.

#include "tessera/store/key_value_store.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::tool {

/// A folder without `.zgroup` that leads to nodes is one as well: other readers open these by their
/// paths.
enum class node_kind : std::uint8_t { array, group, folder };

struct node {
  /// From the root of the tree; "" is the root.
  std::string path;
  node_kind kind;
};

/// A folder that is damaged, or of another format.
struct bad_node {
  std::string path;
  /// The file that is missing or not understood.
  std::string file;
  std::string reason;
};

struct node_tree {
  /// Each node before the nodes below it.
  std::vector<node> nodes;
  std::vector<bad_node> bad;
  /// Names in groups that no Zarr writer gives, from the root; those of folders end in "/".
  std::vector<std::string> stray;
};

/// Finds the nodes at and below `root`. Nothing is taken from `.zmetadata`, which may be old.
///
/// A folder that holds an array is not looked into. One with neither nodes nor files named as Zarr
/// names them is stray, and so is one whose name begins with ".".
/// Throws: zarr_error <- there are more than a million nodes, as where links lead in circles.
[[nodiscard]] node_tree find_nodes(const key_value_store& store, const std::string& root);

/// Tells whether `path` is `above` or lies below it.
[[nodiscard]] bool is_at_or_below(std::string_view path, std::string_view above);

}  // namespace tessera::tool
