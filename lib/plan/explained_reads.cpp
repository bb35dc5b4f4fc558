// SPDX-License-Identifier: Apache-2.0
#include "plan/explained_reads.hpp"

#include "plan/buffers.hpp"
#include "plan/task_windows.hpp"

#include <algorithm>

namespace tessera {

double needed_through(const planned_window& window, const operation& op,
                      const planned_array& array) {
  std::optional<region> needed_box;
  std::vector<const index_map*> maps;
  for (std::size_t i = 0; i < window.operands.size(); ++i) {
    const index_map& map = op.operands[window.operands[i]];
    if (map.gather() != nullptr) return 0;
    maps.push_back(&map);
    if (window.where[i].empty()) continue;
    const region box = map.image(window.where[i]);
    extend(needed_box, box);
  }
  if (!needed_box) return 0;
  const index_vector extents = intersect(*needed_box, region::whole(array.shape)).shape();
  auto needed = static_cast<double>(array.type.size());
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const index_t extent = std::max<index_t>(0, extents[axis]);
    needed *= static_cast<double>(ceil_divide(extent, spacing_along(axis, maps)));
  }
  return needed;
}

bytes read_in_place(const operation& op, std::size_t i, const std::optional<region>& where,
                    element_type type) {
  const index_vector extents = where ? where->shape() : op.schedule.domain;
  std::size_t size = type.size();
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (op.operands[i].depends_on(axis)) size *= static_cast<std::size_t>(extents[axis]);
  }
  return bytes{size};
}

std::vector<operand_demand> demand_on_operands(const operation& op) {
  loop_schedule schedule = op.schedule;
  schedule.step = clipped(schedule.step, schedule.domain);
  schedule.block = clipped(schedule.block, schedule.domain);
  return op.primitive->demand(schedule, op.operands.size()).operands;
}

}  // namespace tessera
