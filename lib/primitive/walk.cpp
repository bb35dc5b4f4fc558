// SPDX-License-Identifier: Apache-2.0
#include "tessera/primitive/walk.hpp"

#include <algorithm>

namespace tessera {

chunk_grid walk::tasks() const { return {domain, block}; }

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

index_vector output::shape(const walk& how) const {
  index_vector extents;
  for (const output_axis& each : axes) {
    const bool is_along = each.how == output_axis::kind::along;
    extents.push_back(is_along ? how.domain[each.axis] : how.tasks().num_chunks()[each.axis]);
  }
  return extents;
}

index_vector output::block(const walk& how) const { return part(how.block); }

index_vector output::part(const index_vector& extents) const {
  index_vector made;
  for (const output_axis& each : axes) {
    made.push_back(each.how == output_axis::kind::along ? extents[each.axis] : 1);
  }
  return made;
}

region output::box(const walk& how, const region& box) const {
  region made;
  for (const output_axis& each : axes) {
    if (each.how == output_axis::kind::along) {
      made.start.push_back(box.start[each.axis]);
      made.stop.push_back(box.stop[each.axis]);
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
    const std::size_t axis = axes[k].axis;
    walked.start[axis] = std::max(walked.start[axis], part.start[k]);
    walked.stop[axis] = std::min(walked.stop[axis], part.stop[k]);
  }
  return walked;
}

std::vector<output> kept_axes(const walk& how, const std::vector<dtype>& types, axis_set reduced) {
  std::vector<output_axis> axes;
  for (std::size_t axis = 0; axis < how.rank(); ++axis) {
    if (!reduced[axis]) axes.push_back({output_axis::kind::along, axis});
  }
  std::vector<output> outputs;
  for (const dtype type : types) outputs.push_back({type, axes});
  return outputs;
}

}  // namespace tessera
