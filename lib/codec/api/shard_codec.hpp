// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The codec "sharding_indexed": a chunk that consists of parts, each encoded alone.
///
/// A shard of shape S is cut into a grid of parts of shape P, which divides S. Its value is
///
///     part part ... part index        or        index part part ... part
///
/// The index has offset and size of each part, in row-major order of the grid. Parts may lie in any
/// order, with gaps and overlaps; both 2^64 - 1 stand for a part of nothing but fill. `shard_codec`
/// encodes and decodes all parts of a shard in memory. It writes them in row-major order.
///
/// Source: zarr-specs, `docs/v3/codecs/sharding-indexed`.

#include "tessera/codec/byte_codec.hpp"
#include "tessera/core/index.hpp"

#include "codec/api/shard_index.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace tessera::detail {

struct shard_layout {
  /// The extents of a shard and of a part, of the axes that the codec is given.
  index_vector shape;
  index_vector part_shape;
  /// The order of the axes in a part's bytes: axis i of the encoded part is axis order[i]. Empty:
  /// row-major.
  index_vector order = {};
  std::size_t itemsize = 1;
  shard_index_format index = {};
  /// The bytes of an element of missing parts, as they are stored.
  std::vector<std::byte> fill = {};
  /// Whether parts of nothing but fill are left out.
  bool skips_fill = false;
  /// Whether each encoded part has the same size, which is the bound of its codec.
  bool is_fixed_size = false;
};

/// Returns the codec of whole shards whose parts are encoded by `inner`; a null pointer stands for
/// parts as they are.
///
/// Its input and output are row-major elements of a shard. It encodes a whole number of parts only.
/// Memory: a part, and the workspace of `inner`.
///
/// Throws: codec_error <- the part's shape does not divide the shard's, or the shard is too large.
[[nodiscard]] std::shared_ptr<const byte_codec> make_shard_codec(
    shard_layout layout, std::shared_ptr<const byte_codec> inner);

/// Receives the bytes of a value, one piece after the other.
using piece_sink = std::function<void(std::span<const std::byte>)>;

/// Encodes `in` by the codec of whole shards `shard`, and passes the bytes on in pieces as they are
/// made. Large parts without a codec are passed on from `in` itself. Returns false, and does
/// nothing, if the index comes first, or if `shard` is no such codec.
///
/// `room` is of the bound of `shard`, of which a part and the index are touched.
/// Throws: codec_error <- as `encode`. Passes on errors of `append`.
[[nodiscard]] bool encode_in_pieces(const byte_codec& shard, std::span<const std::byte> in,
                                    std::span<std::byte> room, const piece_sink& append);

/// Returns the number of parts along each axis of a shard.
///
/// Throws: codec_error <- the part's shape does not divide the shard's; the message has both.
[[nodiscard]] index_vector parts_of_shard(const index_vector& shape,
                                          const index_vector& part_shape);

}  // namespace tessera::detail
