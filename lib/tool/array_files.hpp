// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The description and the missing chunks of an array, for any data type and codec.

#include "tessera/core/chunk_grid.hpp"
#include "tessera/core/index.hpp"
#include "tessera/store/key_value_store.hpp"

#include "zarr/api/array_files.hpp"
#include "zarr/api/node_format.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::tool {

using detail::array_files;

/// The members of an array's document that determine the keys of chunks. They do not depend on the
/// data type and the codec, which may be unknown to this program.
struct array_description {
  /// Store and path for messages.
  std::string name;
  /// The chunks that are stored under a key each: shards, if there are any.
  chunk_grid grid;
  /// The extents of a chunk: of a part of a shard, if there are shards that can be decoded.
  index_vector chunks;
  /// Empty, or a name for each axis.
  std::vector<std::string> dimension_names;
  char separator = '.';
  chunk_key_style key_style = chunk_key_style::plain;
  bool states_fill_value = false;
  const detail::node_format* format = &detail::default_format();
  /// The document of the array, byte for byte.
  std::string document;

  /// Returns the names of the chunks of `grid`.
  [[nodiscard]] detail::chunk_names names() const {
    return {grid.num_chunks(), separator, key_style};
  }
};

/// Describes the array at `path`; `separator` overrides the separator of its metadata.
///
/// Throws: zarr_error <- its document is malformed.
[[nodiscard]] array_description describe_array(const key_value_store& store,
                                               const std::string& path,
                                               std::optional<char> separator = std::nullopt);

/// Returns the number of chunks of the grid that are not among `files`.
[[nodiscard]] index_t count_missing(const array_description& array, const array_files& files);

/// Returns the name of the first chunk in row-major order that is not among `files`. Requires a
/// missing chunk.
[[nodiscard]] std::string first_missing(const array_description& array, const array_files& files);

/// The values of the option --missing are "fill", "error" and "".
///
/// Throws: zarr_error <- chunks are missing, and neither a fill value nor `option` covers them.
void require_chunks(const array_description& array, const array_files& files,
                    std::string_view option);

}  // namespace tessera::tool
