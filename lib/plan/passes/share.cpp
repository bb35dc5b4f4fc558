// SPDX-License-Identifier: Apache-2.0
#include "plan/passes/passes.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

namespace tessera {

namespace {

bool equal(const memory_source& a, const memory_source& b) {
  // Parts of different arrays may be empty here and not elsewhere: the plan is the same everywhere.
  if (a.parts != nullptr || b.parts != nullptr) return a.parts == b.parts;
  return a.data == b.data && a.strides == b.strides;
}

bool equal(const generated_source& a, const generated_source& b) {
  return a.kernel == b.kernel && a.parameters == b.parameters;
}

/// Tells whether two arrays hold the same elements because they come from the same source.
bool equal(const planned_array& a, const planned_array& b) {
  if (a.type != b.type || a.shape != b.shape || a.chunks != b.chunks) return false;
  if (a.place.index() != b.place.index()) return false;
  if (const auto* stored = std::get_if<stored_source>(&a.place)) {
    return stored->array->is_same(*std::get<stored_source>(b.place).array);
  }
  if (const auto* memory = std::get_if<memory_source>(&a.place)) {
    return equal(*memory, std::get<memory_source>(b.place));
  }
  if (const auto* generated = std::get_if<generated_source>(&a.place)) {
    return equal(*generated, std::get<generated_source>(b.place));
  }
  return false;
}

bool equal(const operation& a, const operation& b) {
  return a.how == b.how && a.operands == b.operands && equal(*a.body, *b.body);
}

/// Lets everything that read or asked for `from` read and ask for `to`, and removes `from`.
void replace_array(plan_graph& plan, vertex from, vertex to) {
  std::vector<std::pair<vertex, graph_edge>> uses;
  for (auto [edge, last] = boost::out_edges(from, plan.graph); edge != last; ++edge) {
    uses.emplace_back(boost::target(*edge, plan.graph), plan.graph[*edge]);
  }
  for (const auto& [reader, edge] : uses) boost::add_edge(to, reader, edge, plan.graph);
  if (array_at(plan.graph, from).is_requested) array_at(plan.graph, to).is_requested = true;
  std::replace(plan.outputs.begin(), plan.outputs.end(), from, to);
  remove(plan.graph, from);
}

void replace_operation(plan_graph& plan, vertex from, vertex to) {
  const std::vector<vertex> outputs = outputs_of(plan.graph, from);
  const std::vector<vertex> others = outputs_of(plan.graph, to);
  for (std::size_t i = 0; i < outputs.size(); ++i) replace_array(plan, outputs[i], others[i]);
  remove(plan.graph, from);
}

/// Returns the sources and the operations in order. Arrays that operations make are left out: they
/// go with their operation, and a vertex that is gone must not be looked at.
std::vector<vertex> to_be_compared(const array_graph& graph) {
  std::vector<vertex> found = in_order(graph);
  std::erase_if(
      found, [&](vertex v) { return !is_operation(graph, v) && boost::in_degree(v, graph) != 0; });
  return found;
}

}  // namespace

void share(plan_graph& plan, const pass_context& /*context*/) {
  std::vector<vertex> sources;
  // Equal operations read equal inputs, so only those with the same inputs are compared.
  std::map<std::vector<vertex>, std::vector<vertex>> operations;
  for (const vertex v : to_be_compared(plan.graph)) {
    if (is_operation(plan.graph, v)) {
      std::vector<vertex>& candidates = operations[inputs_of(plan.graph, v)];
      const auto same = std::find_if(candidates.begin(), candidates.end(), [&](vertex other) {
        return boost::out_degree(v, plan.graph) == boost::out_degree(other, plan.graph) &&
               equal(operation_at(plan.graph, v), operation_at(plan.graph, other));
      });
      if (same != candidates.end()) {
        replace_operation(plan, v, *same);
      } else {
        candidates.push_back(v);
      }
    } else {
      const auto same = std::find_if(sources.begin(), sources.end(), [&](vertex other) {
        return equal(array_at(plan.graph, v), array_at(plan.graph, other));
      });
      if (same != sources.end()) {
        replace_array(plan, v, *same);
      } else {
        sources.push_back(v);
      }
    }
  }
  for (const vertex v : operations_in_order(plan.graph)) unify_operands(plan.graph, v);
}

}  // namespace tessera
