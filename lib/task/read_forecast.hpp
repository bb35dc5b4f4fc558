// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Predicts the reads of a window, for read-ahead.
///
/// The boxes that a window reads follow from the steps of its task, without data. A forecast goes
/// through the steps ahead of the task. A wrong prediction costs time, not correctness: a window
/// uses only the box that its step needs.

#include "tessera/core/region.hpp"

#include "core/api/remote_array.hpp"
#include "plan/api/planned.hpp"
#include "primitive/api/read_order.hpp"
#include "task/window_reads.hpp"

#include <cstddef>
#include <optional>

namespace tessera {

/// A cursor over the reads of a window of the task with the box `task`.
class read_forecast {
 public:
  /// `reads` is the state of the window's reads before its first step.
  read_forecast(const planned_operation& planned, std::size_t window, window_reads reads,
                region task);

  /// Returns the next read; nullopt behind the last one, or unless `is_known()`.
  [[nodiscard]] std::optional<expected_read> next();
  /// Tells whether the reads are known ahead.
  [[nodiscard]] bool is_known() const { return steps_.has_value(); }

 private:
  /// Returns the read of the window in `step`, or nullopt if the window holds the box already.
  [[nodiscard]] std::optional<expected_read> read_in(const region& step);

  const planned_operation* planned_;
  std::size_t window_;
  window_reads reads_;
  region task_;
  std::optional<step_cursor> steps_;
};

/// Returns the index of the chunk of the array in which the part of operand `i` for `box` begins.
///
/// Requires: the operand is read by whole chunks.
[[nodiscard]] index_vector chunk_of_operand(const planned_operation& planned, std::size_t i,
                                            const index_vector& chunks, const region& box);

}  // namespace tessera
