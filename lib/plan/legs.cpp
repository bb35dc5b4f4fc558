// SPDX-License-Identifier: Apache-2.0
/// \file
/// Legs: the parts of a shard that a task computes and appends, one after the other.
///
/// Problem: shards of many public arrays have hundreds of megabytes, more than a task may have.
/// Idea: a task computes a box of whole chunks, appends it to the shard, and goes on with the next:
///
///     shard (6, 4) of chunks (2, 2)     leg (2, 4)      1111     leg (2, 2)     1122
///                                                       2222                    3344
///                                                       3333                    5566
///
/// A leg is a task of its own as far as buffers and reads are concerned; nothing is held from leg
/// to leg but the index of the shard. Invariant: chunks leave in row-major order, as from a shard
/// that is written at once.

#include "plan/array_storage.hpp"
#include "plan/buffers.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// Returns `schedule` with tasks of one leg.
loop_schedule in_legs(loop_schedule schedule, const index_vector& leg) {
  schedule.block = leg;
  for (std::size_t axis = 0; axis < leg.size(); ++axis) {
    schedule.step[axis] = std::min(schedule.step[axis], leg[axis]);
  }
  return schedule;
}

/// Tells whether tasks of `op` may be cut into legs, each of which emits its elements at its end.
bool may_go_in_legs(const operation& op) {
  if (op.outputs.size() != 1 || !op.primitive->may_grow() || op.schedule.ordered.any()) {
    return false;
  }
  const auto& axes = op.outputs.front().axes;
  if (!std::ranges::all_of(axes, [](const output_axis& axis) { return axis.is_of_domain(); })) {
    return false;
  }
  loop_schedule schedule = op.schedule;
  schedule.block = clipped(schedule.block, schedule.domain);
  schedule.step = clipped(schedule.step, schedule.domain);
  const task_demand demand = op.primitive->demand(schedule, op.operands.size());
  return demand.outputs.front().emitted_per != task_scope::step;
}

/// Returns the extents, in the domain of `op`, of the legs in which a task may compute a shard of
/// `output`, the largest first; none if it computes all at once.
std::vector<index_vector> legs_of(const operation& op, const array_storage& output) {
  std::vector<index_vector> legs;
  const index_vector& chunks = output.streams.chunks;
  if (chunks.empty() || !may_go_in_legs(op)) return legs;
  const index_vector block = op.outputs.front().block(op.schedule);
  if (!is_one_chunk(block, output)) return legs;
  index_vector leg = op.schedule.block;
  const auto& axes = op.outputs.front().axes;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    index_t count = ceil_divide(std::min(block[k], output.shape[k]), chunks[k]);
    leg[axes[k].axis] = std::max<index_t>(1, count) * chunks[k];
    while (count > 1) {
      count = ceil_divide(count, 2);
      leg[axes[k].axis] = count * chunks[k];
      legs.push_back(leg);
    }
  }
  return legs;
}

/// Returns `whole` with tasks that compute leg by leg.
planned_operation streamed(const planned_operation& whole, const index_vector& leg,
                           const std::vector<array_storage>& inputs,
                           const std::vector<array_storage>& outputs) {
  operation op = whole.op;
  op.schedule = in_legs(op.schedule, leg);
  planned_operation planned = plan_leg(std::move(op), inputs, outputs);
  planned.op.schedule = whole.op.schedule;
  planned.num_tasks = whole.num_tasks;
  planned.leg = leg;
  return planned;
}

}  // namespace

planned_operation with_buffers(operation op, const std::vector<array_storage>& inputs,
                               const std::vector<array_storage>& outputs) {
  planned_operation best = plan_at_once(std::move(op), inputs, outputs);
  if (outputs.size() != 1 || best.buffers.peak_bytes() <= outputs[0].room) return best;
  for (const index_vector& leg : legs_of(best.op, outputs[0])) {
    planned_operation shorter = streamed(best, leg, inputs, outputs);
    if (shorter.buffers.peak_bytes() < best.buffers.peak_bytes()) best = std::move(shorter);
    if (best.buffers.peak_bytes() <= outputs[0].room) break;
  }
  return best;
}

loop_schedule schedule_in_legs(const planned_operation& planned) {
  return planned.leg.empty() ? planned.op.schedule : in_legs(planned.op.schedule, planned.leg);
}

}  // namespace tessera
