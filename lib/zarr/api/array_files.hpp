// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The files in the folder of an array: its own, and files of other programs or of people.
///
/// A name alone does not make a file a chunk: "2024" may be a photo album. A file belongs to an
/// array if its name is the key of a chunk in the grid of the array, with the prefix and the
/// separator of its metadata, or the name of a document. Whoever replaces an array removes these
/// files alone:
///
///     file                               | array replaced | new array
///     chunk of the old grid              | removed        | written
///     other file, no key of the new grid | kept           | written beside it
///     other file, a key of the new grid  | kept           | refused
///
/// It is refused since readers would take the kept file for a chunk of the new array.
/// If the metadata of the old array are unknown, no file is known for its chunk.

#include "tessera/core/index.hpp"
#include "tessera/store/key_value_store.hpp"
#include "tessera/zarr/zarr_metadata.hpp"

#include "zarr/api/node_format.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

/// The keys of the chunks in a grid, relative to the array. With shards, a chunk is a shard here.
struct chunk_names {
  /// The number of chunks along each axis.
  index_vector counts;
  char separator = '.';
  chunk_key_style style = chunk_key_style::plain;

  [[nodiscard]] std::string name_of(const index_vector& chunk) const;

  /// Returns the chunk of `name`, or nullopt if the grid has no such chunk.
  [[nodiscard]] std::optional<index_vector> chunk_of(std::string_view name) const;

  /// Tells whether the file or folder `name` is in the way of a chunk: its name is the key of a
  /// chunk, or one of the two lies in a folder that is called like the other.
  [[nodiscard]] bool meets(std::string_view name) const;

  /// Tells whether each chunk of `fresh` has the key of a chunk here.
  [[nodiscard]] bool contains(const chunk_names& fresh) const;
};

/// Returns the chunk of `name`, which may be outside of the grid, or nullopt if it names no chunk.
[[nodiscard]] std::optional<index_vector> parse_chunk_name(std::string_view name, std::size_t rank,
                                                           char separator, chunk_key_style style);
[[nodiscard]] std::optional<index_vector> parse_chunk_name(std::string_view name,
                                                           const zarr_metadata& metadata);

/// Returns the names of the chunks of an array with `metadata`.
[[nodiscard]] chunk_names chunk_names_of(const zarr_metadata& metadata);

/// Returns the names of the chunks that writers have put into the folder `path`, or nullopt if
/// nothing there describes them. The grid is that of the array's document, or else of the mark of a
/// copy that was stopped before it wrote the document. Chunks of a stopped append are included. The
/// data type and the codec may be unknown.
[[nodiscard]] std::optional<chunk_names> stored_chunk_names(const key_value_store& store,
                                                            const std::string& path);

/// The names in the folder of an array; names of folders end in "/".
struct array_files {
  std::vector<std::string> chunks;
  /// Names of the form of chunks that the grid does not have.
  std::vector<std::string> outside;
  /// All other names, without documents.
  std::vector<std::string> stray;
};

/// Returns the names of the files in the folder of an array with chunks `names`.
[[nodiscard]] array_files files_of_array(const key_value_store& store, const std::string& path,
                                         const chunk_names& names);

/// Returns the files of a folder in which chunks are unknown: none is a chunk.
[[nodiscard]] array_files files_of_unknown(const key_value_store& store, const std::string& path);

/// Tells whether `name` has the form of a chunk's name: "0", "12.3".
[[nodiscard]] bool is_like_chunk(std::string_view name);

}  // namespace tessera::detail
