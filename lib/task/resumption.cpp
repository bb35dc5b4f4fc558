// SPDX-License-Identifier: Apache-2.0
#include "task/resumption.hpp"

#include "tessera/core/error.hpp"

#include "plan/api/needed_tasks.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace tessera {

namespace {

/// Calls `visit` with each chunk that `box` touches.
template <class Visit>
void for_each_chunk(const array_sink& array, const region& box, Visit visit) {
  const region touched = array.write_grid().chunks_touching(box);
  const chunk_grid chunks(touched.shape(), index_vector(touched.shape().size(), 1));
  for (index_t i = 0; i < chunks.size(); ++i) {
    index_vector chunk = chunks.chunk_at(i);
    for (std::size_t axis = 0; axis < chunk.size(); ++axis) chunk[axis] += touched.start[axis];
    visit(chunk);
  }
}

bool has_all_chunks(const array_sink& array, const region& box) {
  bool has_every_chunk = true;
  for_each_chunk(array, box, [&](const index_vector& chunk) {
    has_every_chunk = has_every_chunk && array.has_chunk(chunk);
  });
  return has_every_chunk;
}

/// Tells whether `outputs`, by number, of `box`, a block of `planned`, are stored.
bool has_outputs(const planned_operation& planned, std::span<const live_array> arrays,
                 const region& box, std::span<const std::size_t> outputs) {
  return std::ranges::all_of(outputs, [&](std::size_t i) {
    const auto& sink = arrays[planned.outputs[i].array].sink;
    return sink != nullptr &&
           has_all_chunks(*sink, planned.op.outputs[i].box(planned.op.schedule, box));
  });
}

bool has_all_outputs(const planned_operation& planned, std::span<const live_array> arrays,
                     const region& box) {
  std::vector<std::size_t> outputs(planned.outputs.size());
  std::iota(outputs.begin(), outputs.end(), std::size_t{0});
  return has_outputs(planned, arrays, box, outputs);
}

/// The arrays that a remaining task or the user reads.
class wanted_arrays {
 public:
  explicit wanted_arrays(const bounded_plan::implementation& plan)
      : is_wanted_(plan.arrays.size(), false) {
    for (const std::size_t output : plan.outputs) is_wanted_[output] = true;
  }
  void add_inputs_of(const planned_operation& reader) {
    for (const planned_operand& input : reader.inputs) is_wanted_[input.array] = true;
  }
  [[nodiscard]] bool is_wanted(std::size_t array) const { return is_wanted_[array]; }

 private:
  std::vector<bool> is_wanted_;
};

/// Calls `visit` with each of the tasks in `ranges`.
template <class Visit>
void for_each_task(const std::vector<task_range>& ranges, Visit visit) {
  for (const task_range& range : ranges) {
    for (index_t task = range.first; task < range.last; ++task) visit(task);
  }
}

/// Tells whether the outputs of a task of an operation are complete. `wanted` are the outputs that
/// count, none of which is in memory.
using completeness =
    std::function<bool(std::size_t operation, index_t task, std::span<const std::size_t> wanted)>;

/// Returns the tasks of `needed`, of an operation of `plan`, whose outputs are incomplete.
std::vector<task_range> remaining_tasks_of(const bounded_plan::implementation& plan,
                                           std::size_t operation,
                                           const std::vector<task_range>& needed,
                                           const wanted_arrays& wanted,
                                           std::span<const live_array> arrays,
                                           const completeness& is_complete) {
  const planned_operation& planned = plan.operations[operation];
  std::vector<std::size_t> outputs;
  for (std::size_t i = 0; i < planned.outputs.size(); ++i) {
    const std::size_t array = planned.outputs[i].array;
    if (!wanted.is_wanted(array)) continue;
    // An array in memory is lost with the process of the earlier run.
    if (arrays[array].sink == nullptr) return needed;
    outputs.push_back(i);
  }
  std::vector<task_range> remaining;
  for_each_task(needed, [&](index_t task) {
    if (is_complete(operation, task, outputs)) return;
    if (!remaining.empty() && remaining.back().last == task) {
      ++remaining.back().last;
    } else {
      remaining.push_back({task, task + 1});
    }
  });
  return remaining;
}

// Operations stand before their consumers, so demand is complete when they are visited backwards.
std::vector<std::vector<task_range>> propagate_demand(const bounded_plan::implementation& plan,
                                                      std::span<const live_array> arrays,
                                                      const completeness& is_complete) {
  const wanted_arrays requested(plan);
  wanted_arrays wanted = requested;
  std::vector<std::vector<task_range>> remaining(plan.operations.size());
  std::vector<std::vector<task_range>> needed(plan.operations.size());
  for (std::size_t i = plan.operations.size(); i-- > 0;) {
    const planned_operation& planned = plan.operations[i];
    if (planned.num_tasks == 0) continue;
    const bool is_requested = std::any_of(
        planned.outputs.begin(), planned.outputs.end(),
        [&](const planned_result& output) { return requested.is_wanted(output.array); });
    if (is_requested) needed[i] = {{0, planned.num_tasks}};
    sort_and_join(needed[i]);
    remaining[i] = remaining_tasks_of(plan, i, needed[i], wanted, arrays, is_complete);
    if (remaining[i].empty()) continue;
    wanted.add_inputs_of(planned);
    for (const std::size_t producer : planned.after) {
      for (const task_range& tasks : remaining[i]) {
        const std::vector<task_range> producer_tasks =
            needed_tasks(planned, tasks, plan.operations[producer]);
        needed[producer].insert(needed[producer].end(), producer_tasks.begin(),
                                producer_tasks.end());
      }
    }
  }
  return remaining;
}

}  // namespace

std::optional<region> remaining_box(const planned_operation& planned,
                                    std::span<const live_array> arrays, index_t block) {
  const region box = planned.op.schedule.block_box(block);
  // A task of one block runs only if an output of the block is missing.
  const bool is_one_of_several = planned.op.schedule.blocks_per_task > 1;
  if (is_one_of_several && has_all_outputs(planned, arrays, planned.op.schedule.own_box(block))) {
    return std::nullopt;
  }
  const planned_result& result = planned.outputs.front();
  const bool is_cut =
      result.access == output_access::many_chunks || result.access == output_access::handed_on;
  // A sweep needs the state of the sweeps before it.
  const bool is_ordered = planned.op.schedule.ordered.any();
  if (planned.outputs.size() != 1 || !is_cut || is_ordered) return box;
  const array_sink& output = *arrays[result.array].sink;
  std::optional<region> remaining;
  for_each_chunk(output, planned.op.outputs.front().box(planned.op.schedule, box),
                 [&](const index_vector& chunk) {
                   if (output.has_chunk(chunk)) return;
                   extend(remaining, planned.op.outputs.front().domain_of(
                                         box, output.write_grid().chunk_region(chunk)));
                 });
  // The whole of a folded axis is needed, even if the output has the axis as well.
  const axis_set reduced = planned.op.primitive->reduced();
  for (std::size_t axis = 0; remaining && axis < box.rank(); ++axis) {
    if (!reduced[axis]) continue;
    remaining->start[axis] = box.start[axis];
    remaining->stop[axis] = box.stop[axis];
  }
  return remaining;
}

std::optional<std::string> state_of_results(const bounded_plan::implementation& plan,
                                            std::span<const live_array> arrays) {
  std::string state;
  try {
    for (std::size_t i = 0; i < plan.arrays.size(); ++i) {
      const auto* location = std::get_if<stored_placement>(&plan.arrays[i].placement);
      if (location == nullptr || location->is_intermediate) continue;
      const auto open = arrays[i].sink != nullptr ? arrays[i].sink : location->to->open();
      state += open->state();
    }
  } catch (const error&) {
    return std::nullopt;
  }
  return state;
}

std::vector<std::vector<task_range>> find_remaining_tasks(const bounded_plan::implementation& plan,
                                                          std::span<const live_array> arrays) {
  return propagate_demand(
      plan, arrays, [&](std::size_t operation, index_t task, std::span<const std::size_t> wanted) {
        const planned_operation& planned = plan.operations[operation];
        const loop_schedule& schedule = planned.op.schedule;
        const task_range blocks = schedule.blocks_of({task, task + 1});
        for (index_t block = blocks.first; block < blocks.last; ++block) {
          if (!has_outputs(planned, arrays, schedule.own_box(block), wanted)) return false;
        }
        return true;
      });
}

std::vector<std::vector<task_range>> tasks_of_later_run(const bounded_plan::implementation& plan,
                                                        std::span<const live_array> arrays,
                                                        const ended_predicate& has_ended) {
  return propagate_demand(plan, arrays,
                          [&](std::size_t operation, index_t task, std::span<const std::size_t>) {
                            return has_ended(operation, task);
                          });
}

}  // namespace tessera
