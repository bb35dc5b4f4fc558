// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The metadata of an array: shape, chunks, dtype, codec, fill value, layout.

#include "tessera/codec/configuration.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"
#include "tessera/storage/attributes.hpp"
#include "tessera/storage/data_type.hpp"
#include "tessera/storage/element_bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// The order of the axes in the bytes of a chunk.
class chunk_layout {
 public:
  /// Row-major.
  chunk_layout() = default;
  /// 'C': row-major. 'F': column-major. Both have any rank; other names are not valid.
  chunk_layout(char name) : name_(name) {}
  /// A permutation of the axes: the axis with the longest stride first.
  explicit chunk_layout(const index_vector& axes);

  /// Returns 'C' or 'F', or '\0' for another permutation.
  [[nodiscard]] char name() const { return name_; }
  /// Tells whether a chunk of this rank may have the layout.
  [[nodiscard]] bool fits(std::size_t rank) const;
  /// Returns the axes of a chunk of this rank, the axis with the longest stride first.
  [[nodiscard]] index_vector axes(std::size_t rank) const;
  /// Returns the strides of a dense chunk, in elements.
  [[nodiscard]] index_vector strides(const index_vector& extents) const;

  [[nodiscard]] bool operator==(const chunk_layout&) const = default;

 private:
  char name_ = 'C';
  /// Empty if the layout has a name.
  index_vector axes_ = {};
};

/// The form of a chunk's key.
enum class chunk_key_style : std::uint8_t {
  plain,     ///< "0.1", and "0" for rank 0
  prefixed,  ///< "c.0.1", and "c" for rank 0
};

/// The metadata of an array, as a value.
///
/// Source: the Zarr v2 and v3 specifications; zarr-python's reading of them if they are silent.
struct zarr_metadata {
  index_vector shape = {};
  /// The extents of a chunk, one per axis, each at least 1. With shards: of a part of a
  /// shard, which is read alone.
  index_vector chunks = {};
  data_type dtype = tessera::dtype::float64;
  /// The codecs that encode a chunk, in order, before the compressor.
  std::vector<codec::configuration> filters = {};
  codec::configuration compressor = {};
  /// The elements of missing chunks. Without it (null in JSON) a missing chunk is an error unless
  /// filling is asked for, with zeros then.
  std::optional<element_bytes> fill_value = element_bytes{};
  chunk_layout order = {};
  /// The character between the indices in a chunk's key: '.' or '/'.
  char dimension_separator = '.';
  /// Members that the specification does not have; they are written as they were read.
  attributes other_members = {};
  /// The version of the format.
  int format = 2;
  /// The extents of a shard, which is stored under one key; empty without shards. Not in version 2.
  index_vector shards = {};
  /// Not in version 2, which has only names in the attributes: empty, or a name or none an axis.
  std::vector<std::optional<std::string>> dimension_names = {};
  /// Version 2 has plain keys.
  chunk_key_style key_style = chunk_key_style::plain;
  /// The name of the data type in the document if it has several. Not in version 2.
  std::string type_name = {};
  /// The JSON list of codecs, for the details that the other members leave out: it counts as long
  /// as they agree with it. Not in version 2.
  std::string codec_list = {};

  /// Returns the metadata that `json`, the document of an array of any version, states.
  ///
  /// Throws: zarr_error <- not JSON, a member is missing, of a wrong type, out of range, or not
  /// supported; the message names the member.
  [[nodiscard]] static zarr_metadata parse(std::string_view json);

  /// Returns the document of an array that states this metadata, without attributes.
  ///
  /// Throws: as `validate`.
  [[nodiscard]] std::string to_json() const;

  /// Returns the codec of a chunk, filters and compressor as one; a null pointer if there are none.
  ///
  /// Throws: codec_error <- one of them does not fit the elements that it is given.
  [[nodiscard]] std::shared_ptr<const byte_codec> make_codec() const;

  /// Gives filters that leave their dtype open that of the elements that come to them.
  ///
  /// Throws: codec_error <- such a filter takes no elements of this dtype.
  void complete_filters();

  /// Throws zarr_error unless shape and chunks have one rank, extents are not negative, chunks are
  /// positive, the array and a chunk have at most 2^63 - 1 elements and bytes, `other_members` has
  /// no name that the specification has, and its version can state all of it.
  void validate() const;

  [[nodiscard]] bool operator==(const zarr_metadata&) const = default;
};

}  // namespace tessera
