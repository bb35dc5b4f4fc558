// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Windows: the boxes of stored arrays that a running task holds.
///
/// Problem: several operands may show one array, and successive steps overlap (halos, sliding
/// windows). Each chunk should be read and decoded once.
///
/// Idea: operands of one array share a window. In each step it holds the hull of their images.
/// Along one axis, on which steps overlap (`overlap_axis`), the kept rows move to the front and
/// only the rows behind them are read, chunk by chunk:
///
///     step 1 holds [0 ........ 12)
///     step 2 needs     [8 ........ 20)      memmove [8, 12) to the front, read [12, 20)
///
/// Elements between multiples of `spacing` are not held. A gather reads chunk after chunk and
/// copies the elements that it selects.
///
/// Invariant: the box fits the buffer that the planner has computed; a check throws before a wrong
/// plan writes beyond it.

#include "tessera/core/index_map.hpp"
#include "tessera/core/region.hpp"
#include "tessera/kernel/block_runner.hpp"

#include "plan/api/planned.hpp"
#include "task/chunk_port.hpp"
#include "task/live_array.hpp"
#include "task/read_forecast.hpp"
#include "task/window_reads.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace tessera {

/// A window of a running task, in buffers of the task's schedule.
class window {
 public:
  /// Window `number` of an operation.
  window(const planned_operation& planned, std::size_t number, std::span<const live_array> arrays,
         std::span<std::byte> memory);

  /// Begins a task on `box`: drops the held box, so that the first step reads all. If the window
  /// has a ring, its first reads are in flight from here on.
  void begin(const region& box);
  /// Ends the task.
  void end();

  /// Reads the box that its operands show in `step`, a part of `task`.
  void read(const region& step, const region& task);
  /// Returns operand `number` of the operation over `box`, a part of the step.
  [[nodiscard]] block_operand operand(std::size_t number, const region& box) const;

  /// Reads one chunk, and returns its elements.
  [[nodiscard]] const std::byte* read_chunk(const index_vector& chunk);
  /// Tells whether all elements are known to be equal: every chunk was missing.
  [[nodiscard]] bool is_uniform() const { return is_uniform_; }

 private:
  /// Reads the missing part of the box of a change. Returns false if every chunk is missing.
  bool read_missing(const window_change& change);
  /// Gathers `box` of the space that the gather of the one operand shows.
  void gather_from(const region& box);
  /// Throws logic_error if `seen`, a box of the array, is not held.
  void require_loaded(const region& box) const;
  /// Moves the held elements from `first` on along the overlap axis to the front.
  void move_rows(const region& before, index_t first);
  void set_layout(const region& box);
  /// Compares a read with the forecast, in debug builds.
  void check_forecast(const expected_read& read);
  [[nodiscard]] const array_source& source() const { return *array_->source; }
  [[nodiscard]] std::size_t itemsize() const { return array_->planned->type.size(); }
  [[nodiscard]] std::span<std::byte> buffer(std::size_t id) const;

  const planned_operation* planned_;
  const planned_window* plan_;
  const live_array* array_;
  std::span<std::byte> memory_;
  window_reads reads_;
  /// The strides of the box that is held, in elements.
  index_vector strides_;
  bool is_uniform_ = false;
  std::size_t number_;
  chunk_port port_;
  /// The reads of the task that are still to come; in debug builds alone.
  std::optional<read_forecast> forecast_;
};

}  // namespace tessera
