// SPDX-License-Identifier: Apache-2.0
#include "plan/passes/passes.hpp"

#include <algorithm>
#include <vector>

namespace tessera {

namespace {

/// Tells whether nothing needs a vertex.
bool may_go(const array_graph& graph, vertex v) {
  return boost::out_degree(v, graph) == 0 &&
         (is_operation(graph, v) || !array_at(graph, v).is_requested);
}

}  // namespace

void cull(plan_graph& plan, const pass_context& /*context*/) {
  std::vector<vertex> order = in_order(plan.graph);
  std::reverse(order.begin(), order.end());
  for (const vertex v : order) {
    if (may_go(plan.graph, v)) remove(plan.graph, v);
  }
  // An operation with one needed output keeps the others: they are made in the same task.
}

}  // namespace tessera
