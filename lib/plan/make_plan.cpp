// SPDX-License-Identifier: Apache-2.0
/// \file
/// Makes plans.
///
///     plan_within  run all passes, and place the arrays
///     plan_with    if results leave tasks less memory than passes assumed, run them again
///     make_plan    search among plans (`plan/search.hpp`)
/// Each attempt is a whole plan. Invariant: a program has the same plan each time, unless it fits
/// only with the present memory of the processes.

#include "core/api/host_memory.hpp"
#include "plan/api/needed_tasks.hpp"
#include "plan/api/rings.hpp"
#include "plan/attempts.hpp"
#include "plan/buffers.hpp"
#include "plan/build.hpp"
#include "plan/cost.hpp"
#include "plan/operation_labels.hpp"
#include "plan/overwriting.hpp"
#include "plan/passes/passes.hpp"
#include "plan/search.hpp"
#include "plan/tuning.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// Tells whether all arrays that passes have added for memory are in memory.
bool holds_all_for_memory(const bounded_plan::implementation& plan) {
  return std::none_of(plan.arrays.begin(), plan.arrays.end(), [](const planned_array& array) {
    return array.is_for_memory && !array.is_in_memory();
  });
}

/// Returns a plan whose passes keep tasks to `allowed`. Whether the plan fits is not checked.
bounded_plan::implementation plan_within(const std::vector<plan_output>& outputs,
                                         const spec& limits, const plan_choices& choices,
                                         const plan_workers& workers, bytes allowed,
                                         plan_search& search) {
  const pass_switches& passes = choices.passes;
  // Passes of earlier attempts count as well: they may be the reason for this attempt.
  std::vector<bool pass_switches::*> changed_by;
  const auto attempt = [&](const plan_workers* in_memory, bool may_keep) {
    std::shared_ptr<plan_graph> graph = collect(outputs, choices.materialized);
    graph->graph[boost::graph_bundle].routes = search.routes;
    graph->graph[boost::graph_bundle].installed_memory = search.installed_memory;
    graph->may_keep = may_keep;
    graph->recomputed = choices.recomputed;
    graph->rechunked = choices.rechunked;
    graph->stores_all = !passes.memory_tier;
    graph->changed_by = std::move(changed_by);
    run_passes(*graph, limits_of_passes(limits, workers, allowed), passes, nullptr, in_memory);
    stage_overwriting(*graph, limits);
    graph->origin = plan_origin{.requests = outputs,
                                .choices = choices,
                                .uses_memory = in_memory != nullptr,
                                .allowed_memory = allowed,
                                .attempt = search.attempts.size()};
    search.attempts.push_back({choices, allowed, in_memory != nullptr, may_keep});
    changed_by = graph->changed_by;
    search.priced_pairs += graph->graph[boost::graph_bundle].priced_pairs;
    return place(std::move(graph), limits, workers, passes.memory_tier);
  };
  if (!passes.memory_tier) return attempt(nullptr, false);
  bounded_plan::implementation plan = attempt(&workers, true);
  // If memory holds less than passes assumed, first caching is given up, then all arrays for
  // memory.
  const std::string why = "the host has no room for an array that a pass put into memory";
  if (!holds_all_for_memory(plan) && !plan.graph->kept.empty()) {
    lose(search, plan, why);
    plan = attempt(&workers, false);
  }
  if (holds_all_for_memory(plan)) return plan;
  lose(search, plan, why);
  return attempt(nullptr, false);
}

}  // namespace

plan_cost cost_of(const bounded_plan::implementation& plan, std::size_t num_workers) {
  const costs figures = costs_on(plan.spec, plan.workers);
  plan_cost_sum sum(figures, num_workers);
  for (const planned_operation& planned : plan.operations) {
    std::vector<awaited_tasks> after;
    for (const std::size_t number : planned.after) {
      const std::vector<task_range> needed = needed_tasks(
          planned, {0, std::min<index_t>(1, planned.num_tasks)}, plan.operations[number]);
      after.push_back({number, needed.empty() ? 0 : needed.back().last});
    }
    sum.add(planned, after);
  }
  return sum.total();
}

plan_cost cost_when_planned(const bounded_plan::implementation& plan) {
  return cost_of(plan, limits_of_passes(plan.spec, plan.workers, {}).costs.num_workers());
}

bounded_plan::implementation plan_with(const std::vector<plan_output>& outputs, const spec& limits,
                                       const pass_switches& passes, const plan_workers& workers) {
  plan_search search;
  return plan_with(outputs, limits, {passes}, workers, search);
}

bounded_plan::implementation plan_with(const std::vector<plan_output>& outputs, const spec& limits,
                                       const plan_choices& choices, const plan_workers& workers,
                                       plan_search& search) {
  const pass_switches& passes = choices.passes;
  bytes allowed = choices.allowed_memory.value_or(limits.allowed_memory);
  bounded_plan::implementation plan =
      plan_within(outputs, limits, choices, workers, allowed, search);
  if (!passes.bound_memory) return plan;
  // The memory of libraries beside a task is known only after planning.
  memory_bound bound = bound_of(plan);
  allowed = std::min(allowed, limits.reserved_memory + bound.task);
  for (int attempt = 0; attempt < tuning.most_bounded_attempts && bound.least() > bound.limit;
       ++attempt) {
    const bytes excess = bound.least() - bound.limit;
    if (excess >= allowed) break;
    allowed = allowed - excess;
    bounded_plan::implementation smaller =
        plan_within(outputs, limits, choices, workers, allowed, search);
    bound = bound_of(smaller);
    if (bound.least() > bound.limit) {
      lose(search, smaller, memory_refusal(smaller));
      continue;
    }
    lose(search, plan, memory_refusal(plan));
    const std::vector<bool pass_switches::*>& earlier = plan.graph->changed_by;
    smaller.graph->changed_by.insert(smaller.graph->changed_by.end(), earlier.begin(),
                                     earlier.end());
    return smaller;
  }
  return plan;
}

// The memory of processes differs a little from run to run. It is considered only if the plan does
// not fit otherwise, so that a program has the same plan each time.
bounded_plan::implementation make_plan(const std::vector<plan_output>& outputs, const spec& limits,
                                       const pass_switches& passes, const plan_workers& workers) {
  plan_workers without_processes = workers;
  without_processes.process = {};
  without_processes.worker_process = {};
  plan_search search;
  if (!limits.host_memory) search.installed_memory = host_memory();
  const auto search_for = [&](const plan_workers& present) {
    return find_best_plan(passes, search, [&](const plan_choices& choices) {
      return plan_with(outputs, limits, choices, present, search);
    });
  };
  bounded_plan::implementation best = search_for(without_processes);
  best.workers = workers;
  if (workers.process != bytes{0} && passes.bound_memory && !keeps_to_memory(best)) {
    lose(search, best, memory_refusal(best) + ", with the present memory of the processes");
    best = search_for(workers);
  }
  best.graph->origin->attempts = std::move(search.attempts);
  best.graph->origin->has_moves_left = search.has_moves_left;
  best.graph->graph[boost::graph_bundle].installed_memory.reset();
  add_rings(best);
  add_labels(best);
  return best;
}

}  // namespace tessera
