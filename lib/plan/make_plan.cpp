// SPDX-License-Identifier: Apache-2.0
/// \file
/// Makes plans, and chooses among plans that leave out some of the passes.
///
/// A pass improves the plan by its own cost model, but may worsen it for later passes: a fused
/// operation has fewer tasks, or needs more memory. Two searches run over the choices of a plan.
///     plan_with          run all passes; if results leave tasks less memory, run them again
///     find_plan_that_fits  if the plan needs too much memory: leave out single passes, then more
///                        and more of them, then restore each one that is not to blame; then
///                        let passes assume less memory
///     improve_plan       recompute arrays, leave out passes, and materialize arrays, if the merit
///                        gets better
/// Each attempt is a whole plan. Plans of many operations, or of short runs, are not searched.
/// Invariant: no pass that is left on makes the plan worse by its merit. A program has the same
/// plan each time, unless it fits only with the present memory of the processes.

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
#include "plan/tuning.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {

namespace {

/// Tells whether all arrays that passes have added for memory are in memory.
bool holds_all_for_memory(const bounded_plan::implementation& plan) {
  return std::none_of(plan.arrays.begin(), plan.arrays.end(), [](const planned_array& array) {
    return array.is_for_memory && !std::holds_alternative<memory_placement>(array.placement);
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

using pass_list = std::vector<bool pass_switches::*>;

/// Returns the rows of passes that are left out if a plan needs too much memory, in their turn.
std::vector<named_pass> passes_by_turn() {
  std::vector<named_pass> passes;
  std::ranges::copy_if(
      all_passes, std::back_inserter(passes),
      [](const pass_choice& choice) { return choice.turn_to_go > 0; }, &named_pass::choice);
  std::ranges::stable_sort(passes, {},
                           [](const named_pass& pass) { return pass.choice.turn_to_go; });
  return passes;
}

/// Returns the lists of passes to leave out of `refused`, in order: each alone, then more and more
/// of them. Very many operations take long to plan: they get one list.
std::vector<pass_list> list_reductions(const bounded_plan::implementation& refused) {
  pass_list changed;
  const bool are_many = refused.graph->asked.steps.size() > tuning.most_replanned;
  for (const named_pass& pass : passes_by_turn()) {
    if (are_many && !pass.choice.may_need_memory) continue;
    if (has_changed(refused, pass.is_on)) changed.push_back(pass.is_on);
  }
  if (changed.empty()) return {};
  if (are_many) return {changed};
  std::vector<pass_list> reductions;
  for (bool pass_switches::*const pass : changed) reductions.push_back({pass});
  for (auto last = changed.begin() + 1; last != changed.end(); ++last) {
    reductions.emplace_back(changed.begin(), last + 1);
  }
  return reductions;
}

/// Returns a plan that keeps to the memory without as few passes as possible, or nullopt if there
/// is none.
std::optional<bounded_plan::implementation> find_plan_that_fits(
    const bounded_plan::implementation& refused, plan_search& search, const plan_maker& plan_of) {
  for (const pass_list& reduction : list_reductions(refused)) {
    plan_choices fewer = refused.graph->origin->choices;
    for (bool pass_switches::*const pass : reduction) fewer.passes.*pass = false;
    bounded_plan::implementation plan = plan_of(fewer);
    if (!keeps_to_memory(plan)) {
      lose(search, plan, memory_refusal(plan));
      continue;
    }
    pass_list left_out;
    for (bool pass_switches::*const pass : reduction) {
      left_out.push_back(pass);
      if (reduction.size() == 1) break;
      plan_choices restored = fewer;
      restored.passes.*pass = true;
      bounded_plan::implementation alternative = plan_of(restored);
      if (!keeps_to_memory(alternative)) {
        lose(search, alternative, memory_refusal(alternative));
        continue;
      }
      lose(search, plan, "a plan with one pass more keeps to the memory, too");
      left_out.pop_back();
      fewer = restored;
      plan = std::move(alternative);
    }
    const plan_cost with = cost_when_planned(refused);
    const plan_cost without = cost_when_planned(plan);
    for (bool pass_switches::*const pass : left_out) {
      plan.graph->origin->left_out.push_back({pass, with, without, true});
    }
    return plan;
  }
  return std::nullopt;
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
  bytes allowed = limits.allowed_memory;
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
    const pass_list& earlier = plan.graph->changed_by;
    smaller.graph->changed_by.insert(smaller.graph->changed_by.end(), earlier.begin(),
                                     earlier.end());
    return smaller;
  }
  return plan;
}

namespace {

/// Returns a plan with all arrays between operations in storage, or nullopt if it does not keep to
/// the memory. Such plans cut blocks for the codecs of the arrays that they read.
std::optional<bounded_plan::implementation> find_plan_in_storage(
    const bounded_plan::implementation& refused, plan_search& search, const plan_maker& plan_of) {
  plan_choices choices = refused.graph->origin->choices;
  if (!choices.passes.memory_tier) return std::nullopt;
  choices.passes.memory_tier = false;
  bounded_plan::implementation plan = plan_of(choices);
  if (keeps_to_memory(plan)) return plan;
  lose(search, plan, memory_refusal(plan));
  return std::nullopt;
}

/// Returns a plan with passes that keep tasks below the allowed memory by the excess of the tasks
/// of `refused`, or nullopt if it does not keep to the memory. Passes assume that an array between
/// operations is in memory: if it is in storage instead, its chunks and codec need more.
std::optional<bounded_plan::implementation> find_plan_of_smaller_tasks(
    const std::vector<plan_output>& outputs, const spec& limits,
    const bounded_plan::implementation& refused, const plan_workers& workers, plan_search& search) {
  if (refused.graph->asked.steps.size() > tuning.most_replanned) return std::nullopt;
  const plan_choices choices = refused.graph->origin->choices;
  bytes allowed = limits.allowed_memory;
  bytes task = task_memory(refused);
  for (int attempt = 0; attempt < tuning.most_bounded_attempts && task > limits.allowed_memory;
       ++attempt) {
    const bytes excess = task - limits.allowed_memory;
    if (excess >= allowed) break;
    allowed = allowed - excess;
    bounded_plan::implementation plan =
        plan_within(outputs, limits, choices, workers, allowed, search);
    if (keeps_to_memory(plan)) return plan;
    lose(search, plan, memory_refusal(plan));
    task = task_memory(plan);
  }
  return std::nullopt;
}

/// Returns the plan with the best (least) merit that keeps to the memory, if there is one.
bounded_plan::implementation best_plan(const std::vector<plan_output>& outputs, const spec& limits,
                                       const pass_switches& passes, const plan_workers& workers,
                                       plan_search& search) {
  const plan_maker plan_of = [&](const plan_choices& choices) {
    return plan_with(outputs, limits, choices, workers, search);
  };
  bounded_plan::implementation best = plan_of({passes});
  if (passes.bound_memory && !keeps_to_memory(best)) {
    auto alternative = find_plan_that_fits(best, search, plan_of);
    if (!alternative) alternative = find_plan_in_storage(best, search, plan_of);
    if (!alternative) {
      alternative = find_plan_of_smaller_tasks(outputs, limits, best, workers, search);
    }
    if (!alternative) return best;
    lose(search, best, memory_refusal(best));
    best = *std::move(alternative);
  }
  if (best.graph->asked.steps.size() > tuning.most_replanned) return best;
  return improve_plan(std::move(best), search, plan_of);
}

}  // namespace

// The memory of processes differs a little from run to run. It is considered only if the plan does
// not fit otherwise, so that a program has the same plan each time.
bounded_plan::implementation make_plan(const std::vector<plan_output>& outputs, const spec& limits,
                                       const pass_switches& passes, const plan_workers& workers) {
  plan_workers without_processes = workers;
  without_processes.process = {};
  without_processes.worker_process = {};
  plan_search search;
  if (!limits.host_memory) search.installed_memory = host_memory();
  bounded_plan::implementation best = best_plan(outputs, limits, passes, without_processes, search);
  best.workers = workers;
  if (workers.process != bytes{0} && passes.bound_memory && !keeps_to_memory(best)) {
    lose(search, best, memory_refusal(best) + ", with the present memory of the processes");
    best = best_plan(outputs, limits, passes, workers, search);
  }
  best.graph->origin->attempts = std::move(search.attempts);
  best.graph->graph[boost::graph_bundle].installed_memory.reset();
  add_rings(best);
  add_labels(best);
  return best;
}

}  // namespace tessera
