// SPDX-License-Identifier: Apache-2.0
/// \file
/// Makes plans, and chooses among those that leave out some of the passes.

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

/// A pass without which a plan may be better: what it makes has fewer tasks than there are workers,
/// or is nothing that a later pass could make better.
struct weighed_pass {
  bool pass_switches::*is_on;
  /// The share of the merit that what it makes is worth besides.
  double worth = 1e-9;
};

/// Many tasks tell how far a run is, and go on where it stopped.
constexpr std::array weighed{weighed_pass{&pass_switches::crop},
                             weighed_pass{&pass_switches::fuse_producers},
                             weighed_pass{&pass_switches::fuse_siblings},
                             weighed_pass{&pass_switches::duplicate},
                             weighed_pass{&pass_switches::keep},
                             weighed_pass{&pass_switches::split_folds, least_gain},
                             weighed_pass{&pass_switches::cut_scans},
                             weighed_pass{&pass_switches::fuse_epilogues},
                             weighed_pass{&pass_switches::cut_blocks},
                             weighed_pass{&pass_switches::size_blocks},
                             weighed_pass{&pass_switches::fuse_levels},
                             weighed_pass{&pass_switches::stage_rechunks}};

/// Plans for more operations that are asked for are not weighed: each takes long to make.
constexpr std::size_t most_weighed = 200;

/// Nor are those of which a run takes less: none would gain what it takes to make them.
constexpr costs::seconds least_weighed{1};

/// Tells whether all is in memory that a pass has put between operations for that.
bool holds_all_for_memory(const bounded_plan::implementation& plan) {
  return std::none_of(plan.arrays.begin(), plan.arrays.end(), [](const planned_array& array) {
    return array.is_for_memory && !std::holds_alternative<memory_place>(array.place);
  });
}

/// Returns a plan before anybody has asked whether it keeps to the memory. Passes keep tasks to
/// `allowed`.
bounded_plan::implementation plan_within(const std::vector<plan_output>& outputs,
                                         const spec& limits, const pass_switches& passes,
                                         const plan_workers& workers, bytes allowed) {
  // A pass may be why a plan was made again, in which it changes nothing.
  std::vector<bool pass_switches::*> changed_by;
  const auto made_with = [&](const plan_workers* in_memory, bool may_keep) {
    std::shared_ptr<plan_graph> graph = collect(outputs);
    graph->may_keep = may_keep;
    graph->changed_by = std::move(changed_by);
    run_passes(*graph, limits_of_passes(limits, workers, allowed), passes, nullptr, in_memory);
    graph->origin = plan_origin{outputs, passes, in_memory != nullptr, allowed};
    changed_by = graph->changed_by;
    return place(std::move(graph), limits, workers, passes.memory_tier);
  };
  if (!passes.memory_tier) return made_with(nullptr, false);
  bounded_plan::implementation plan = made_with(&workers, true);
  // Where there was less room than a pass took there to be, none is counted on; at first not for
  // what is stored anyway.
  if (!holds_all_for_memory(plan) && !plan.graph->kept.empty()) plan = made_with(&workers, false);
  return holds_all_for_memory(plan) ? plan : made_with(nullptr, false);
}

bool keeps_to_memory(const bounded_plan::implementation& plan) {
  const memory_bound bound = bound_of(plan);
  return task_memory(plan) <= plan.spec.allowed_memory && bound.least() <= bound.limit;
}

bool has_changed(const bounded_plan::implementation& plan, bool pass_switches::*pass) {
  const std::vector<bool pass_switches::*>& changed_by = plan.graph->changed_by;
  return std::ranges::find(changed_by, pass) != changed_by.end();
}

using some_passes = std::vector<bool pass_switches::*>;

/// The passes in the order in which they are left out where a plan needs too much memory.
constexpr std::array by_need{
    &pass_switches::keep,           &pass_switches::duplicate,      &pass_switches::fuse_siblings,
    &pass_switches::fuse_levels,    &pass_switches::fuse_epilogues, &pass_switches::size_blocks,
    &pass_switches::fuse_producers, &pass_switches::stage_rechunks, &pass_switches::cut_scans,
    &pass_switches::crop,           &pass_switches::split_folds,    &pass_switches::cut_blocks};

/// From this one on they make tasks that need less, as a rule.
constexpr auto first_saving = &pass_switches::stage_rechunks;

/// Returns which passes to leave out of `refused`, one way after the other: each alone, then more
/// and more of them. Very many operations take long to plan: there is one way.
std::vector<some_passes> ways_to_need_less(const bounded_plan::implementation& refused) {
  some_passes changed;
  const bool are_many = refused.graph->asked.steps.size() > most_weighed;
  for (bool pass_switches::*const pass : by_need) {
    if (are_many && pass == first_saving) break;
    if (has_changed(refused, pass)) changed.push_back(pass);
  }
  if (changed.empty()) return {};
  if (are_many) return {changed};
  std::vector<some_passes> ways;
  for (bool pass_switches::*const pass : changed) ways.push_back({pass});
  for (auto last = changed.begin() + 1; last != changed.end(); ++last) {
    ways.emplace_back(changed.begin(), last + 1);
  }
  return ways;
}

/// Returns a plan that keeps to the memory by leaving out as few passes as do; nothing where there
/// is none.
template <class MakePlan>
std::optional<bounded_plan::implementation> plan_that_fits(
    const bounded_plan::implementation& refused, MakePlan plan_of) {
  for (const some_passes& way : ways_to_need_less(refused)) {
    pass_switches fewer = refused.graph->origin->passes;
    for (bool pass_switches::*const pass : way) fewer.*pass = false;
    bounded_plan::implementation found = plan_of(fewer);
    if (!keeps_to_memory(found)) continue;
    some_passes left_out;
    for (bool pass_switches::*const pass : way) {
      left_out.push_back(pass);
      if (way.size() == 1) break;
      pass_switches more = fewer;
      more.*pass = true;
      bounded_plan::implementation other = plan_of(more);
      if (!keeps_to_memory(other)) continue;
      left_out.pop_back();
      fewer = more;
      found = std::move(other);
    }
    const plan_cost with = cost_when_planned(refused);
    const plan_cost without = cost_when_planned(found);
    for (bool pass_switches::*const pass : left_out) {
      found.graph->origin->left_out.push_back({pass, with, without, true});
    }
    return found;
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
  // What libraries take beside a task is not known before there is one.
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
    const std::vector<bool pass_switches::*>& why = plan.graph->changed_by;
    smaller.graph->changed_by.insert(smaller.graph->changed_by.end(), why.begin(), why.end());
    return smaller;
  }
  return plan;
}

namespace {

/// Returns the plan of least merit that keeps to the memory, if there is one.
bounded_plan::implementation best_plan(const std::vector<plan_output>& outputs, const spec& limits,
                                       const pass_switches& passes, const plan_workers& workers) {
  bounded_plan::implementation best = plan_with(outputs, limits, passes, workers);
  if (passes.bound_memory && !keeps_to_memory(best)) {
    const auto plan_of = [&](const pass_switches& fewer) {
      return plan_with(outputs, limits, fewer, workers);
    };
    auto other = plan_that_fits(best, plan_of);
    if (!other) return best;
    best = *std::move(other);
  }
  if (best.graph->asked.steps.size() > most_weighed) return best;
  plan_cost least = cost_when_planned(best);
  if (least.wall < least_weighed) return best;
  std::vector<left_out_pass> left_out = best.graph->origin->left_out;
  // Each in turn, until all have been tried since the last that was left out.
  for (std::size_t tried = 0, i = 0; tried < weighed.size();
       ++tried, i = (i + 1) % weighed.size()) {
    const weighed_pass& pass = weighed[i];
    if (!has_changed(best, pass.is_on)) continue;
    pass_switches fewer = best.graph->origin->passes;
    fewer.*pass.is_on = false;
    bounded_plan::implementation other = plan_with(outputs, limits, fewer, workers);
    const plan_cost cost = cost_when_planned(other);
    if (cost.merit() * (1 + pass.worth) >= least.merit()) continue;
    if (!keeps_to_memory(other)) continue;
    left_out.push_back({pass.is_on, least, cost});
    best = std::move(other);
    least = cost;
    tried = 0;
  }
  best.graph->origin->left_out = std::move(left_out);
  return best;
}

}  // namespace

// Processes differ a little from run to run. Their memory steers a plan only where it does not fit
// otherwise, so that a program has the same plan each time.
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
