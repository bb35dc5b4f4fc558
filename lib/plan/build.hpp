// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The stages of planning: collect, passes, placement, completion, choice.

#include "tessera/core/spec.hpp"
#include "tessera/plan/bounded_plan.hpp"

#include "plan/api/planned.hpp"
#include "plan/graph.hpp"
#include "plan/passes/trace.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace tessera {

/// Runs the passes that are switched on, and verifies the graph after each of them. Each pass adds
/// an entry to `trace` unless that is null. Passes may add arrays for the memory of `workers`
/// (`planned_array::is_for_memory`) unless that is null.
void run_passes(plan_graph& plan, const spec& limits, const pass_switches& passes,
                pass_trace* trace = nullptr, const plan_workers* workers = nullptr);

/// Returns the costs that plans for `workers` are chosen by: the costs of `limits`, with the ones
/// of the engine for members that `limits` does not set.
[[nodiscard]] costs costs_on(const spec& limits, const plan_workers& workers);

/// Returns the limits of passes: tasks may use `allowed`, and costs count all `workers`.
[[nodiscard]] spec limits_of_passes(spec limits, const plan_workers& workers, bytes allowed);

/// Returns the number of workers that run a plan for `workers`: at least one.
[[nodiscard]] std::size_t num_workers_of(const plan_workers& workers);

/// Returns the plan with exactly `choices`. Its tasks leave room for the results on the host, if
/// any plan does. The caller checks whether it keeps to the memory. Appends all attempts to
/// `search`, and says of each but the returned plan's why it lost.
[[nodiscard]] bounded_plan::implementation plan_with(const std::vector<plan_output>& outputs,
                                                     const spec& limits,
                                                     const plan_choices& choices,
                                                     const plan_workers& workers,
                                                     plan_search& search);

/// As above with `passes`, without a record of the attempts.
[[nodiscard]] bounded_plan::implementation plan_with(const std::vector<plan_output>& outputs,
                                                     const spec& limits,
                                                     const pass_switches& passes,
                                                     const plan_workers& workers);

/// Returns the memory of the largest task of `plan`, the reserved memory included.
[[nodiscard]] bytes task_memory(const bounded_plan::implementation& plan);

/// Returns the plan with `passes`, or with fewer of them if only such a plan keeps to the memory,
/// or has a better merit.
[[nodiscard]] bounded_plan::implementation make_plan(const std::vector<plan_output>& outputs,
                                                     const spec& limits,
                                                     const pass_switches& passes,
                                                     const plan_workers& workers);

/// Returns the cost of `plan` on `num_workers`.
[[nodiscard]] plan_cost cost_of(const bounded_plan::implementation& plan, std::size_t num_workers);

/// Returns the cost of `plan` on the workers of its costs.
[[nodiscard]] plan_cost cost_when_planned(const bounded_plan::implementation& plan);

/// Chooses the placement of each array, and plans the buffers of each operation.
///
/// Without a memory tier, all computed arrays go to storage. With it, results stay in memory, and
/// intermediates do as long as one task of each worker fits beside them.
[[nodiscard]] bounded_plan::implementation place(std::shared_ptr<plan_graph> graph,
                                                 const spec& limits, const plan_workers& workers,
                                                 bool has_memory_tier);

/// Numbers a vertex of the plan's graph.
void number(bounded_plan::implementation& plan, vertex v);

/// Plans the buffers, the label and the predecessors of operation `v`. Requires: all arrays are
/// placed and numbered.
void complete(bounded_plan::implementation& plan, vertex v);

/// Returns the memory of a worker that runs tasks of all `schedules`, one after the other.
[[nodiscard]] bytes memory_of_tasks(const std::vector<const buffer_schedule*>& schedules);

/// Returns the memory of all processes of a host before any data.
[[nodiscard]] bytes reserved_on_host(const spec& limits, const plan_workers& workers);

/// Returns the limit of the memory in use on a host: the host memory of `limits`, else the memory
/// of the processes before any data, the rest of the allowed memory for each worker, and `results`,
/// at most the installed memory. A worker uses `task` for its tasks. `installed` is the installed
/// memory; it is read if that is not set and needed.
[[nodiscard]] bytes host_limit(const spec& limits, const plan_workers& workers, bytes task,
                               bytes results, std::optional<bytes> installed);

/// Returns the sum of the parts of `bound`, without its limit.
[[nodiscard]] bytes sum_of_parts(const memory_bound& bound);

/// Returns the memory bound of a plan on its workers.
[[nodiscard]] memory_bound bound_of(const bounded_plan::implementation& plan);

}  // namespace tessera
