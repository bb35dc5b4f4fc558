// SPDX-License-Identifier: Apache-2.0
#include "tessera/primitive/loop_schedule.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

chunk_grid loop_schedule::blocks() const {
  if (overlap == 0) return {domain, block};
  index_vector starts = domain;
  for (std::size_t axis = 0; axis < rank(); ++axis) {
    if (ordered[axis]) starts[axis] -= overlap;
  }
  return {std::move(starts), block};
}

region loop_schedule::block_box(index_t number) const {
  const chunk_grid grid = blocks();
  region box = grid.chunk_region(grid.chunk_at(number));
  for (std::size_t axis = 0; axis < rank(); ++axis) {
    if (ordered[axis]) box.stop[axis] += overlap;
  }
  return box;
}

region loop_schedule::own_box(index_t number) const {
  region box = block_box(number);
  for (std::size_t axis = 0; axis < rank(); ++axis) {
    if (ordered[axis]) box.start[axis] += overlap;
  }
  return box;
}

index_t loop_schedule::num_tasks() const { return ceil_divide(blocks().size(), blocks_per_task); }

task_range loop_schedule::blocks_of(task_range tasks) const {
  return {tasks.first * blocks_per_task, std::min(tasks.last * blocks_per_task, blocks().size())};
}

double loop_schedule::num_steps() const {
  double steps = 1;
  for (std::size_t axis = 0; axis < rank(); ++axis) {
    if (domain[axis] == 0) return 0;
    const index_t shared = ordered[axis] ? overlap * (blocks().num_chunks()[axis] - 1) : 0;
    steps *= static_cast<double>(domain[axis] + shared) / static_cast<double>(step[axis]);
  }
  return steps;
}

index_vector loop_schedule::sweep() const {
  index_vector extents = block;
  for (std::size_t axis = 0; axis < rank(); ++axis) {
    if (ordered[axis]) extents[axis] = step[axis];
  }
  return extents;
}

bool loop_schedule::takes_all(axis_set axes) const {
  for (std::size_t axis = 0; axis < rank(); ++axis) {
    if (axes[axis] && block[axis] < domain[axis]) return false;
  }
  return true;
}

namespace {

/// Returns the extents along `axes` for a part of the domain of `part_extents`. A `per_block` axis
/// `k` of the domain has `per_block[k]` elements.
index_vector extents_along(const std::vector<output_axis>& axes, const index_vector& part_extents,
                           const index_vector& per_block) {
  index_vector extents;
  for (const output_axis& axis : axes) {
    switch (axis.origin) {
      case output_axis::kind::along:
        extents.push_back(ceil_divide(part_extents[axis.axis], axis.step));
        break;
      case output_axis::kind::per_block:
        extents.push_back(per_block[axis.axis]);
        break;
      case output_axis::kind::extra:
        extents.push_back(axis.length);
        break;
    }
  }
  return extents;
}

}  // namespace

index_vector output::shape(const loop_schedule& schedule) const {
  index_vector extents = extents_along(axes, schedule.domain, schedule.blocks().num_chunks());
  for (std::size_t k = 0; k < axes.size(); ++k) {
    extents[k] = std::max<index_t>(0, extents[k] - axes[k].skipped);
    if (axes[k].step > 1) extents[k] = axes[k].length;
  }
  return extents;
}

index_vector output::block(const loop_schedule& schedule) const {
  return extents_of(schedule.block);
}

index_vector output::extents_of(const index_vector& extents) const {
  return extents_along(axes, extents, index_vector(extents.size(), 1));
}

region output::box(const loop_schedule& schedule, const region& box) const {
  region result;
  for (const output_axis& axis : axes) {
    if (axis.origin == output_axis::kind::extra) {
      result.start.push_back(0);
      result.stop.push_back(axis.length);
    } else if (axis.origin == output_axis::kind::along) {
      index_t start = std::max<index_t>(0, box.start[axis.axis] - axis.skipped);
      index_t stop = std::max<index_t>(0, box.stop[axis.axis] - axis.skipped);
      if (axis.step > 1) {
        start = std::min(start / axis.step, axis.length);
        stop = std::min(ceil_divide(stop, axis.step), axis.length);
      }
      result.start.push_back(start);
      result.stop.push_back(stop);
    } else {
      result.start.push_back(box.start[axis.axis] / schedule.block[axis.axis]);
      result.stop.push_back(result.start.back() + 1);
    }
  }
  return result;
}

region output::domain_of(const region& box, const region& part) const {
  region result = box;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    if (axes[k].origin != output_axis::kind::along) continue;
    const auto [kind, axis, length, skipped, step] = axes[k];
    result.start[axis] = std::max(result.start[axis], part.start[k] * step + skipped);
    result.stop[axis] = std::min(result.stop[axis], part.stop[k] * step + skipped);
  }
  return result;
}

std::vector<output> kept_axes(const loop_schedule& schedule, const std::vector<dtype>& types,
                              axis_set reduced, const index_vector& extra_lengths) {
  std::vector<output_axis> axes;
  bool has_extra_axes = false;
  for (std::size_t axis = 0; axis < schedule.rank(); ++axis) {
    if (!reduced[axis]) {
      axes.push_back({output_axis::kind::along, axis});
    } else if (!std::exchange(has_extra_axes, true)) {
      for (const index_t length : extra_lengths)
        axes.push_back({output_axis::kind::extra, 0, length});
    }
  }
  std::vector<output> outputs;
  for (const dtype type : types) outputs.push_back({type, axes});
  return outputs;
}

}  // namespace tessera
