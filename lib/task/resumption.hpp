// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The tasks of a plan that an earlier run has left.

#include "tessera/scheduler/workload.hpp"

#include "plan/api/planned.hpp"
#include "task/block_task.hpp"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tessera {

/// Tells whether a stored result of `plan` is far away: independent requests are in flight at once.
[[nodiscard]] bool has_far_result(const bounded_plan::implementation& plan);

/// Returns the state of the stored results of `plan`: the names, lengths and times of their files.
/// Returns nullopt if a result is missing. Results that are open in `arrays` are not opened again.
[[nodiscard]] std::optional<std::string> state_of_results(const bounded_plan::implementation& plan,
                                                          std::span<const live_array> arrays);

/// Returns the box of the domain that a task has still to compute of block number `block`, or
/// nullopt if nothing is left.
///
/// Of one output in several chunks it computes the hull of the missing chunks, so that operands
/// that they share are read once. Of other outputs it computes the whole block.
[[nodiscard]] std::optional<region> remaining_box(const planned_operation& planned,
                                                  std::span<const live_array> arrays,
                                                  index_t block);

/// Returns, for each operation of `plan`, the tasks to run, in order.
///
/// A task is done if all chunks of its wanted outputs exist. `sink` is set for arrays of an earlier
/// run; arrays in memory are lost with their process. Demand is propagated from the outputs of the
/// plan to its inputs: an operation whose consumers are done has no tasks.
///
///     x -> [a: 4 tasks] -> [b: 4 tasks] -> result     chunks 0, 1 of result exist
///          tasks of b: 2, 3;    tasks of a: those that tasks 2, 3 of b read
///
/// Complexity: one request to the store for each chunk.
/// Reference: liveness analysis, backwards over a basic block; Make's rule for targets.
[[nodiscard]] std::vector<std::vector<task_range>> find_remaining_tasks(
    const bounded_plan::implementation& plan, std::span<const live_array> arrays);

/// Tells whether a task has ended.
using ended_predicate = std::function<bool(std::size_t operation, index_t task)>;

/// Returns the tasks that a later run finds remaining if this process ends now: `arrays` are those
/// of a run of which the tasks that `has_ended` tells have ended. Asks no store.
[[nodiscard]] std::vector<std::vector<task_range>> tasks_of_later_run(
    const bounded_plan::implementation& plan, std::span<const live_array> arrays,
    const ended_predicate& has_ended);

}  // namespace tessera
