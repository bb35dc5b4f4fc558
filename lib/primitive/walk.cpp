// SPDX-License-Identifier: Apache-2.0
#include "tessera/primitive/walk.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

chunk_grid walk::tasks() const { return {domain, block}; }

double walk::num_steps() const {
  double steps = 1;
  for (std::size_t axis = 0; axis < rank(); ++axis) {
    if (domain[axis] == 0) return 0;
    steps *= static_cast<double>(domain[axis]) / static_cast<double>(stream[axis]);
  }
  return steps;
}

region walk::task_box(index_t task) const {
  const chunk_grid grid = tasks();
  return grid.chunk_region(grid.chunk_at(task));
}

index_vector walk::leg() const {
  index_vector extents = block;
  for (std::size_t axis = 0; axis < rank(); ++axis) {
    if (ordered[axis]) extents[axis] = stream[axis];
  }
  return extents;
}

bool walk::takes_all(axis_set axes) const {
  for (std::size_t axis = 0; axis < rank(); ++axis) {
    if (axes[axis] && block[axis] < domain[axis]) return false;
  }
  return true;
}

namespace {

/// Returns the extents along `axes` of what is `walked` of the domain, `per_block` of one per
/// block.
index_vector made_of(const std::vector<output_axis>& axes, const index_vector& walked,
                     const index_vector& per_block) {
  index_vector extents;
  for (const output_axis& each : axes) {
    switch (each.how) {
      case output_axis::kind::along:
        extents.push_back(ceil_divide(walked[each.axis], each.step));
        break;
      case output_axis::kind::per_block:
        extents.push_back(per_block[each.axis]);
        break;
      case output_axis::kind::own:
        extents.push_back(each.length);
        break;
    }
  }
  return extents;
}

}  // namespace

index_vector output::shape(const walk& how) const {
  index_vector extents = made_of(axes, how.domain, how.tasks().num_chunks());
  for (std::size_t k = 0; k < axes.size(); ++k) {
    extents[k] = std::max<index_t>(0, extents[k] - axes[k].skipped);
    if (axes[k].step > 1) extents[k] = axes[k].length;
  }
  return extents;
}

index_vector output::block(const walk& how) const { return extents_of(how.block); }

index_vector output::extents_of(const index_vector& extents) const {
  return made_of(axes, extents, index_vector(extents.size(), 1));
}

region output::box(const walk& how, const region& box) const {
  region made;
  for (const output_axis& each : axes) {
    if (each.how == output_axis::kind::own) {
      made.start.push_back(0);
      made.stop.push_back(each.length);
    } else if (each.how == output_axis::kind::along) {
      index_t start = std::max<index_t>(0, box.start[each.axis] - each.skipped);
      index_t stop = std::max<index_t>(0, box.stop[each.axis] - each.skipped);
      if (each.step > 1) {
        start = std::min(start / each.step, each.length);
        stop = std::min(ceil_divide(stop, each.step), each.length);
      }
      made.start.push_back(start);
      made.stop.push_back(stop);
    } else {
      made.start.push_back(box.start[each.axis] / how.block[each.axis]);
      made.stop.push_back(made.start.back() + 1);
    }
  }
  return made;
}

region output::domain_of(const region& box, const region& part) const {
  region walked = box;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    if (axes[k].how != output_axis::kind::along) continue;
    const auto [how, axis, length, skipped, step] = axes[k];
    walked.start[axis] = std::max(walked.start[axis], part.start[k] * step + skipped);
    walked.stop[axis] = std::min(walked.stop[axis], part.stop[k] * step + skipped);
  }
  return walked;
}

std::vector<output> kept_axes(const walk& how, const std::vector<dtype>& types, axis_set reduced,
                              const index_vector& own) {
  std::vector<output_axis> axes;
  bool are_own_there = false;
  for (std::size_t axis = 0; axis < how.rank(); ++axis) {
    if (!reduced[axis]) {
      axes.push_back({output_axis::kind::along, axis});
    } else if (!std::exchange(are_own_there, true)) {
      for (const index_t length : own) axes.push_back({output_axis::kind::own, 0, length});
    }
  }
  std::vector<output> outputs;
  for (const dtype type : types) outputs.push_back({type, axes});
  return outputs;
}

}  // namespace tessera
