// SPDX-License-Identifier: Apache-2.0
#include "plan/array_storage.hpp"
#include "plan/buffers.hpp"
#include "plan/build.hpp"
#include "plan/labels.hpp"
#include "plan/operation_labels.hpp"
#include "plan/shards.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace tessera {

namespace {

/// Returns the numbers of the operations that compute `inputs`.
std::vector<std::size_t> find_predecessors(const array_graph& graph,
                                           const small_vector<vertex>& inputs) {
  std::vector<std::size_t> predecessors;
  for (const vertex input : inputs) {
    for (auto [edge, last] = boost::in_edges(input, graph); edge != last; ++edge) {
      predecessors.push_back(graph[boost::source(*edge, graph)].number);
    }
  }
  std::sort(predecessors.begin(), predecessors.end());
  predecessors.erase(std::unique(predecessors.begin(), predecessors.end()), predecessors.end());
  return predecessors;
}

array_storage storage_in(const bounded_plan::implementation& plan, vertex array, array_use use) {
  const planned_array& planned = array_at(plan.graph->graph, array);
  array_storage storage = storage_of(planned, use, plan.spec);
  storage.array = array;
  return storage;
}

/// Labels an operation by the labels of its outputs; outputs without one have their formulas. A
/// copy of an array has the label of that array, which tells nothing: its formula does.
void add_label(planned_operation& planned, numbered<planned_array>& arrays) {
  const operand_words words = operand_words_of(planned, arrays);
  description text = planned.op.primitive->describe(planned.op.name, planned.op.schedule, words);
  const std::vector<std::string>& operands = words.formulas;
  std::vector<std::string> labels;
  bool has_label = false;
  for (std::size_t i = 0; i < planned.outputs.size(); ++i) {
    planned_array& array = arrays[planned.outputs[i].array];
    if (i < text.outputs.size()) array.formula = std::move(text.outputs[i]);
    const bool is_named =
        !array.label.empty() && std::ranges::find(operands, array.label) == operands.end();
    if (is_named) array.formula = array.label;
    has_label = has_label || is_named;
    labels.push_back(words_for(array));
  }
  planned.label = has_label ? fmt::format("{}", fmt::join(labels, ", ")) : std::move(text.label);
}

}  // namespace

void number(bounded_plan::implementation& plan, vertex v) {
  array_graph& graph = plan.graph->graph;
  if (is_operation(graph, v)) {
    graph[v].number = plan.operations.size();
    plan.operations.push_back(planned_at(graph, v));
  } else {
    graph[v].number = plan.arrays.size();
    plan.arrays.push_back(array_at(graph, v));
  }
}

void complete(bounded_plan::implementation& plan, vertex v) {
  array_graph& graph = plan.graph->graph;
  const small_vector<vertex> inputs = inputs_of(graph, v);
  const small_vector<vertex> outputs = outputs_of(graph, v);
  std::vector<array_storage> sources;
  std::vector<array_storage> targets;
  sources.reserve(inputs.size());
  targets.reserve(outputs.size());
  for (const vertex input : inputs) sources.push_back(storage_in(plan, input, array_use::read));
  for (const vertex output : outputs) targets.push_back(storage_in(plan, output, array_use::write));
  planned_operation planned = with_buffers(std::move(operation_at(graph, v)), sources, targets);
  planned = with_room_for_neighbours(std::move(planned), graph, as_span(inputs), sources, targets,
                                     plan.spec);
  count_shard_requests(graph, as_span(inputs), planned);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    planned.inputs[i].array = graph[inputs[i]].number;
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    planned.outputs[i].array = graph[outputs[i]].number;
  }
  planned.after = find_predecessors(graph, inputs);
  planned_at(graph, v) = std::move(planned);
}

void add_labels(bounded_plan::implementation& plan) {
  for (planned_operation& planned : plan.operations) add_label(planned, plan.arrays);
}

}  // namespace tessera
