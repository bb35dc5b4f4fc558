// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The interfaces of sinks and destinations that store a shard chunk by chunk.
///
/// A task that writes a shard at once has all of its elements in memory. A task that streams the
/// shard computes some chunks, appends them to the shard, and goes on with the next chunks. The
/// index of the shard is stored last; it stays in memory until then.

#include "tessera/core/index.hpp"
#include "tessera/core/region.hpp"

#include <cstddef>
#include <memory>
#include <span>

namespace tessera {

/// The memory in which shards are streamed.
struct streamed_shards {
  /// The extents of a chunk, the least part of a shard; empty if shards are written at once.
  index_vector chunks = {};
  /// The bytes of encoded chunks that are written by one call.
  std::size_t encoded = 0;
  std::size_t index = 0;
  /// The memory that the store keeps while a shard is written.
  std::size_t writer = 0;
  /// Whether shards are written at once because their index comes first.
  bool is_index_first = false;
};

/// A destination that lets shards be streamed.
class streaming_destination {
 public:
  [[nodiscard]] virtual streamed_shards streams() const = 0;

 protected:
  ~streaming_destination() = default;
};

/// A shard that is being written. Readers see it after `finish`; destroyed before, it is
/// discarded.
class shard_stream {
 public:
  shard_stream() = default;
  shard_stream(const shard_stream&) = delete;
  shard_stream& operator=(const shard_stream&) = delete;
  virtual ~shard_stream() = default;

  /// Appends the chunks of `box`, in elements from the first one of the shard. `elements` are dense
  /// and row-major, and are left in the stored byte order; `encoded` has `streamed_shards::encoded`
  /// bytes.
  virtual void append(const region& box, std::span<std::byte> elements,
                      std::span<std::byte> encoded) = 0;
  /// Stores the shard, atomically. Chunks that were not appended are missing. It is the last call.
  virtual void finish() = 0;
};

/// A sink that lets shards be streamed.
class streaming_sink {
 public:
  /// Begins a shard. `index`, of `streamed_shards::index` bytes, must outlive it.
  [[nodiscard]] virtual std::unique_ptr<shard_stream> begin_shard(
      std::span<const index_t> shard, std::span<std::byte> index) const = 0;

 protected:
  ~streaming_sink() = default;
};

}  // namespace tessera
