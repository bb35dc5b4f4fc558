// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The nodes that a copy reads, and which of their chunks it need not decode.

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
  /// From the root of the copy.
  std::string path;
  array_description description;
  array_files files = {};
  /// The extents of the copy's chunks.
  index_vector chunks = {};
  /// The metadata of the copy where its chunks are decoded and encoded; not set where each stored
  /// chunk becomes one of the copy, byte for byte.
  std::optional<zarr_metadata> encoded_as = std::nullopt;
  bool omits_empty_chunks = false;
};

/// The nodes that are copied.
struct copy_source {
  std::shared_ptr<key_value_store> store;
  /// The path in the store of the root of the copy.
  std::string root;
  node_tree tree;
  std::vector<source_array> arrays;
  /// Paths, from the root, of groups whose copies get consolidated metadata.
  std::vector<std::string> consolidated;
  /// Names, from the root, of files that are no part of a store and are not copied.
  std::vector<std::string> stray_files;

  [[nodiscard]] std::string key(const std::string& path, const std::string& name) const;
  /// Returns a hash of all that is copied and of how it is copied.
  [[nodiscard]] std::string identity(const copy_options& options) const;
};

/// Finds what `options` say. Nothing is written.
///
/// Throws: zarr_error <- nothing is there, or nodes cannot be copied as is asked for: the message
/// names all of them. value_error <- an option is malformed, or names no node.
[[nodiscard]] copy_source find_source(const copy_options& options);

}  // namespace tessera::tool
