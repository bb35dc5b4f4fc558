// SPDX-License-Identifier: Apache-2.0
#include "plan/passes/whole_chunks.hpp"

#include "plan/buffers.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {

/// Returns the extents of one step of a task: of its block along axes that it takes at once.
index_vector step_of(const operation& op) {
  const axis_set in_steps = op.primitive->in_steps(op.schedule);
  index_vector step = op.schedule.block;
  for (std::size_t axis = 0; axis < step.size(); ++axis) {
    if (in_steps[axis]) step[axis] = std::min(step[axis], op.schedule.step[axis]);
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

bool steps_hold_whole_chunks(const operation& op, const planned_array& array) {
  return holds_whole_chunks(step_of(op), array.shape, array.chunks);
}

index_vector taken_at_once(const operation& op, std::size_t i, const planned_array& array) {
  const region first{index_vector(op.schedule.rank()), clipped(step_of(op), op.schedule.domain)};
  return clipped(op.operands[i].image(first).shape(), array.shape);
}

index_vector computed_extents(const operation& op, std::size_t i, const loop_schedule& schedule,
                              const planned_array& array) {
  index_vector extents = clipped(op.outputs[i].block(schedule), array.shape);
  const axis_set in_parts = op.primitive->reduced() | schedule.ordered;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    const output_axis& along = op.outputs[i].axes[k];
    if (along.origin == output_axis::kind::along && in_parts[along.axis]) {
      extents[k] = array.chunks[k];
    }
  }
  return extents;
}

}  // namespace tessera
