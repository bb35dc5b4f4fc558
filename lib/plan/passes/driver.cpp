// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs passes.

#include "plan/buffers.hpp"
#include "plan/build.hpp"
#include "plan/passes/passes.hpp"
#include "plan/passes/verify.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {

plan_cost cost_of(const array_graph& graph, const spec& limits) {
  plan_cost cost;
  for (const vertex v : operations_in_order(graph)) {
    const planned_operation planned = estimate(graph, v, limits);
    ++cost.num_operations;
    cost.num_tasks += planned.num_tasks;
    cost.bytes_read += planned.bytes_read;
    cost.bytes_written += planned.bytes_written;
    cost.task = std::max(cost.task, bytes{planned.buffers.peak_bytes()});
  }
  return cost;
}

}  // namespace

void run_passes(plan_graph& plan, const spec& limits, const pass_switches& passes,
                pass_trace* trace) {
  verify(plan, "collect");
  for (const named_pass& pass : all_passes) {
    pass_entry entry{.pass = pass.name, .is_on = pass.is_on == nullptr || passes.*pass.is_on};
    if (trace != nullptr) {
      entry.before = trace->empty() ? cost_of(plan.graph, limits) : trace->back().after;
    }
    if (entry.is_on) {
      pass.run(plan, {limits, trace == nullptr ? nullptr : &entry});
      verify(plan, pass.name);
    }
    if (trace == nullptr) continue;
    entry.after = entry.is_on ? cost_of(plan.graph, limits) : entry.before;
    trace->push_back(std::move(entry));
  }
}

}  // namespace tessera
