// SPDX-License-Identifier: Apache-2.0
#include "plan/parts.hpp"

namespace tessera {

const distribution* parts_of(const planned_array& array) {
  const auto* memory = std::get_if<memory_source>(&array.placement);
  return memory == nullptr ? nullptr : memory->parts.get();
}

bool keeps_to_chunks(const operation& op, std::size_t i, const chunk_grid& grid) {
  const index_map& map = op.operands[i];
  if (map.gather() != nullptr) return false;
  // The pieces of an assembly may reach beyond their operands.
  if (!region::whole(grid.shape()).contains(map.image(region::whole(op.schedule.domain))))
    return false;
  for (std::size_t axis = 0; axis < grid.rank(); ++axis) {
    const axis_map& m = map[axis];
    if (m.terms().empty() || grid.num_chunks()[axis] == 1) continue;
    const axis_term* const term = m.only_term();
    const bool is_aligned = term != nullptr && term->step == 1 && m.offset == 0;
    if (!is_aligned || grid.chunks()[axis] % op.schedule.block[term->axis] != 0) return false;
  }
  return true;
}

}  // namespace tessera
