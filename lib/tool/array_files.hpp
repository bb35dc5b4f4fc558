// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What the files of an array say, without its elements being understood.

#include "tessera/core/chunk_grid.hpp"
#include "tessera/core/index.hpp"
#include "tessera/store/key_value_store.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::tool {

/// The members of a `.zarray` that say which keys chunks have. Arrays of data types and codecs that
/// this program does not know have them as well.
struct array_description {
  /// Store and path for people.
  std::string name;
  chunk_grid grid;
  /// None, or one for each axis.
  std::vector<std::string> dimension_names;
  char separator = '.';
  bool states_fill_value = false;
  /// The contents of `.zarray`, letter for letter.
  std::string zarray;
};

/// Describes the array at `path`; `separator` takes the place of that in its metadata.
///
/// Throws: zarr_error <- its `.zarray` is malformed.
[[nodiscard]] array_description describe_array(const key_value_store& store,
                                               const std::string& path,
                                               std::optional<char> separator = std::nullopt);

/// The names of the files of an array, relative to its folder; those of folders end in "/".
struct array_files {
  std::vector<std::string> chunks;
  /// Names like those of chunks, for which the grid has no chunk.
  std::vector<std::string> outside;
  /// Names that no Zarr writer gives.
  std::vector<std::string> stray;
};

[[nodiscard]] array_files files_of_array(const key_value_store& store, const std::string& path,
                                         const array_description& array);

/// Returns the chunk that `name` names, relative to its array; nothing if the grid has none.
[[nodiscard]] std::optional<index_vector> chunk_named(const array_description& array,
                                                      std::string_view name);

/// Returns how many chunks of the grid are not among `files`.
[[nodiscard]] index_t count_missing(const array_description& array, const array_files& files);

/// Returns the name of the first chunk in row-major order that is not among `files`. Requires that
/// one is missing.
[[nodiscard]] std::string first_missing(const array_description& array, const array_files& files);

/// Tells whether `name` is made of numbers as names of chunks are: "0", "12.3".
[[nodiscard]] bool is_like_chunk(std::string_view name);

}  // namespace tessera::tool
