// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Windows: the boxes of stored arrays that a running task holds.
///
/// Problem: several operands may show one array, and successive steps overlap (halos, sliding
/// windows). Each chunk should be read and decoded once.
///
/// Idea: operands of one array share a window. In each step it holds the hull of their images.
/// Along one axis, on which steps overlap (`walked`), the kept rows move to the front and only the
/// rows behind them are read, chunk by chunk:
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
#include "task/live_array.hpp"

#include <cstddef>
#include <optional>
#include <span>

namespace tessera {

/// A window of a running task, in buffers of the task's schedule.
class window {
 public:
  window(const planned_operation& planned, const planned_window& plan,
         std::span<const live_array> arrays, std::span<std::byte> memory);

  /// Drops the box, so that the next step reads all.
  void forget();

  /// Reads the box that its operands show in `step`, a part of `task`.
  void read(const region& step, const region& task);
  /// Returns operand `number` of the operation over `box`, a part of the step.
  [[nodiscard]] block_operand operand(std::size_t number, const region& box) const;

  /// Reads one chunk, and returns its elements.
  [[nodiscard]] const std::byte* read_chunk(const index_vector& chunk);
  /// Tells whether all elements are known to be equal: every chunk was missing.
  [[nodiscard]] bool is_uniform() const { return is_uniform_; }

 private:
  /// Returns the box of the array to hold: along the walked axis the image of `step`, along further
  /// axes the image of all steps of `task` along the walked axis.
  [[nodiscard]] region needed_box(const region& step, const region& task) const;
  /// Clips `box` to [0, extents): the array's shape, or the shape that a gather shows.
  void clip(region& box, const index_vector& extents) const;
  /// Returns the part of `box` in which operand `i` of the window is read.
  [[nodiscard]] region read_part(std::size_t i, region box) const;
  [[nodiscard]] region image(const region& box) const;
  void round_to_chunks(region& box) const;
  /// Reads `box` from `first` on along the walked axis, or all of it if no axis is walked. Returns
  /// false if every chunk is missing.
  bool read_from(const region& box, index_t from);
  /// Gathers `box` of the space that the gather of the one operand shows.
  void gather_from(const region& box);
  /// Throws logic_error if `seen`, a box of the array, is not held.
  void require_loaded(const region& box) const;
  void advance(const region& box);
  /// Moves the held elements from `first` on along the walked axis to the front; returns their end.
  [[nodiscard]] index_t keep_behind(index_t first);
  void set_layout(const region& box);
  [[nodiscard]] const array_source& source() const { return *array_->source; }
  [[nodiscard]] std::size_t rank() const { return plan_->spacing.size(); }
  [[nodiscard]] std::size_t itemsize() const { return array_->planned->type.size(); }
  [[nodiscard]] std::span<std::byte> buffer(std::size_t id) const;

  const planned_operation* planned_;
  const planned_window* plan_;
  const live_array* array_;
  std::span<std::byte> memory_;
  /// The last step, the box that is held, and its strides in elements.
  std::optional<region> step_;
  std::optional<region> loaded_box_;
  index_vector strides_;
  bool is_uniform_ = false;
};

}  // namespace tessera
