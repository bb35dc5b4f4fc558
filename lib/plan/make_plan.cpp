// SPDX-License-Identifier: Apache-2.0
/// \file
/// Makes plans, and chooses among plans that leave out some of the passes.
///
/// A pass improves the plan by its own price, but may spoil it for later passes: a fused operation
/// has fewer tasks, or needs more memory. Two searches run over the switches of passes.
///     plan_with          run all passes; if results leave tasks less memory, run them again
///     find_plan_that_fits  if the plan needs too much memory: leave out single passes, then more
///                        and more of them, then restore each one that is not to blame
///     best_plan          leave out passes one by one, as long as the merit gets better
/// Each attempt is a whole plan. Plans of many operations, or of short runs, are not searched.
/// Invariant: no pass that is left on makes the plan worse by its merit. A program has the same
/// plan each time, unless it fits only with the present memory of the processes.

#include "tessera/plan/needed_tasks.hpp"

#include "plan/buffers.hpp"
#include "plan/build.hpp"
#include "plan/cost.hpp"
#include "plan/passes/fold_runs.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {

namespace {

/// A pass without which a plan may be better: its rewrites may leave workers idle, or keep later
/// passes from better ones.
struct optional_pass {
  bool pass_switches::*is_on;
  /// The share of the merit that its rewrites are worth in other ways.
  double worth = 1e-9;
};

/// Splitting folds is worth more than its merit: many tasks show progress, and resume in small
/// steps.
constexpr std::array optional_passes{optional_pass{&pass_switches::crop},
                                     optional_pass{&pass_switches::fuse_producers},
                                     optional_pass{&pass_switches::fuse_siblings},
                                     optional_pass{&pass_switches::duplicate},
                                     optional_pass{&pass_switches::keep},
                                     optional_pass{&pass_switches::split_folds, least_gain},
                                     optional_pass{&pass_switches::cut_scans},
                                     optional_pass{&pass_switches::fuse_epilogues},
                                     optional_pass{&pass_switches::cut_blocks},
                                     optional_pass{&pass_switches::size_blocks},
                                     optional_pass{&pass_switches::fuse_levels},
                                     optional_pass{&pass_switches::stage_rechunks}};

/// Plans of more requested operations are not searched, as each attempt takes long.
constexpr std::size_t most_replanned = 200;

/// Plans with shorter runs are not searched, as no gain would pay for the attempts.
constexpr costs::seconds least_replanned{1};

/// Tells whether all arrays that passes have added for memory are in memory.
bool holds_all_for_memory(const bounded_plan::implementation& plan) {
  return std::none_of(plan.arrays.begin(), plan.arrays.end(), [](const planned_array& array) {
    return array.is_for_memory && !std::holds_alternative<memory_place>(array.place);
  });
}

/// Returns a plan whose passes keep tasks to `allowed`. Whether the plan fits is not checked.
bounded_plan::implementation plan_within(const std::vector<plan_output>& outputs,
                                         const spec& limits, const pass_switches& passes,
                                         const plan_workers& workers, bytes allowed) {
  // Passes of earlier attempts count as well: they may be the reason for this attempt.
  std::vector<bool pass_switches::*> changed_by;
  const auto plan_attempt = [&](const plan_workers* in_memory, bool may_keep) {
    std::shared_ptr<plan_graph> graph = collect(outputs);
    graph->may_keep = may_keep;
    graph->changed_by = std::move(changed_by);
    run_passes(*graph, limits_of_passes(limits, workers, allowed), passes, nullptr, in_memory);
    graph->origin = plan_origin{outputs, passes, in_memory != nullptr, allowed};
    changed_by = graph->changed_by;
    return place(std::move(graph), limits, workers, passes.memory_tier);
  };
  if (!passes.memory_tier) return plan_attempt(nullptr, false);
  bounded_plan::implementation plan = plan_attempt(&workers, true);
  // If memory holds less than passes assumed, first caching is given up, then all arrays for
  // memory.
  if (!holds_all_for_memory(plan) && !plan.graph->kept.empty())
    plan = plan_attempt(&workers, false);
  return holds_all_for_memory(plan) ? plan : plan_attempt(nullptr, false);
}

bool keeps_to_memory(const bounded_plan::implementation& plan) {
  const memory_bound bound = bound_of(plan);
  return task_memory(plan) <= plan.spec.allowed_memory && bound.least() <= bound.limit;
}

bool has_changed(const bounded_plan::implementation& plan, bool pass_switches::*pass) {
  const std::vector<bool pass_switches::*>& changed_by = plan.graph->changed_by;
  return std::ranges::find(changed_by, pass) != changed_by.end();
}

using pass_list = std::vector<bool pass_switches::*>;

/// The passes in the order in which they are left out if a plan needs too much memory.
constexpr std::array by_memory_need{
    &pass_switches::keep,           &pass_switches::duplicate,      &pass_switches::fuse_siblings,
    &pass_switches::fuse_levels,    &pass_switches::fuse_epilogues, &pass_switches::size_blocks,
    &pass_switches::fuse_producers, &pass_switches::stage_rechunks, &pass_switches::cut_scans,
    &pass_switches::crop,           &pass_switches::split_folds,    &pass_switches::cut_blocks};

/// From this pass on, passes usually reduce the memory of tasks.
constexpr auto first_saving = &pass_switches::stage_rechunks;

/// Returns the lists of passes to leave out of `refused`, in order: each alone, then more and more
/// of them. Very many operations take long to plan: they get one list.
std::vector<pass_list> list_reductions(const bounded_plan::implementation& refused) {
  pass_list changed;
  const bool are_many = refused.graph->asked.steps.size() > most_replanned;
  for (bool pass_switches::*const pass : by_memory_need) {
    if (are_many && pass == first_saving) break;
    if (has_changed(refused, pass)) changed.push_back(pass);
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
template <class MakePlan>
std::optional<bounded_plan::implementation> find_plan_that_fits(
    const bounded_plan::implementation& refused, MakePlan plan_of) {
  for (const pass_list& reduction : list_reductions(refused)) {
    pass_switches fewer = refused.graph->origin->passes;
    for (bool pass_switches::*const pass : reduction) fewer.*pass = false;
    bounded_plan::implementation plan = plan_of(fewer);
    if (!keeps_to_memory(plan)) continue;
    pass_list left_out;
    for (bool pass_switches::*const pass : reduction) {
      left_out.push_back(pass);
      if (reduction.size() == 1) break;
      pass_switches restored = fewer;
      restored.*pass = true;
      bounded_plan::implementation alternative = plan_of(restored);
      if (!keeps_to_memory(alternative)) continue;
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
  plan_cost_sum sum(plan.spec.costs, num_workers);
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
  bytes allowed = limits.allowed_memory;
  bounded_plan::implementation plan = plan_within(outputs, limits, passes, workers, allowed);
  if (!passes.bound_memory) return plan;
  // The memory of libraries beside a task is known only after planning.
  constexpr int most_attempts = 3;
  memory_bound bound = bound_of(plan);
  allowed = std::min(allowed, limits.reserved_memory + bound.task);
  for (int attempt = 0; attempt < most_attempts && bound.least() > bound.limit; ++attempt) {
    const bytes excess = bound.least() - bound.limit;
    if (excess >= allowed) break;
    allowed = allowed - excess;
    bounded_plan::implementation smaller = plan_within(outputs, limits, passes, workers, allowed);
    bound = bound_of(smaller);
    if (bound.least() > bound.limit) continue;
    const pass_list& earlier = plan.graph->changed_by;
    smaller.graph->changed_by.insert(smaller.graph->changed_by.end(), earlier.begin(),
                                     earlier.end());
    return smaller;
  }
  return plan;
}

namespace {

/// Returns the plan with the best (least) merit that keeps to the memory, if there is one.
bounded_plan::implementation best_plan(const std::vector<plan_output>& outputs, const spec& limits,
                                       const pass_switches& passes, const plan_workers& workers) {
  bounded_plan::implementation best = plan_with(outputs, limits, passes, workers);
  if (passes.bound_memory && !keeps_to_memory(best)) {
    const auto plan_of = [&](const pass_switches& fewer) {
      return plan_with(outputs, limits, fewer, workers);
    };
    auto alternative = find_plan_that_fits(best, plan_of);
    if (!alternative) return best;
    best = *std::move(alternative);
  }
  if (best.graph->asked.steps.size() > most_replanned) return best;
  plan_cost least = cost_when_planned(best);
  if (least.wall < least_replanned) return best;
  std::vector<left_out_pass> left_out = best.graph->origin->left_out;
  // Round robin, until every pass was tried since the last change.
  for (std::size_t tried = 0, i = 0; tried < optional_passes.size();
       ++tried, i = (i + 1) % optional_passes.size()) {
    const optional_pass& pass = optional_passes[i];
    if (!has_changed(best, pass.is_on)) continue;
    pass_switches fewer = best.graph->origin->passes;
    fewer.*pass.is_on = false;
    bounded_plan::implementation alternative = plan_with(outputs, limits, fewer, workers);
    const plan_cost cost = cost_when_planned(alternative);
    if (cost.merit() * (1 + pass.worth) >= least.merit()) continue;
    if (!keeps_to_memory(alternative)) continue;
    left_out.push_back({pass.is_on, least, cost});
    best = std::move(alternative);
    least = cost;
    tried = 0;
  }
  best.graph->origin->left_out = std::move(left_out);
  return best;
}

}  // namespace

// The memory of processes differs a little from run to run. It is considered only if the plan does
// not fit otherwise, so that a program has the same plan each time.
bounded_plan::implementation make_plan(const std::vector<plan_output>& outputs, const spec& limits,
                                       const pass_switches& passes, const plan_workers& workers) {
  plan_workers without_processes = workers;
  without_processes.process = {};
  without_processes.worker_process = {};
  bounded_plan::implementation best = best_plan(outputs, limits, passes, without_processes);
  best.workers = workers;
  if (workers.process == bytes{0} || !passes.bound_memory || keeps_to_memory(best)) return best;
  return best_plan(outputs, limits, passes, workers);
}

}  // namespace tessera
