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
/// to leg but the index of the shard. A task with several outputs appends to a shard of each; a leg
/// has whole chunks of all of them. Invariant: chunks leave in row-major order of the array, as
/// from a shard that is written at once. A shard with transposed axes has them in another order
/// then, which its index tells.

#include "plan/array_storage.hpp"
#include "plan/buffers.hpp"

#include <algorithm>
#include <cstddef>
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
  if (!op.primitive->may_grow() || op.schedule.ordered.any()) return false;
  for (const output& result : op.outputs) {
    const auto is_of_domain = [](const output_axis& axis) { return axis.is_of_domain(); };
    if (!std::ranges::all_of(result.axes, is_of_domain)) return false;
  }
  loop_schedule schedule = op.schedule;
  schedule.block = clipped(schedule.block, schedule.domain);
  schedule.step = clipped(schedule.step, schedule.domain);
  const task_demand demand = op.primitive->demand(schedule, op.operands.size());
  return std::ranges::none_of(demand.outputs, [](const output_demand& emitted) {
    return emitted.emitted_per == task_scope::step;
  });
}

/// Tells whether a leg can leave its elements of an output: in memory, or as chunks of one shard.
bool takes_legs(const operation& op, std::size_t i, const array_storage& array) {
  if (array.medium == array_storage::kind::memory) return true;
  return !array.streams.chunks.empty() && is_one_chunk(op.outputs[i].block(op.schedule), array);
}

/// An axis of the domain along which tasks may be cut into legs.
struct leg_axis {
  std::size_t axis = 0;
  /// The least extent of a leg: whole chunks of each output.
  index_t unit = 1;
  /// The extent of a task.
  index_t extent = 1;
};

/// Adds the chunks of output `i` to `cut`. Returns false if the output lacks the axis, or if
/// neither its chunks nor the unit are a multiple of each other.
bool add_chunks(leg_axis& cut, const operation& op, std::size_t i, const array_storage& array) {
  const auto& axes = op.outputs[i].axes;
  const auto match = std::ranges::find(axes, cut.axis, &output_axis::axis);
  if (match == axes.end()) return false;
  if (array.streams.chunks.empty()) return true;
  const auto k = static_cast<std::size_t>(match - axes.begin());
  const auto [least, most] = std::minmax({cut.unit, array.streams.chunks[k]});
  if (most % least != 0) return false;
  cut.unit = most;
  cut.extent = std::max(cut.extent, std::min(op.outputs[i].block(op.schedule)[k], array.shape[k]));
  return true;
}

/// Returns the axes that all outputs have, in the order of the first sharded output.
std::vector<leg_axis> leg_axes(const operation& op, const std::vector<array_storage>& outputs) {
  std::vector<leg_axis> axes;
  const auto first = std::ranges::find_if(
      outputs, [](const array_storage& array) { return !array.streams.chunks.empty(); });
  if (first == outputs.end()) return axes;
  const auto number = static_cast<std::size_t>(first - outputs.begin());
  for (const output_axis& axis : op.outputs[number].axes) {
    leg_axis cut{.axis = axis.axis};
    bool is_of_all = true;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      is_of_all = is_of_all && add_chunks(cut, op, i, outputs[i]);
    }
    if (is_of_all) axes.push_back(cut);
  }
  return axes;
}

/// Returns the extents, in the domain of `op`, of the legs in which a task may compute its shards,
/// the largest first; none if it computes all at once.
std::vector<index_vector> legs_of(const operation& op, const std::vector<array_storage>& outputs) {
  std::vector<index_vector> legs;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!takes_legs(op, i, outputs[i])) return legs;
  }
  const std::vector<leg_axis> axes = leg_axes(op, outputs);
  if (axes.empty() || !may_go_in_legs(op)) return legs;
  index_vector leg = op.schedule.block;
  for (const leg_axis& cut : axes) {
    index_t count = ceil_divide(cut.extent, cut.unit);
    leg[cut.axis] = count * cut.unit;
    while (count > 1) {
      count = ceil_divide(count, 2);
      leg[cut.axis] = count * cut.unit;
      legs.push_back(leg);
    }
  }
  return legs;
}

/// Returns the least memory that a task has for its buffers beside an output.
std::size_t room_of(const std::vector<array_storage>& outputs) {
  std::size_t room = static_cast<std::size_t>(-1);
  for (const array_storage& array : outputs) room = std::min(room, array.room);
  return room;
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
  const std::size_t room = room_of(outputs);
  if (best.buffers.peak_bytes() <= room) return best;
  for (const index_vector& leg : legs_of(best.op, outputs)) {
    planned_operation shorter = streamed(best, leg, inputs, outputs);
    if (shorter.buffers.peak_bytes() < best.buffers.peak_bytes()) best = std::move(shorter);
    if (best.buffers.peak_bytes() <= room) break;
  }
  return best;
}

loop_schedule schedule_in_legs(const planned_operation& planned) {
  return planned.leg.empty() ? planned.op.schedule : in_legs(planned.op.schedule, planned.leg);
}

}  // namespace tessera
