// SPDX-License-Identifier: Apache-2.0
#include "plan/passes/passes.hpp"

#include <algorithm>
#include <vector>

namespace tessera {

void cull(plan_graph& plan) {
  std::vector<vertex> order = in_order(plan.graph);
  std::reverse(order.begin(), order.end());
  for (const vertex v : order) {
    if (boost::out_degree(v, plan.graph) > 0) continue;
    const bool is_needed = !is_operation(plan.graph, v) && array_at(plan.graph, v).is_requested;
    if (!is_needed) remove(plan.graph, v);
  }
  // An operation with one needed output keeps the others: they are made in the same task.
}

}  // namespace tessera
