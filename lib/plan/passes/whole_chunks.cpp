// SPDX-License-Identifier: Apache-2.0
#include "plan/passes/whole_chunks.hpp"

#include "plan/buffers.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {

/// Returns the extents of what a task takes of the domain at once.
index_vector step_of(const operation& what) {
  const axis_set in_steps = what.body->in_steps(what.how);
  index_vector step = what.how.block;
  for (std::size_t axis = 0; axis < step.size(); ++axis) {
    if (in_steps[axis]) step[axis] = std::min(step[axis], what.how.stream[axis]);
  }
  return step;
}

}  // namespace

bool holds_whole_chunks(const index_vector& extents, const index_vector& shape,
                        const index_vector& chunks) {
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] < shape[axis] && extents[axis] % chunks[axis] != 0) return false;
  }
  return true;
}

bool steps_hold_whole_chunks(const operation& what, const planned_array& made) {
  return holds_whole_chunks(step_of(what), made.shape, made.chunks);
}

index_vector taken_at_once(const operation& what, std::size_t i, const planned_array& array) {
  const region first{index_vector(what.how.rank()), clipped(step_of(what), what.how.domain)};
  return clipped(what.operands[i].image(first).shape(), array.shape);
}

}  // namespace tessera
