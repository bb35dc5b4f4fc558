// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The sweeps of a task with a state that is carried from sweep to sweep.

#include "tessera/core/region.hpp"
#include "tessera/primitive/primitive.hpp"

#include <algorithm>
#include <cstddef>

namespace tessera::detail {

/// Calls `f` with each sweep of `box` in the direction of `carried`, and with a flag that tells
/// whether outputs have elements in it.
///
/// Sweeps have `length` elements along the carried axis, counted from the first element of the
/// outputs, so that the parts that leave hold whole chunks. In a box that does not begin the
/// domain, the elements before the outputs are a sweep of their own.
template <class F>
void for_each_carried_sweep(const region& box, const carried_state& carried, index_t length, F f) {
  const std::size_t axis = carried.axis;
  region sweep = box;
  if (carried.is_reversed) {
    while (sweep.stop[axis] > box.start[axis]) {
      sweep.start[axis] = std::max(box.start[axis], (sweep.stop[axis] - 1) / length * length);
      f(sweep, true);
      sweep.stop[axis] = sweep.start[axis];
    }
    return;
  }
  if (box.start[axis] > 0 && carried.skipped > 0) {
    sweep.stop[axis] = std::min(box.stop[axis], box.start[axis] + carried.skipped);
    f(sweep, false);
    sweep.start[axis] = sweep.stop[axis];
  }
  while (sweep.start[axis] < box.stop[axis]) {
    const index_t first = std::max<index_t>(0, sweep.start[axis] - carried.skipped);
    const index_t stop = carried.skipped + (first / length + 1) * length;
    sweep.stop[axis] = std::min(box.stop[axis], stop);
    f(sweep, sweep.stop[axis] > carried.skipped);
    sweep.start[axis] = sweep.stop[axis];
  }
}

}  // namespace tessera::detail
