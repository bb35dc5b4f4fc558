// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The description and the files of an array, for any data type and codec.

#include "tessera/core/chunk_grid.hpp"
#include "tessera/core/index.hpp"
#include "tessera/store/key_value_store.hpp"

#include "zarr/api/node_format.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::tool {

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
};

/// Describes the array at `path`; `separator` overrides the separator of its metadata.
///
/// Throws: zarr_error <- its document is malformed.
[[nodiscard]] array_description describe_array(const key_value_store& store,
                                               const std::string& path,
                                               std::optional<char> separator = std::nullopt);

/// The names in the folder of an array; names of folders end in "/".
struct array_files {
  std::vector<std::string> chunks;
  /// Names of chunks outside the grid.
  std::vector<std::string> outside;
  /// Names that are not part of a Zarr array.
  std::vector<std::string> stray;
};

[[nodiscard]] array_files files_of_array(const key_value_store& store, const std::string& path,
                                         const array_description& array);

/// Returns the name of a chunk, a key relative to the array.
[[nodiscard]] std::string name_of_chunk(const array_description& array, const index_vector& chunk);

/// Returns the chunk of `name`, a key relative to the array, or nullopt if the grid has no such
/// chunk.
[[nodiscard]] std::optional<index_vector> chunk_named(const array_description& array,
                                                      std::string_view name);

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

/// Tells whether `name` has the form of a chunk's name: "0", "12.3".
[[nodiscard]] bool is_like_chunk(std::string_view name);

}  // namespace tessera::tool
