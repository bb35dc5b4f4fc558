// SPDX-License-Identifier: Apache-2.0
#include "plan/overlap.hpp"

#include "tessera/primitive/primitive.hpp"

#include <algorithm>
#include <vector>

namespace tessera {

std::optional<std::size_t> overlap_axis(const operation& op) {
  const std::optional<carried_state> windows = op.primitive->carries();
  if (!windows || windows->is_reversed || windows->skipped == 0) return std::nullopt;
  const std::size_t axis = windows->axis;
  const axis_set ordered = op.schedule.ordered;
  if (!ordered[axis] || ordered.count() != 1) return std::nullopt;
  if (windows->skipped >= op.schedule.domain[axis]) return std::nullopt;
  const auto follows_windows = [&](const output& result) {
    return std::ranges::any_of(result.axes, [&](const output_axis& along) {
      return along.origin == output_axis::kind::along && along.axis == axis &&
             along.skipped == windows->skipped && along.step == 1;
    });
  };
  const std::vector<output_demand> demands =
      op.primitive->demand(op.schedule, op.operands.size()).outputs;
  const bool leave_in_sweeps = std::ranges::all_of(
      demands, [](const output_demand& demand) { return demand.emitted_per == task_scope::sweep; });
  return leave_in_sweeps && std::ranges::all_of(op.outputs, follows_windows) ? std::optional(axis)
                                                                             : std::nullopt;
}

index_t overlap_of_windows(const operation& op) { return op.primitive->carries()->skipped; }

}  // namespace tessera
