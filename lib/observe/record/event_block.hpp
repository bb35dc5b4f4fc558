// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Blocks of events as bytes. Times are in microseconds, cut off, so that all figures of a record
/// are sums of whole microseconds.
///
/// Problem: a batch has 18 numbers, most of which follow from earlier ones: a worker begins a batch
/// when it has ended the one before, and schedulers start the tasks of an operation in their order.
///
/// Idea: the begin of an attempt is told as its distance from the end of the attempt before on the
/// same worker, also of an earlier block. The first tasks of attempts have an order of their own:
/// operation, begin, place in the block. A first task is told as its distance from the end of the
/// tasks before it in that order. Most of these numbers are zero.
///
/// Format of version 4, deflated: the number of events and the mask of the columns, as varints; the
/// columns of `event_row` as planes (planes.hpp), then the sizes of texts likewise, then the texts.
/// A column of zeros is left out. Ends are differences from the event before, in zigzag.
/// Version 3: each column is a row of varints, all but workers and durations differences from the
/// event before, in zigzag; each text follows its size.

#include "observe/api/run_log.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// The oldest version of logs that is read.
inline constexpr std::uint64_t oldest_run_log_version = 3;
/// The most events of a block.
inline constexpr std::size_t max_block_events = 4096;
/// The longest text of an event, in bytes. Longer ones lose their ends.
inline constexpr std::size_t max_event_text = 1024;

/// The ends of the last attempts of workers, in microseconds. Workers of high numbers have none, so
/// that a log takes little memory.
class worker_ends {
 public:
  [[nodiscard]] std::uint64_t of(std::uint64_t worker) const {
    return worker < ends_.size() ? ends_[worker] : 0;
  }
  void set(std::uint64_t worker, std::uint64_t end);

 private:
  std::vector<std::uint64_t> ends_;
};

/// Makes the blocks of a log.
class event_encoder {
 public:
  /// Returns the bytes of the next block, of `events`, at most `max_block_events`.
  [[nodiscard]] std::string encode(std::span<const run_event> events);

 private:
  worker_ends ends_;
};

/// Reads the blocks of a log.
class event_decoder {
 public:
  explicit event_decoder(std::uint64_t version = run_log_version) : version_(version) {}

  /// Returns the events of the next block; nullopt if `block` is none.
  [[nodiscard]] std::optional<std::vector<run_event>> decode(std::string_view block);

 private:
  std::uint64_t version_;
  worker_ends ends_;
};

/// Returns the events of a block of version 3, inflated; nullopt if `block` is none.
[[nodiscard]] std::optional<std::vector<run_event>> decode_block_3(std::string_view block);

}  // namespace tessera
