// SPDX-License-Identifier: Apache-2.0
#include "plan/passes/whole_chunks.hpp"

#include "plan/buffers.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

bool holds_whole_chunks(const index_vector& extents, const index_vector& shape,
                        const index_vector& chunks) {
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] < shape[axis] && extents[axis] % chunks[axis] != 0) return false;
  }
  return true;
}

bool steps_hold_whole_chunks(const walk& how, axis_set reduced, const planned_array& made) {
  index_vector step = how.block;
  for (std::size_t axis = 0; axis < step.size(); ++axis) {
    if (reduced[axis]) step[axis] = how.stream[axis];
  }
  return holds_whole_chunks(step, made.shape, made.chunks);
}

index_vector taken_at_once(const operation& what, std::size_t i, const planned_array& array) {
  index_vector extents = clipped(what.how.block, what.how.domain);
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (what.body->reduced()[axis]) extents[axis] = std::min(extents[axis], what.how.stream[axis]);
  }
  const region first{index_vector(what.how.rank()), std::move(extents)};
  return clipped(what.operands[i].image(first).shape(), array.shape);
}

}  // namespace tessera
