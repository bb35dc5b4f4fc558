// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The requests of a task for chunks of an array, started ahead.

#include "tessera/store/key_value_store.hpp"

#include "core/api/remote_source.hpp"
#include "store/api/read_ring.hpp"
#include "zarr/array_state.hpp"
#include "zarr/dense_box.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::detail {

/// The store of an array for one task: the next requests of the task are in flight.
///
/// A task that makes another request than the next one of the forecast gives up all of them, and
/// reads by calls until it ends.
/// Threads: one.
class reads_ahead final : public key_value_store {
 public:
  /// Requires: the array has no shards and is no field, and its store has a queue of reads.
  reads_ahead(std::shared_ptr<const zarr_array_state> array, const ring_memory& memory)
      : array_(std::move(array)), ring_(*array_->store, memory.places, memory.num_places) {}

  /// Begins a task, as `chunk_reader::begin`.
  void begin(expected_reads expected, std::span<const index_t> steps);

  [[nodiscard]] std::string name() const override { return store().name(); }
  [[nodiscard]] store_traits traits() const override { return store().traits(); }
  [[nodiscard]] std::optional<std::size_t> read(std::string_view key,
                                                std::span<std::byte> into) const override;
  [[nodiscard]] std::optional<value_part> read_part(std::string_view key, const byte_range& range,
                                                    std::span<std::byte> into) const override;
  [[nodiscard]] std::optional<std::vector<std::byte>> read_all(std::string_view key,
                                                               std::size_t limit) const override {
    return store().read_all(key, limit);
  }
  [[nodiscard]] std::optional<std::size_t> size(std::string_view key) const override {
    return store().size(key);
  }
  void write(std::string_view key, std::span<const std::byte> value) override {
    store().write(key, value);
  }
  void erase(std::string_view key) override { store().erase(key); }
  void erase_all(std::string_view folder) override { store().erase_all(folder); }
  [[nodiscard]] std::vector<std::string> list(std::string_view folder) const override {
    return store().list(folder);
  }
  [[nodiscard]] std::vector<std::string> list_folder(std::string_view folder) const override {
    return store().list_folder(folder);
  }

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

  [[nodiscard]] key_value_store& store() const { return *array_->store; }
  /// Starts requests until the ring is full.
  void top_up() const;
  /// Returns the next request of the forecast, or nullopt behind the last one.
  [[nodiscard]] std::optional<chunk_request> next() const;
  /// Returns the next request of the box that is open, or nullopt behind the last one.
  [[nodiscard]] std::optional<chunk_request> next_in_box() const;
  void give_up() const;

  std::shared_ptr<const zarr_array_state> array_;
  index_vector steps_;
  mutable read_ring ring_;
  mutable expected_reads expected_;
  mutable std::optional<open_box> open_;
};

/// Returns a reader of `array` with a place for each request in flight.
///
/// Requires: as `reads_ahead`.
[[nodiscard]] std::unique_ptr<chunk_reader> make_chunk_reader(
    std::shared_ptr<const zarr_array_state> array, const ring_memory& memory);

}  // namespace tessera::detail
