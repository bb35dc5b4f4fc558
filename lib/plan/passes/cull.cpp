// SPDX-License-Identifier: Apache-2.0
/// \file
/// Dead code elimination: removes operations and arrays that no requested array depends on.
///
/// kept(v) = v is requested, or some w with an edge v -> w is kept, or v is an output of a kept
/// operation that cannot compute fewer outputs.
/// Vertices are visited in reverse topological order, so that one visit decides each of them. An
/// operation of which only some outputs are needed is asked to compute fewer
/// (`primitive::with_outputs`).
/// Invariant: requested arrays and everything that they depend on stay.

#include "plan/passes/passes.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tessera {

namespace {

/// Tells whether an array has no reader and is not requested.
bool is_unneeded(const array_graph& graph, vertex array) {
  return boost::out_degree(array, graph) == 0 && !array_at(graph, array).is_requested;
}

/// Removes the unneeded outputs of `v`, and `v` itself if no output is needed.
void cull_operation(array_graph& graph, vertex v) {
  const small_vector<vertex> outputs = outputs_of(graph, v);
  std::vector<bool> needed;
  for (const vertex array : outputs) needed.push_back(!is_unneeded(graph, array));
  const auto count = std::count(needed.begin(), needed.end(), true);
  if (count == static_cast<std::ptrdiff_t>(outputs.size())) return;
  operation& op = operation_at(graph, v);
  if (count > 0) {
    const primitive_handle reduced_body = op.primitive->with_outputs(needed);
    // The primitive computes all outputs or none.
    if (reduced_body == nullptr) return;
    op.primitive = reduced_body;
    op.outputs = reduced_body->outputs(op.schedule);
  }
  std::size_t position = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    remove_output(graph, v, outputs[i]);
    if (needed[i]) {
      add_output(graph, v, outputs[i], position++);
    } else {
      remove(graph, outputs[i]);
    }
  }
  if (count == 0) remove(graph, v);
}

}  // namespace

void cull(plan_graph& plan, const pass_context& /*context*/) {
  std::vector<vertex> order = in_order(plan.graph);
  std::reverse(order.begin(), order.end());
  // Outputs are removed with their operation: a removed vertex must not be visited.
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
