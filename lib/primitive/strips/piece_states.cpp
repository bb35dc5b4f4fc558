// SPDX-License-Identifier: Apache-2.0
#include "primitive/strips/piece_states.hpp"

#include "core/api/itemsize.hpp"

#include <algorithm>
#include <cstddef>

namespace tessera {

std::vector<block_states> offset_states(std::span<const block_states> states, const region& sweep,
                                        const region& box, std::span<const index_t> strides) {
  index_t first = 0;
  for (std::size_t axis = 0; axis < box.rank(); ++axis) {
    first += (box.start[axis] - sweep.start[axis]) * strides[axis];
  }
  std::vector<block_states> result(states.begin(), states.end());
  for (block_states& state : result) {
    for (std::size_t field = 0; field < state.state_fields.size(); ++field) {
      state.state_fields[field] +=
          first * state.state_length * itemsize_of(state.kernel->state_fields[field]);
    }
  }
  return result;
}

index_t piece_counts::add_box(const region& box) {
  index_vector kept = box.start;
  index_t count = 1;
  for (std::size_t axis = 0; axis < kept.size(); ++axis) {
    if (!reduced_[axis]) continue;
    kept[axis] = 0;
    count *= box.stop[axis] - box.start[axis];
  }
  const auto match = std::find_if(counts_.begin(), counts_.end(),
                                  [&](const auto& entry) { return entry.first == kept; });
  if (match != counts_.end()) return std::exchange(match->second, match->second + count);
  counts_.emplace_back(kept, count);
  return 0;
}

}  // namespace tessera
