// SPDX-License-Identifier: Apache-2.0
#include "plan/passes/passes.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tessera {

namespace {

/// Tells whether nothing needs an array.
bool is_unneeded(const array_graph& graph, vertex array) {
  return boost::out_degree(array, graph) == 0 && !array_at(graph, array).is_requested;
}

/// Lets `v` make what is needed of its outputs, or goes without it where nothing is.
void cull_operation(array_graph& graph, vertex v) {
  const few<vertex> made = outputs_of(graph, v);
  std::vector<bool> needed;
  for (const vertex array : made) needed.push_back(!is_unneeded(graph, array));
  const auto count = std::count(needed.begin(), needed.end(), true);
  if (count == static_cast<std::ptrdiff_t>(made.size())) return;
  operation& what = operation_at(graph, v);
  if (count > 0) {
    const primitive_handle fewer = what.body->with_outputs(needed);
    // It makes all in the same task.
    if (fewer == nullptr) return;
    what.body = fewer;
    what.outputs = fewer->outputs(what.how);
  }
  std::size_t position = 0;
  for (std::size_t i = 0; i < made.size(); ++i) {
    remove_output(graph, v, made[i]);
    if (needed[i]) {
      add_output(graph, v, made[i], position++);
    } else {
      remove(graph, made[i]);
    }
  }
  if (count == 0) remove(graph, v);
}

}  // namespace

void cull(plan_graph& plan, const pass_context& /*context*/) {
  std::vector<vertex> order = in_order(plan.graph);
  std::reverse(order.begin(), order.end());
  // What an operation makes goes with it: a vertex that is gone must not be looked at.
  std::erase_if(order, [&](vertex v) {
    return !is_operation(plan.graph, v) && boost::in_degree(v, plan.graph) != 0;
  });
  for (const vertex v : order) {
    if (is_operation(plan.graph, v)) {
      cull_operation(plan.graph, v);
    } else if (is_unneeded(plan.graph, v)) {
      remove(plan.graph, v);
    }
  }
}

}  // namespace tessera
