// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The reads of a window, told before the task makes them.
///
/// The boxes that a window reads follow from the steps of its task, without data. A forecast goes
/// through the steps ahead of the task. A wrong forecast costs time and no result, as the read that
/// is asked for counts.

#include "tessera/core/region.hpp"

#include "core/api/remote_array.hpp"
#include "plan/api/planned.hpp"
#include "primitive/api/read_order.hpp"
#include "task/window_reads.hpp"

#include <cstddef>
#include <optional>

namespace tessera {

/// Goes through the reads of a window of a task on `task`.
class read_forecast {
 public:
  /// `reads` are those of the window, before its first step.
  read_forecast(const planned_operation& planned, std::size_t window, window_reads reads,
                region task);

  /// Returns the next read, or nullopt behind the last one, or if the reads are not known ahead.
  [[nodiscard]] std::optional<expected_read> next();
  /// Tells whether the reads are known ahead.
  [[nodiscard]] bool is_known() const { return steps_.has_value(); }

 private:
  /// Returns the read of the window in `step`, if it makes one.
  [[nodiscard]] std::optional<expected_read> read_in(const region& step);

  const planned_operation* planned_;
  std::size_t window_;
  window_reads reads_;
  region task_;
  std::optional<step_cursor> steps_;
};

/// Returns the chunk of the array that operand `i`, read by whole chunks, begins in over `box`.
[[nodiscard]] index_vector chunk_of_operand(const planned_operation& planned, std::size_t i,
                                            const index_vector& chunks, const region& box);

}  // namespace tessera
