// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The member "codecs" of `zarr.json`: how the elements of a chunk become bytes.
///
///     (array -> array)*  array -> bytes  (bytes -> bytes)*
///
/// Each codec is checked with the type and the shape that the one before leaves. The transposes at
/// the front become one permutation, the layout of a chunk. A transpose behind a filter of single
/// elements commutes with it. The array -> bytes codec is "bytes", "packbits" for booleans, or
/// "sharding_indexed" with a list of its own for each part. The byte order of the innermost "bytes"
/// is the one of the elements everywhere.

#include "tessera/codec/byte_codec.hpp"
#include "tessera/codec/configuration.hpp"
#include "tessera/core/index.hpp"
#include "tessera/zarr/zarr_metadata.hpp"

#include "codec/api/shard_index.hpp"
#include "codec/api/v3_filters.hpp"

#include <bit>
#include <cstddef>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tessera::detail::v3 {

struct sharding;

/// A bytes -> bytes codec.
struct bytes_codec {
  codec::configuration codec = codec::none{};
  /// The member "typesize" of blosc; 0 for other codecs.
  std::size_t typesize = 0;

  [[nodiscard]] bool operator==(const bytes_codec&) const = default;
};

/// The codecs of an array, of a shard's parts, or of nested parts.
struct codec_list {
  /// Axis i of the encoded chunk is axis order[i] of the decoded one; empty: row-major.
  index_vector order = {};
  /// The byte order of stored elements.
  std::endian byte_order = std::endian::little;
  /// Whether elements, of float32 in memory, are stored as bfloat16: in front of the filters.
  bool is_bfloat16 = false;
  /// Filters of elements in that byte order.
  std::vector<codec::configuration> filters = {};
  /// The codec "sharding_indexed" in the place of "bytes", or a null pointer.
  std::shared_ptr<const sharding> shards = nullptr;
  /// The codec "packbits" in the place of "bytes".
  std::optional<padding_byte> packing = std::nullopt;
  /// The codecs behind; with shards nothing can be read in part then.
  std::vector<bytes_codec> compressors = {};

  [[nodiscard]] bool operator==(const codec_list& rhs) const;
};

/// The codec "sharding_indexed".
struct sharding {
  /// The extents of a part, of the axes behind the transposes of the list.
  index_vector part_shape;
  codec_list codecs;
  shard_index_format index;

  [[nodiscard]] bool operator==(const sharding&) const = default;
};

/// Returns the codecs of the JSON list `value`, for chunks of `shape` and elements of `type`;
/// `path` is the list's JSON path in messages. `is_bfloat16` tells how float32 is stored.
///
/// Throws: zarr_error <- the list is malformed, or a codec is not supported or does not fit.
[[nodiscard]] codec_list parse_codec_list(const nlohmann::json& value, const std::string& path,
                                          const data_type& type, const index_vector& shape,
                                          bool is_bfloat16 = false);

/// Returns the JSON list of codecs for elements of `type` in chunks of `rank` axes.
[[nodiscard]] std::string format_codec_list(const codec_list& codecs, const data_type& type);

/// Tells whether all encodings of a chunk have the same size.
[[nodiscard]] bool has_fixed_size(const codec_list& codecs);

/// Returns the extents along the axes of the encoded chunk.
[[nodiscard]] index_vector permuted(const index_vector& shape, const index_vector& order);

/// Returns the extents along the axes of the decoded chunk: the inverse of `permuted`.
[[nodiscard]] index_vector unpermuted(const index_vector& shape, const index_vector& order);

/// Returns the codec of chunks, or a null pointer if their bytes are stored as they are. A chunk is
/// `shape` elements of `type`, in the layout `order` and the byte order of `codecs`.
///
/// `fill` is the element of missing parts. Parts of nothing else are left out if `skips_fill`.
///
/// Throws: codec_error <- a codec does not fit, or "cast_value" does not keep `fill`.
[[nodiscard]] std::shared_ptr<const byte_codec> make_codec(const codec_list& codecs,
                                                           const data_type& type,
                                                           const index_vector& shape,
                                                           const element_bytes& fill,
                                                           bool skips_fill = false);

}  // namespace tessera::detail::v3
