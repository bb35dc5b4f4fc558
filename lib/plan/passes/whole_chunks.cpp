// SPDX-License-Identifier: Apache-2.0
#include "plan/passes/whole_chunks.hpp"

#include "tessera/core/chunk_grid.hpp"

#include "plan/buffers.hpp"
#include "primitive/api/build.hpp"

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

bool lie_one_by_one(const index_vector& chunks, const index_vector& extents) {
  bool is_cut = false;
  for (std::size_t axis = chunks.size(); axis-- > 0;) {
    if (is_cut && std::min(chunks[axis], extents[axis]) > 1) return false;
    is_cut |= chunks[axis] < extents[axis];
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

namespace {

/// Returns the interval [start, stop) in whole tiles of `tile`, within a domain of `extent`.
std::pair<index_t, index_t> in_tiles(index_t start, index_t stop, index_t tile, index_t extent) {
  if (tile <= 1) return {start, stop};
  const index_t first = start / tile * tile;
  const index_t behind = (tile - stop % tile) % tile;
  const index_t last = stop + std::min(extent - stop, behind);
  return {first, last};
}

}  // namespace

region in_blocks(const operation& op, region box) {
  const loop_schedule& schedule = op.schedule;
  const axis_set whole = op.primitive->reduced() | schedule.ordered;
  const bool may_be_cut = op.primitive->may_grow() || op.primitive->may_shrink();
  const index_vector tile = tile_of(*op.primitive, schedule.rank());
  for (std::size_t axis = 0; axis < schedule.rank(); ++axis) {
    const index_t block = schedule.block[axis];
    if (whole[axis]) {
      box.start[axis] = 0;
      box.stop[axis] = schedule.domain[axis];
      continue;
    }
    const index_t first = box.start[axis] / block * block;
    const bool is_in_one = box.stop[axis] <= first + block;
    if (!may_be_cut || !is_in_one) box.start[axis] = first;
    if (!may_be_cut) {
      box.stop[axis] = std::min(schedule.domain[axis], ceil_divide(box.stop[axis], block) * block);
      continue;
    }
    const auto [start, stop] =
        in_tiles(box.start[axis], box.stop[axis], tile[axis], schedule.domain[axis]);
    box.start[axis] = start;
    box.stop[axis] = stop;
  }
  return box;
}

}  // namespace tessera
