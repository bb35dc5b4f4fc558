// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A ring of writes in flight: each value is copied to a place of memory that the caller brings,
/// and written from there while the caller goes on.

#include "tessera/store/key_value_store.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <span>
#include <string_view>

namespace tessera {

/// The writes of one thread that are in flight. The oldest ends first.
///
/// The destructor waits for all of them and ignores their failures.
class write_ring {
 public:
  /// Divides `memory` into `num_places` places of equal size. Requires: `store` has a queue of
  /// writes, and there is a place.
  write_ring(key_value_store& store, std::span<std::byte> memory, std::size_t num_places);

  /// Starts to write a value. If the ring is full, waits for the oldest write first. A value larger
  /// than a place is written when this returns.
  ///
  /// Throws: store_error <- an earlier write has failed, as `write_queue::wait`.
  void write(std::string_view key, std::span<const std::byte> value);

  /// Waits for all writes. Throws the first failure, once all writes have ended.
  void finish();

 private:
  void wait_for_oldest();

  key_value_store& store_;
  std::span<std::byte> memory_;
  std::size_t num_places_;
  std::size_t place_size_;
  /// The place of the next write. The places before it belong to the writes in flight.
  std::size_t next_ = 0;
  std::deque<std::size_t> tickets_;
  /// Destroyed first.
  std::unique_ptr<write_queue> queue_;
};

}  // namespace tessera
