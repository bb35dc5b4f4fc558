// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A limit and a measure of the memory of the tasks in a worker process.

#include "tessera/core/bytes.hpp"

#include "executor/descriptor.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace tessera {

/// Limits and measures the memory of a process that runs tasks sequentially.
///
/// Threads: only the thread that runs tasks, because limit and measure cover the whole process.
class task_limits {
 public:
  task_limits();

  /// Limits the tasks of `operation` to `memory` beyond the memory that the process holds at the
  /// begin of the first task. The system refuses more (RLIMIT_DATA): `std::bad_alloc`.
  ///
  /// Later calls raise the limit by the growth of the heap, which may be fragmentation.
  void apply(std::uint64_t operation, bytes memory);

  /// Removes the limit.
  void lift();

  /// Begins a measurement, and returns the peak of the memory since then, without the memory that
  /// is shared with other processes (core/shared_pages.hpp). The host holds shared memory once.
  ///
  /// The shared memory at the time of the peak is not known. The larger of its sizes at the begin
  /// and at the end is subtracted, so that the result may be too small.
  void reset_peak();
  [[nodiscard]] bytes peak() const;

 private:
  void set_limit(std::uint64_t limit) const;

  /// A buffer for /proc/self/status, which has a long line with all groups of the user. Only the
  /// pages with text become resident.
  using status_text = std::array<char, std::size_t{1} << 20U>;

  [[nodiscard]] bytes shared_now() const;

  descriptor clear_refs_;
  descriptor status_;
  std::unique_ptr<status_text> text_;
  bytes shared_at_first_;
  std::uint64_t limit_at_first_;
  std::optional<std::uint64_t> operation_;
  std::uint64_t limit_ = 0;
  std::uint64_t heap_in_limit_ = 0;
};

}  // namespace tessera
