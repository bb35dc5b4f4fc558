// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The boxes that a window reads, step by step: arithmetic without data.
///
/// A window has such an object for its reads, and a forecast (`read_forecast.hpp`) has a copy that
/// runs ahead. Both compute the same boxes, as both run this code.

#include "tessera/core/index.hpp"
#include "tessera/core/region.hpp"

#include "plan/api/planned.hpp"
#include "task/live_array.hpp"

#include <cstddef>
#include <optional>

namespace tessera {

/// The next content of a window.
struct window_change {
  /// The box that the buffer is laid out for, and the part of it that is read.
  region box;
  region missing;
  /// The previous box. Its rows from the first row of `box` on, along the overlap axis, stay in the
  /// buffer. nullopt: no row stays.
  std::optional<region> before = std::nullopt;
  /// Whether `missing` is read: all of it stays otherwise.
  bool is_read = true;
};

/// The boxes of one array that a window of a task holds.
class window_reads {
 public:
  window_reads(const planned_operation& planned, const planned_window& plan,
               const live_array& array)
      : planned_(&planned), plan_(&plan), array_(&array) {}

  /// Drops the box, so that the next step reads all.
  void forget();

  /// Goes on to `step`, a part of `task`. Returns the change, or nullopt if all is held.
  [[nodiscard]] std::optional<window_change> advance(const region& step, const region& task);
  /// Goes on to the chunk at `chunk`. Returns false if it is held.
  [[nodiscard]] bool advance_to_chunk(const index_vector& chunk);
  /// Returns the box that is held. Of a chunk it is the position in the grid, empty.
  [[nodiscard]] const std::optional<region>& held() const { return held_; }

  [[nodiscard]] const array_source& source() const { return *array_->source; }
  /// Returns the part of `box` in which operand `i` of the window is read.
  [[nodiscard]] region read_part(std::size_t i, region box) const;

 private:
  /// Returns the box of the array to hold: along the overlap axis the image of `step`, along
  /// further axes the image of all steps of `task` along the overlap axis.
  [[nodiscard]] region needed_box(const region& step, const region& task) const;
  /// Clips `box` to [0, extents): the array's shape, or the shape that a gather shows.
  void clip(region& box, const index_vector& extents) const;
  [[nodiscard]] region image(const region& box) const;
  void round_to_chunks(region& box) const;
  /// Goes on to `box` along the overlap axis.
  [[nodiscard]] window_change advance_to(const region& box);
  [[nodiscard]] std::size_t rank() const { return plan_->spacing.size(); }

  const planned_operation* planned_;
  const planned_window* plan_;
  const live_array* array_;
  /// The last step, and the box that is held.
  std::optional<region> step_;
  std::optional<region> held_;
};

}  // namespace tessera
