// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The requests of a task for chunks of an array, started ahead.

#include "core/api/remote_array.hpp"
#include "store/api/read_ring.hpp"
#include "zarr/array_state.hpp"
#include "zarr/dense_box.hpp"
#include "zarr/task_store.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace tessera::detail {

/// The store of an array for the tasks of a batch, one after the other: the next requests of the
/// running task are in flight.
///
/// A task that makes another request than the next one of the forecast gives up all of them, and
/// reads by calls until it ends. `begin` starts anew.
///
/// The place of a chunk in a shard is in the index of the shard. It is read by a call when the
/// first chunk of the shard is due, while earlier chunks are in flight. Threads: one.
class reads_ahead final : public task_store {
 public:
  /// Requires: the array is no field, and its store has a queue of reads. The thread keeps the
  /// indexes of two of its shards.
  reads_ahead(std::shared_ptr<const zarr_array_state> array, const ring_memory& memory)
      : task_store(std::move(array)), ring_(store(), memory.places, memory.num_places) {}

  /// Begins a task, as `chunk_reader::begin`.
  void begin(expected_reads expected, std::span<const index_t> steps);

  [[nodiscard]] std::optional<std::size_t> read(std::string_view key,
                                                std::span<std::byte> into) const override;
  [[nodiscard]] std::optional<value_part> read_part(std::string_view key, const byte_range& range,
                                                    std::span<std::byte> into) const override;

  /// Starts requests for chunks of shards until the ring is full, between two reads: an index that
  /// is read may take the memory of another one.
  void top_up_shards() const;

 private:
  /// A chunk, and the bytes of its value that are wanted.
  struct chunk_request {
    index_vector chunk;
    byte_range range;
  };

  /// A box, and the next of its chunks to request.
  struct open_box {
    open_box(const zarr_array_state& array, region read, std::span<const index_t> steps);

    region box;
    dense_box chunks;
    position_cursor positions;
  };

  /// Starts requests until the ring is full.
  void top_up() const;
  /// Returns the next request of the forecast, or nullopt behind the last one.
  [[nodiscard]] std::optional<chunk_request> next() const;
  /// Returns the request for a chunk in a shard, or nullopt if it is missing or its place is
  /// unknown.
  [[nodiscard]] std::optional<chunk_request> request_in_shard(const index_vector& chunk) const;
  /// Tells whether a read of `range` is about a shard, and not about a chunk in it.
  [[nodiscard]] bool is_about_shard(const byte_range& range) const;
  /// Returns the next request of the box that is open, or nullopt behind the last one.
  [[nodiscard]] std::optional<chunk_request> next_in_box() const;
  void give_up() const;

  index_vector steps_;
  mutable read_ring ring_;
  mutable expected_reads expected_;
  mutable std::optional<open_box> open_;
  /// The shard that was missing last.
  mutable std::optional<index_vector> missing_shard_;
};

}  // namespace tessera::detail
