// SPDX-License-Identifier: Apache-2.0
#include "plan/buffers.hpp"
#include "plan/passes/passes.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace tessera {

namespace {

bool read_a_same_input(const array_graph& graph, vertex a, vertex b) {
  const std::vector<vertex> arrays = inputs_of(graph, a);
  const std::vector<vertex> others = inputs_of(graph, b);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    for (std::size_t j = 0; j < others.size(); ++j) {
      if (arrays[i] == others[j] &&
          operation_at(graph, a).operands[i] == operation_at(graph, b).operands[j]) {
        return true;
      }
    }
  }
  return false;
}

/// Returns both names in a row, without those that are there already: "mean, stddev".
std::string joined_names(const std::string& a, const std::string& b) {
  return (", " + a + ", ").find(", " + b + ", ") == std::string::npos ? a + ", " + b : a;
}

/// Returns an operation that does what `a` and what `b` does, which walk alike; nothing where no
/// primitive does that.
std::optional<operation> both(const operation& a, const operation& b) {
  primitive_handle body = a.body->beside(*b.body, a.operands.size());
  if (body == nullptr) return std::nullopt;
  operation joined = a;
  joined.name = joined_names(a.name, b.name);
  joined.operands.insert(joined.operands.end(), b.operands.begin(), b.operands.end());
  joined.body = std::move(body);
  joined.outputs = joined.body->outputs(joined.how);
  return joined;
}

bool may_join(const array_graph& graph, vertex a, vertex b) {
  return operation_at(graph, a).how == operation_at(graph, b).how &&
         read_a_same_input(graph, a, b) && !leads_to(graph, a, b) && !leads_to(graph, b, a);
}

/// Makes `a` do what `b` does as well, as `joined` does, and removes `b`.
void join(array_graph& graph, vertex a, vertex b, operation joined) {
  std::vector<vertex> inputs = inputs_of(graph, a);
  const std::vector<vertex> more = inputs_of(graph, b);
  const std::vector<vertex> outputs = outputs_of(graph, b);
  const std::size_t first_output = operation_at(graph, a).outputs.size();
  operation_at(graph, a) = std::move(joined);
  inputs.insert(inputs.end(), more.begin(), more.end());
  set_inputs(graph, a, inputs);
  remove(graph, b);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    boost::add_edge(a, outputs[i], graph_edge{first_output + i}, graph);
  }
  unify_operands(graph, a);
}

/// Tells whether `both`, which does what `a` and `b` do, keeps to the allowed memory; the graph is
/// left as it was.
bool join_fits(const array_graph& graph, vertex a, vertex b, const operation& both,
               const spec& limits) {
  array_graph trial;
  std::vector<vertex> copies;
  std::vector<vertex> originals;
  const auto copy_of = [&](vertex array) {
    const auto found = std::find(originals.begin(), originals.end(), array);
    if (found != originals.end())
      return copies[static_cast<std::size_t>(found - originals.begin())];
    originals.push_back(array);
    copies.push_back(boost::add_vertex(graph[array], trial));
    return copies.back();
  };
  std::vector<vertex> inputs;
  std::vector<vertex> outputs;
  for (const vertex v : {a, b}) {
    for (const vertex input : inputs_of(graph, v)) inputs.push_back(copy_of(input));
    for (const vertex output : outputs_of(graph, v)) outputs.push_back(copy_of(output));
  }
  const vertex joined = add_operation(trial, both, inputs, {});
  unify_operands(trial, joined);
  return fits(
      estimate(trial, operation_at(trial, joined), inputs_of(trial, joined), outputs, limits),
      limits);
}

}  // namespace

void fuse_siblings(plan_graph& plan, const pass_context& context) {
  std::vector<vertex> operations = operations_in_order(plan.graph);
  for (std::size_t i = 0; i < operations.size(); ++i) {
    for (std::size_t j = i + 1; j < operations.size();) {
      const vertex a = operations[i];
      const vertex b = operations[j];
      std::optional<operation> joined;
      if (may_join(plan.graph, a, b)) {
        joined = both(operation_at(plan.graph, a), operation_at(plan.graph, b));
      }
      if (joined && join_fits(plan.graph, a, b, *joined, context.limits)) {
        join(plan.graph, a, b, std::move(*joined));
        operations.erase(operations.begin() + static_cast<std::ptrdiff_t>(j));
      } else {
        ++j;
      }
    }
  }
}

}  // namespace tessera
