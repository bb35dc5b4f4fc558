// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The steps from nodes to a plan, in their order.

#include "tessera/core/spec.hpp"
#include "tessera/plan/bounded_plan.hpp"
#include "tessera/plan/planned.hpp"

#include "plan/graph.hpp"
#include "plan/passes/trace.hpp"

#include <memory>
#include <vector>

namespace tessera {

/// Runs the passes that are switched on. After each the graph is verified, and where there is a
/// `trace` it gets an entry. What they put between operations for `workers` to hold in memory is
/// `planned_array::is_for_memory`; for null there is no such thing.
void run_passes(plan_graph& plan, const spec& limits, const pass_switches& passes,
                pass_trace* trace = nullptr, const plan_workers* workers = nullptr);

/// Returns what passes keep to that plan for `workers`, where tasks may take `allowed`.
[[nodiscard]] spec limits_of_passes(spec limits, const plan_workers& workers, bytes allowed);

/// Returns how many workers run a plan that was made for these: at least one.
[[nodiscard]] std::size_t num_workers_of(const plan_workers& workers);

/// Returns the plan that `passes` make, whose tasks are no larger than results leave room for on
/// the host, where there is one. Nobody has asked whether it keeps to the memory.
[[nodiscard]] bounded_plan::implementation plan_with(const std::vector<plan_output>& outputs,
                                                     const spec& limits,
                                                     const pass_switches& passes,
                                                     const plan_workers& workers);

/// Returns what the largest task of `plan` uses, the reserved memory counted.
[[nodiscard]] bytes task_memory(const bounded_plan::implementation& plan);

/// Returns the plan of `passes`; of fewer of them where only that keeps to the memory, or where a
/// run takes seconds, as long as leaving out one makes a plan of less merit: so none of those that
/// are left makes it worse.
[[nodiscard]] bounded_plan::implementation make_plan(const std::vector<plan_output>& outputs,
                                                     const spec& limits,
                                                     const pass_switches& passes,
                                                     const plan_workers& workers);

/// Returns what `plan` costs on `num_workers`.
[[nodiscard]] plan_cost cost_of(const bounded_plan::implementation& plan, std::size_t num_workers);

/// Returns what `plan` costs on those workers that its figures are for.
[[nodiscard]] plan_cost cost_when_planned(const bounded_plan::implementation& plan);

/// Chooses the place of each array and works out the buffers of each operation. Without a memory
/// tier everything that is computed goes to storage; with one, results stay in memory, and those
/// intermediates that leave room for a task of each worker.
[[nodiscard]] bounded_plan::implementation place(std::shared_ptr<plan_graph> graph,
                                                 const spec& limits, const plan_workers& workers,
                                                 bool has_memory_tier);

/// Gives a vertex of the plan's graph the next number.
void number(bounded_plan::implementation& plan, vertex v);

/// Works out what the tasks of operation `v` need, its label, and what it comes after. All arrays
/// have their places, and what it reads and makes its number.
void complete(bounded_plan::implementation& plan, vertex v);

/// Returns what a worker uses for tasks of all these schedules, one after the other.
[[nodiscard]] bytes memory_of_tasks(const std::vector<const buffer_schedule*>& schedules);

/// Returns what all processes of a host use before any data.
[[nodiscard]] bytes reserved_on_host(const spec& limits, const plan_workers& workers);

/// Returns the limit for all that runs at once on a host: what `limits` say, else workers x allowed
/// memory and what results take, at most what this host has. A worker uses `task` for its tasks.
[[nodiscard]] bytes host_limit(const spec& limits, const plan_workers& workers, bytes task,
                               bytes results);

/// Returns the sum of the parts of `bound`, whatever its limit.
[[nodiscard]] bytes sum_of_parts(const memory_bound& bound);

/// Returns what all that runs at once holds at most.
[[nodiscard]] memory_bound bound_of(const bounded_plan::implementation& plan);

}  // namespace tessera
