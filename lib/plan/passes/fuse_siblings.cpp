// SPDX-License-Identifier: Apache-2.0
#include "plan/buffers.hpp"
#include "plan/passes/passes.hpp"
#include "plan/programs.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// Tells whether two operations walk the same domain in the same way.
bool walk_alike(const operation& a, const operation& b) {
  if (a.domain != b.domain || a.block != b.block || a.stream != b.stream) return false;
  if (a.reduced != b.reduced || a.body.index() != b.body.index()) return false;
  if (const auto* fold = std::get_if<fold_body>(&a.body)) {
    const auto& other = std::get<fold_body>(b.body);
    return fold->phase == fold_phase::complete && other.phase == fold_phase::complete;
  }
  const auto* map = std::get_if<map_body>(&a.body);
  return map != nullptr && map->pieces.size() == 1 && std::get<map_body>(b.body).pieces.size() == 1;
}

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

std::vector<std::size_t> shifted(std::vector<std::size_t> places, std::size_t by) {
  for (std::size_t& place : places) place += by;
  return places;
}

/// Returns both names in a row, without those that are there already: "mean, stddev".
std::string joined_names(const std::string& a, const std::string& b) {
  return (", " + a + ", ").find(", " + b + ", ") == std::string::npos ? a + ", " + b : a;
}

operation both(const operation& a, const operation& b) {
  operation joined = a;
  joined.name = joined_names(a.name, b.name);
  joined.operands.insert(joined.operands.end(), b.operands.begin(), b.operands.end());
  joined.outputs.insert(joined.outputs.end(), b.outputs.begin(), b.outputs.end());
  if (auto* map = std::get_if<map_body>(&joined.body)) {
    piece& mine = map->pieces.front();
    const piece& other = std::get<map_body>(b.body).pieces.front();
    mine.program = side_by_side(mine.program, other.program);
    const std::vector<std::size_t> more = shifted(other.operands, a.operands.size());
    mine.operands.insert(mine.operands.end(), more.begin(), more.end());
  } else {
    auto& mine = std::get<fold_body>(joined.body);
    const auto& other = std::get<fold_body>(b.body);
    mine.program = side_by_side(mine.program, other.program);
    mine.folds.insert(mine.folds.end(), other.folds.begin(), other.folds.end());
  }
  return joined;
}

bool may_join(const array_graph& graph, vertex a, vertex b) {
  return walk_alike(operation_at(graph, a), operation_at(graph, b)) &&
         read_a_same_input(graph, a, b) && !leads_to(graph, a, b) && !leads_to(graph, b, a);
}

/// Makes `a` do what `b` does as well and removes `b`.
void join(array_graph& graph, vertex a, vertex b) {
  std::vector<vertex> inputs = inputs_of(graph, a);
  const std::vector<vertex> more = inputs_of(graph, b);
  const std::vector<vertex> outputs = outputs_of(graph, b);
  const std::size_t first_output = operation_at(graph, a).outputs.size();
  operation_at(graph, a) = both(operation_at(graph, a), operation_at(graph, b));
  inputs.insert(inputs.end(), more.begin(), more.end());
  set_inputs(graph, a, inputs);
  remove(graph, b);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    boost::add_edge(a, outputs[i], graph_edge{first_output + i}, graph);
  }
  unify_operands(graph, a);
}

/// Tells whether `b` can be joined to `a` within the allowed memory; the graph is left as it was.
bool join_fits(const array_graph& graph, vertex a, vertex b, const spec& limits) {
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
  const vertex joined =
      boost::add_vertex(graph_vertex{both(operation_at(graph, a), operation_at(graph, b))}, trial);
  set_inputs(trial, joined, inputs);
  unify_operands(trial, joined);
  return fits(
      estimate(trial, operation_at(trial, joined), inputs_of(trial, joined), outputs, limits),
      limits);
}

}  // namespace

void fuse_siblings(plan_graph& plan, const spec& limits) {
  std::vector<vertex> operations = operations_in_order(plan.graph);
  for (std::size_t i = 0; i < operations.size(); ++i) {
    for (std::size_t j = i + 1; j < operations.size();) {
      const vertex a = operations[i];
      const vertex b = operations[j];
      if (may_join(plan.graph, a, b) && join_fits(plan.graph, a, b, limits)) {
        join(plan.graph, a, b);
        operations.erase(operations.begin() + static_cast<std::ptrdiff_t>(j));
      } else {
        ++j;
      }
    }
  }
}

}  // namespace tessera
