// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A ring of reads in flight.
///
/// A store that is far away answers late, but it answers many requests at once. A ring starts reads
/// ahead, each into a place of memory that the caller brings, and hands the values on in order:
///
///     places   | value 8 | value 5 | value 6 | value 7 |
///                          oldest: taken next

#include "tessera/store/key_value_store.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tessera {

/// The reads of one thread that are in flight, in the order in which they are taken.
///
/// The destructor gives them up. No byte of the places is written afterwards.
class read_ring {
 public:
  /// Divides `memory` into `num_places` places of equal size. Requires: `store` has a queue of
  /// reads, and there is a place.
  read_ring(const key_value_store& store, std::span<std::byte> memory, std::size_t num_places);

  [[nodiscard]] bool is_full() const { return reads_.size() == num_places_; }

  /// Starts a read, as far as a place holds it. Requires: the ring is not full.
  void submit(std::string_view key, const byte_range& range);

  /// Tells whether the oldest read is the one of `range` of `key`.
  [[nodiscard]] bool is_next(std::string_view key, const byte_range& range) const;

  /// Waits for the oldest read and copies its bytes to the front of `into`, as far as they fit.
  /// Returns the part that was copied, or nullopt if the key is missing. The place is free then.
  ///
  /// Requires: a read is in flight. Throws: store_error <- as `read_queue::wait`.
  [[nodiscard]] std::optional<value_part> take(std::span<std::byte> into);

  /// Gives up all reads.
  void clear();

 private:
  struct read {
    std::size_t ticket;
    std::string key;
    byte_range range;
  };

  [[nodiscard]] std::span<std::byte> place(std::size_t number) const {
    return memory_.subspan(number * place_size_, place_size_);
  }

  const key_value_store& store_;
  std::span<std::byte> memory_;
  std::size_t num_places_;
  std::size_t place_size_;
  /// The place of the oldest read.
  std::size_t first_ = 0;
  std::deque<read> reads_;
  /// Destroyed first.
  std::unique_ptr<read_queue> queue_;
};

}  // namespace tessera
