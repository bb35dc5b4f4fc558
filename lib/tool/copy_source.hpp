// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The nodes that a copy reads, and the arrays whose chunks it copies without decoding.

#include "tessera/core/index.hpp"
#include "tessera/store/key_value_store.hpp"
#include "tessera/zarr/zarr_metadata.hpp"

#include "tool/array_files.hpp"
#include "tool/commands.hpp"
#include "tool/node_tree.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera::tool {

/// An array of the source.
struct source_array {
  /// Relative to the root of the copy.
  std::string path;
  array_description description;
  array_files files = {};
  /// The extents of the copy's chunks.
  index_vector chunks = {};
  /// The metadata of a copy whose chunks are decoded and encoded; not set if the stored chunks are
  /// copied byte for byte.
  std::optional<zarr_metadata> encoded_as = std::nullopt;
  bool omits_empty_chunks = false;
};

/// The nodes of a copy.
struct copy_source {
  std::shared_ptr<key_value_store> store;
  /// The path in the store of the root of the copy.
  std::string root;
  node_tree tree;
  std::vector<source_array> arrays;
  /// Paths, relative to the root, of groups whose copies get consolidated metadata.
  std::vector<std::string> consolidated;
  /// Names, relative to the root, of files that are no part of a store and are not copied.
  std::vector<std::string> stray_files;

  /// The version of the format of the copy; not set: each node keeps its own.
  std::optional<int> format;

  [[nodiscard]] std::string key(const std::string& path, const std::string& name) const;
  /// Returns a hash of the nodes, their files and the options of the copy.
  [[nodiscard]] std::string identity(const copy_options& options) const;
};

/// Returns the source of a copy with `options`. Writes nothing.
///
/// Throws: zarr_error <- there is no node, or nodes cannot be copied with these options; the
/// message names all of them. value_error <- an option is malformed, or names no node.
[[nodiscard]] copy_source find_source(const copy_options& options);

}  // namespace tessera::tool
