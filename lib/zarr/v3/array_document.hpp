// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The file `zarr.json` of an array of Zarr version 3.

#include "tessera/core/index.hpp"
#include "tessera/zarr/zarr_metadata.hpp"

#include "zarr/v3/chunk_grid_json.hpp"
#include "zarr/v3/codec_list.hpp"
#include "zarr/v3/node_document.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail::v3 {

/// The document of an array, as a value.
///
/// Source: zarr-specs, `docs/v3/core`, "Array metadata".
struct array_document {
  index_vector shape;
  /// The extents of a chunk of the grid: of a shard if there are shards.
  index_vector grid_chunks;
  key_encoding keys = {};
  /// The type of an element; its byte order is the one of `codecs`.
  data_type dtype = tessera::dtype::float64;
  /// Distinguishes names of one type: "raw_bytes" from "r24", "struct" from "structured",
  /// "bfloat16" from "float32".
  std::string type_name = {};
  /// The element of missing chunks and parts, in this machine's byte order.
  element_bytes fill_value = {};
  codec_list codecs = {};
  /// One name for each axis, perhaps none; empty: the array has no names.
  std::vector<std::optional<std::string>> dimension_names = {};
  /// A JSON object, as it is written.
  std::string attributes = "{}";
  /// Members that the specification does not have, each an object that need not be understood.
  std::vector<raw_member> other_members = {};

  /// Returns the document that `text` states.
  ///
  /// Throws: zarr_error <- the text is malformed, or asks for an unsupported feature; the message
  /// has the JSON path.
  [[nodiscard]] static array_document parse(std::string_view text);

  /// Returns the text of the document. Core data types are strings, other extensions objects.
  ///
  /// Throws: zarr_error <- version 3 cannot state the data type or the fill value.
  [[nodiscard]] std::string to_json() const;

  /// Returns the extents of the chunks that can be read alone: parts of shards, or chunks.
  [[nodiscard]] index_vector chunks() const;
  /// Returns the extents of a shard; empty if nothing smaller than a chunk of the grid can be read.
  [[nodiscard]] index_vector shards() const;
  /// Returns the layout of the bytes of such a chunk: its axis i is the array's axis layout[i].
  [[nodiscard]] index_vector chunk_layout() const;

  /// Tells whether parts of chunks are read. A chunk without axes has one part, the whole.
  [[nodiscard]] bool has_parts() const {
    return codecs.shards != nullptr && codecs.compressors.empty() && !shape.empty();
  }

  /// Returns the codec of a whole chunk of the grid; a null pointer if it is stored as it is.
  ///
  /// Throws: codec_error <- a codec does not fit.
  [[nodiscard]] std::shared_ptr<const byte_codec> make_codec(bool skips_fill = false) const;

  /// Returns the codec of one of `chunks()`; a null pointer if it is stored as it is.
  ///
  /// Throws: as `make_codec`.
  [[nodiscard]] std::shared_ptr<const byte_codec> make_chunk_codec(bool skips_fill = false) const;

  /// Returns the number of parts along each axis of the index of a shard. Requires: `has_parts()`.
  [[nodiscard]] index_vector part_grid() const;
  /// Returns the number, in the index, of the part at `part` of a shard: the indices are along the
  /// axes of the array. Requires: `has_parts()`.
  [[nodiscard]] std::size_t number_of_part(const index_vector& part) const;
  /// Tells whether all stored parts have the size that bounds them. Requires: `has_parts()`.
  [[nodiscard]] bool has_parts_of_fixed_size() const;

  [[nodiscard]] bool operator==(const array_document&) const = default;
};

}  // namespace tessera::detail::v3
