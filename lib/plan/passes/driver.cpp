// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs the passes over a graph, in the order of `all_passes`.
///
/// Each pass that is switched on rewrites the graph; `verify` checks the graph's invariants after
/// each pass that has changed it, and once at the end. If a trace is asked for, the cost of the
/// plan is worked out before and after each pass, with the cost model of `plan/cost.hpp`. After the
/// last pass that depends on nothing but the program (`last_before_choices`), the program itself is
/// recorded: plans of several processes are compared by it.

#include "plan/buffers.hpp"
#include "plan/build.hpp"
#include "plan/cost.hpp"
#include "plan/passes/passes.hpp"
#include "plan/passes/verify.hpp"
#include "plan/tuning.hpp"

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tessera {

namespace {

plan_cost cost_of(array_graph& graph, const spec& limits) {
  plan_cost_sum sum(limits.costs, limits.costs.num_workers());
  // By array: the number of its producer.
  std::unordered_map<vertex, std::size_t> producers;
  std::size_t number = 0;
  for (const vertex v : operations_in_order(graph)) {
    std::vector<std::size_t> after;
    for (const vertex input : inputs_of(graph, v)) {
      if (const auto producer = producers.find(input); producer != producers.end()) {
        after.push_back(producer->second);
      }
    }
    sum.add_behind(estimate(graph, v, limits), after);
    for (const vertex output : outputs_of(graph, v)) producers[output] = number;
    ++number;
  }
  return sum.total();
}

}  // namespace

costs costs_on(const spec& limits, const plan_workers& workers) {
  return workers.costs ? limits.costs.or_else(*workers.costs) : limits.costs;
}

spec limits_of_passes(spec limits, const plan_workers& workers, bytes allowed) {
  limits.allowed_memory = allowed;
  limits.costs = costs_on(limits, workers);
  if (!limits.costs.workers && workers.count_on_all > 0) {
    limits.costs.workers = workers.count_on_all;
  }
  return limits;
}

std::size_t num_workers_of(const plan_workers& workers) {
  return std::max<std::size_t>({1, workers.count, workers.count_on_all});
}

void run_passes(plan_graph& plan, const spec& limits, const pass_switches& passes,
                pass_trace* trace, const plan_workers* workers) {
  plan.merges_maps = passes.fuse_producers;
  // A pass that notes no change left the graph as it was. A larger graph is verified only once,
  // after the last pass.
  const bool is_verified_often =
      trace != nullptr || boost::num_vertices(plan.graph) <= tuning.most_verified_often;
  if (is_verified_often) verify(plan, "collect");
  for (const named_pass& pass : all_passes) {
    pass_entry entry{.pass = pass.name, .is_on = pass.is_on == nullptr || passes.*pass.is_on};
    if (trace != nullptr) {
      entry.before = trace->empty() ? cost_of(plan.graph, limits) : trace->back().after;
    }
    if (entry.is_on) {
      bool has_changed = false;
      pass.run(plan, {limits, trace == nullptr ? nullptr : &entry, workers, &has_changed});
      if (has_changed && pass.is_on != nullptr) plan.changed_by.push_back(pass.is_on);
      if (is_verified_often && has_changed) verify(plan, pass.name);
    }
    if (pass.name == last_before_choices) plan.asked = program_of(plan);
    if (trace == nullptr) continue;
    entry.after = entry.is_on ? cost_of(plan.graph, limits) : entry.before;
    trace->push_back(std::move(entry));
  }
  verify(plan, all_passes.back().name);
}

}  // namespace tessera
