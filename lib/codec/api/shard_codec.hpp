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
#include "tessera/core/region.hpp"

#include "codec/api/shard_index.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
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

/// The memory in which a shard is encoded in pieces: of encoded parts, and of the index.
struct piece_memory {
  std::size_t encoded = 0;
  std::size_t index = 0;
};

/// Returns the memory in which a codec of whole shards encodes in pieces, or nullopt if `shard` is
/// no such codec.
[[nodiscard]] std::optional<piece_memory> memory_for_pieces(const byte_codec& shard);

/// The encoding of a shard that grows by the parts that are added.
class shard_encoder {
 public:
  shard_encoder() = default;
  shard_encoder(const shard_encoder&) = delete;
  shard_encoder& operator=(const shard_encoder&) = delete;
  virtual ~shard_encoder() = default;

  /// Encodes the parts of `box`, a box of the shard, and passes their bytes on. `elements` are the
  /// elements of `box` alone; `strides`, in elements, are theirs along the axes of the shard. Large
  /// parts without a codec are passed on from `elements` itself.
  ///
  /// `room` has `piece_memory::encoded` bytes. Memory: as that of the codec.
  /// Throws: codec_error <- `box` is not made of whole parts. Passes on errors of the sink.
  virtual void add(const region& box, std::span<const std::byte> elements,
                   const index_vector& strides, std::span<std::byte> room) = 0;
  /// Tells whether no part has been stored.
  [[nodiscard]] virtual bool is_empty() const = 0;
  /// Passes the index on: to its place in front, if room was kept for it there. Parts that were not
  /// added are missing. It is the last call.
  virtual void finish() = 0;
};

/// The receivers of a shard in pieces.
struct shard_sink {
  piece_sink append;
  /// Replaces the first bytes of the value. If the index comes first, the first piece keeps room
  /// for it, and this receives it in the end. Not needed if the index comes last.
  piece_sink write_front = {};
};

/// Returns an encoder for one shard. Its index is built in `index`, of `piece_memory::index` bytes.
/// `shard` and `index` must outlive it.
///
/// Throws: codec_error <- `memory_for_pieces` has no value; the index comes first, and the sink
/// cannot write it there.
[[nodiscard]] std::unique_ptr<shard_encoder> make_shard_encoder(const byte_codec& shard,
                                                                std::span<std::byte> index,
                                                                shard_sink sink);

/// Encodes `in` by the codec of whole shards `shard`, and passes the bytes on in pieces. Returns
/// false, and does nothing, if `memory_for_pieces` has no value; `room` has both of its sizes.
///
/// Throws: codec_error <- as `encode` and `make_shard_encoder`. Passes on errors of the sink.
[[nodiscard]] bool encode_in_pieces(const byte_codec& shard, std::span<const std::byte> in,
                                    std::span<std::byte> room, const shard_sink& sink);

/// Returns the number of parts along each axis of a shard.
///
/// Throws: codec_error <- the part's shape does not divide the shard's; the message has both.
[[nodiscard]] index_vector parts_of_shard(const index_vector& shape,
                                          const index_vector& part_shape);

}  // namespace tessera::detail
