// SPDX-License-Identifier: Apache-2.0
#include "plan/passes/cut_operation.hpp"

#include "plan/tuning.hpp"
#include "primitive/api/build.hpp"

#include <numeric>

namespace tessera {

namespace {

/// Returns the number of elements of all operands that a task of `op` reads.
double count_elements_of_task(const operation& op) {
  const region first{index_vector(op.schedule.rank()),
                     clipped(op.schedule.block, op.schedule.domain)};
  double elements = 0;
  for (const index_map& map : op.operands) {
    elements += static_cast<double>(num_elements(map.image(first).shape()));
  }
  return elements;
}

}  // namespace

bool is_cut_for_memory(const operation& op) {
  return !op.primitive->may_shrink() &&
         (op.schedule.ordered.any() || !op.primitive->in_stages().empty());
}

index_vector units_of(const operation& op) {
  index_vector units(op.schedule.rank(), 1);
  for (const output& output : op.outputs) {
    for (const output_axis& along : output.axes) {
      if (along.origin != output_axis::kind::along) continue;
      units[along.axis] = std::lcm(units[along.axis], along.step);
    }
  }
  const index_vector tile = tile_of(*op.primitive, units.size());
  for (std::size_t axis = 0; axis < units.size(); ++axis) {
    if (tile[axis] > 0) units[axis] = std::lcm(units[axis], tile[axis]);
  }
  return units;
}

bool is_worth(const cut_operation& cut, const cut_operation& from) {
  const auto elements_of_all = [](const cut_operation& cut) {
    return count_elements_of_task(cut.op) * static_cast<double>(cut.planned.num_tasks);
  };
  if (elements_of_all(cut) <= tuning.most_recomputed_by_cut * elements_of_all(from)) return true;
  if (cut.planned.num_tasks <= tuning.few_cut_tasks) return true;
  double elements = 1;
  for (const index_t extent : clipped(cut.op.schedule.block, cut.op.schedule.domain)) {
    elements *= static_cast<double>(extent);
  }
  return elements >= tuning.most_computed_by_cut * count_elements_of_task(cut.op);
}

}  // namespace tessera
