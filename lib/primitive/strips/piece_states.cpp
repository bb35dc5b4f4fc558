// SPDX-License-Identifier: Apache-2.0
#include "primitive/strips/piece_states.hpp"

#include <algorithm>
#include <cstddef>

namespace tessera {

std::vector<block_states> states_at(std::span<const block_states> states, const region& leg,
                                    const region& box, std::span<const index_t> strides) {
  index_t first = 0;
  for (std::size_t axis = 0; axis < box.rank(); ++axis) {
    first += (box.start[axis] - leg.start[axis]) * strides[axis];
  }
  std::vector<block_states> moved(states.begin(), states.end());
  for (block_states& state : moved) {
    for (std::size_t plane = 0; plane < state.planes.size(); ++plane) {
      state.planes[plane] +=
          first * state.cells * static_cast<index_t>(size_of(state.kernel->planes[plane]));
    }
  }
  return moved;
}

index_t taken_in_pieces::take(const region& box) {
  index_vector kept = box.start;
  index_t count = 1;
  for (std::size_t axis = 0; axis < kept.size(); ++axis) {
    if (!reduced_[axis]) continue;
    kept[axis] = 0;
    count *= box.stop[axis] - box.start[axis];
  }
  const auto found = std::find_if(taken_.begin(), taken_.end(),
                                  [&](const auto& each) { return each.first == kept; });
  if (found != taken_.end()) return std::exchange(found->second, found->second + count);
  taken_.emplace_back(kept, count);
  return 0;
}

}  // namespace tessera
