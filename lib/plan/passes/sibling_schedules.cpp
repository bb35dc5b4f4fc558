// SPDX-License-Identifier: Apache-2.0
#include "plan/passes/sibling_schedules.hpp"

#include "plan/cost.hpp"
#include "plan/passes/candidate.hpp"
#include "plan/passes/passes.hpp"
#include "plan/passes/whole_chunks.hpp"

#include <algorithm>
#include <vector>

namespace tessera {

namespace {

constexpr const char* different_blocks = "{op} and {partner} have different blocks";
constexpr const char* different_steps = "{op} and {partner} have different steps";

/// Returns a refusal if `map`, which reduces no axis, cannot follow the schedule of `fold`.
reason check_map_along_fold(const array_graph& graph, vertex fold, vertex map,
                            std::size_t num_workers) {
  const operation& leader = operation_at(graph, fold);
  const operation& second = operation_at(graph, map);
  if (reads_distributed(graph, fold)) {
    return "an input of {op} or {partner} lies in the memory of several processes";
  }
  for (const vertex output : outputs_of(graph, map)) {
    const planned_array& array = array_at(graph, output);
    if (array.shape != leader.schedule.domain) return different_blocks;
    if (!steps_hold_whole_chunks(leader, array)) {
      return "steps of the fold among {op} and {partner} would cut output chunks of the other one";
    }
  }
  const index_t wanted =
      std::min(second.schedule.blocks().size(), worthwhile_tasks(second, num_workers));
  const index_t num_tasks = tasks_when_split(leader);
  return 2 * num_tasks < wanted ? fewer_workers_busy(num_tasks, wanted) : nullptr;
}

/// Tells whether the states of all folds of `op` can be merged, so that `split_folds` may cut them.
bool has_mergeable_states(const operation& op) {
  const std::vector<two_stages> folds = op.primitive->in_stages();
  return std::all_of(folds.begin(), folds.end(),
                     [](const two_stages& fold) { return !fold.leaf.empty(); }) &&
         !folds.empty();
}

/// Returns the length of a step of `schedule` along `axis`.
index_t step_along(std::size_t axis, const loop_schedule& schedule) {
  return std::min(schedule.step[axis], std::max<index_t>(1, schedule.domain[axis]));
}

/// Tells whether both schedules have the same blocks along `axis`.
bool have_same_blocks(std::size_t axis, const loop_schedule& first, const loop_schedule& second) {
  return first.block[axis] == second.block[axis] ||
         std::min(first.block[axis], second.block[axis]) >= first.domain[axis];
}

/// Returns a refusal if two folds over different axes cannot share a schedule.
reason check_fold_pair(const array_graph& graph, vertex a, vertex b) {
  const operation& first = operation_at(graph, a);
  const operation& second = operation_at(graph, b);
  if (!has_mergeable_states(first) || !has_mergeable_states(second))
    return "the states of {op} or of {partner} cannot be merged";
  if (first.schedule.ordered != second.schedule.ordered) return different_steps;
  for (std::size_t axis = 0; axis < first.schedule.rank(); ++axis) {
    const bool folds = first.primitive->reduced()[axis];
    if (folds != second.primitive->reduced()[axis]) continue;
    if (!folds && !have_same_blocks(axis, first.schedule, second.schedule)) return different_blocks;
    // Equal steps keep the order of additions, and with it the bits.
    if (folds && step_along(axis, first.schedule) != step_along(axis, second.schedule)) {
      return different_steps;
    }
  }
  return nullptr;
}

}  // namespace

bool reduce_different_axes(const operation& first, const operation& second) {
  return first.primitive->reduced().any() && second.primitive->reduced().any() &&
         first.primitive->reduced() != second.primitive->reduced();
}

loop_schedule common_schedule(const operation& first, const operation& second) {
  if (!first.primitive->reduced().any()) return second.schedule;
  loop_schedule schedule = first.schedule;
  for (std::size_t axis = 0; axis < schedule.rank(); ++axis) {
    if (first.primitive->reduced()[axis] || !second.primitive->reduced()[axis]) continue;
    schedule.block[axis] = std::max<index_t>(1, schedule.domain[axis]);
    schedule.step[axis] = step_along(axis, second.schedule);
  }
  return schedule;
}

reason check_schedules(const array_graph& graph, vertex a, vertex b, std::size_t num_workers) {
  const operation& first = operation_at(graph, a);
  const operation& second = operation_at(graph, b);
  if (first.schedule == second.schedule) return nullptr;
  if (!first.primitive->reduced().any() && !second.primitive->reduced().any()) {
    return different_blocks;
  }
  if (!second.primitive->reduced().any()) return check_map_along_fold(graph, a, b, num_workers);
  return first.primitive->reduced().any() ? check_fold_pair(graph, a, b)
                                          : check_map_along_fold(graph, b, a, num_workers);
}

}  // namespace tessera
