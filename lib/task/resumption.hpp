// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Which tasks of a plan an earlier run has left to do.

#include "tessera/plan/planned.hpp"
#include "tessera/scheduler/workload.hpp"

#include "task/block_task.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tessera {

/// Returns a text that tells the state of the results that `plan` stores: which files they have,
/// how long these are and when they were written. Nothing where one of them is not there.
[[nodiscard]] std::optional<std::string> state_of_results(const bounded_plan::implementation& plan);

/// Returns the box of the domain that a task is still to make: its own, or, where an earlier run
/// has written some of the chunks that it makes of its one output, one that holds the others, so
/// that what they have in common is read once; nothing where all are there.
[[nodiscard]] std::optional<region> box_left(const planned_operation& planned,
                                             std::span<const live_array> arrays, index_t task);

/// Returns for each operation of `plan` the tasks that are to be run, in order.
///
/// A task is done if all chunks of its outputs are there in `arrays`, where `sink` is set for
/// what an earlier run has made. An operation whose outputs nobody needs any more, as all that read
/// them are done, has nothing to do; arrays in memory are gone with their process.
/// Complexity: one look into the store for each chunk.
[[nodiscard]] std::vector<std::vector<task_range>> tasks_left(
    const bounded_plan::implementation& plan, std::span<const live_array> arrays);

}  // namespace tessera
