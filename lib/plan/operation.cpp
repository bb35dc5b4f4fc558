// SPDX-License-Identifier: Apache-2.0
#include "tessera/plan/operation.hpp"

#include <algorithm>

namespace tessera {

namespace {

bool is_partial(const operation& what) {
  const auto* fold = std::get_if<fold_body>(&what.body);
  return fold != nullptr && fold->phase == fold_phase::partial;
}

}  // namespace

chunk_grid operation::tasks() const {
  index_vector extents = domain;
  // A fold over nothing still has a result, so it still has a task.
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (reduced[axis]) extents[axis] = std::max<index_t>(1, extents[axis]);
  }
  return {extents, block};
}

region operation::task_box(index_t task) const {
  const chunk_grid grid = tasks();
  return intersect(grid.chunk_region(grid.chunk_at(task)), region::whole(domain));
}

index_vector operation::output_shape() const {
  const bool keeps_axes = is_partial(*this);
  index_vector extents;
  for (std::size_t axis = 0; axis < domain.size(); ++axis) {
    if (!reduced[axis]) {
      extents.push_back(domain[axis]);
    } else if (keeps_axes) {
      extents.push_back(tasks().num_chunks()[axis]);
    }
  }
  return extents;
}

index_vector operation::output_chunks() const {
  const bool keeps_axes = is_partial(*this);
  index_vector extents;
  for (std::size_t axis = 0; axis < domain.size(); ++axis) {
    if (!reduced[axis]) {
      extents.push_back(block[axis]);
    } else if (keeps_axes) {
      extents.push_back(1);
    }
  }
  return extents;
}

region operation::output_region(const region& box) const {
  const bool keeps_axes = is_partial(*this);
  region made;
  for (std::size_t axis = 0; axis < domain.size(); ++axis) {
    if (!reduced[axis]) {
      made.start.push_back(box.start[axis]);
      made.stop.push_back(box.stop[axis]);
    } else if (keeps_axes) {
      made.start.push_back(box.start[axis] / block[axis]);
      made.stop.push_back(made.start.back() + 1);
    }
  }
  return made;
}

}  // namespace tessera
