// SPDX-License-Identifier: Apache-2.0
#include "plan/graph.hpp"

#include "tessera/primitive/copy.hpp"

#include <algorithm>
#include <boost/graph/graph_utility.hpp>
#include <boost/graph/topological_sort.hpp>
#include <boost/property_map/property_map.hpp>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace tessera {

namespace {

/// Builds the graph of some nodes. A chain of nodes may be long, so nothing here recurses.
class collector {
 public:
  explicit collector(array_graph& graph) : graph_(graph) {}

  vertex array(const array_handle& root) {
    std::vector<array_handle> pending{root};
    while (!pending.empty()) {
      const array_handle node = pending.back();
      if (arrays_.contains(node.get())) {
        pending.pop_back();
        continue;
      }
      const auto* computed = std::get_if<computed_source>(&node->source);
      if (computed != nullptr && push_missing_inputs(*computed->operation, pending)) continue;
      pending.pop_back();
      add(*node, computed);
    }
    return arrays_.at(root.get());
  }

 private:
  bool push_missing_inputs(const operation_node& node, std::vector<array_handle>& pending) {
    const std::size_t before = pending.size();
    for (const array_handle& input : node.inputs) {
      if (!arrays_.contains(input.get())) pending.push_back(input);
    }
    return pending.size() > before;
  }

  void add(const array_node& node, const computed_source* computed) {
    planned_array array{node.type, node.shape, node.chunks, node.name, {}};
    if (const auto* stored = std::get_if<stored_source>(&node.source)) array.place = *stored;
    if (const auto* memory = std::get_if<memory_source>(&node.source)) array.place = *memory;
    if (const auto* generated = std::get_if<generated_source>(&node.source)) {
      array.place = *generated;
    }
    const vertex v = add_array(graph_, std::move(array));
    arrays_[&node] = v;
    if (computed == nullptr) return;
    boost::add_edge(operation_vertex(*computed->operation), v, graph_edge{computed->output},
                    graph_);
  }

  vertex operation_vertex(const operation_node& node) {
    if (const auto found = operations_.find(&node); found != operations_.end()) {
      return found->second;
    }
    std::vector<vertex> inputs;
    for (const array_handle& input : node.inputs) inputs.push_back(arrays_.at(input.get()));
    return operations_[&node] = add_operation(graph_, node.what, inputs, {});
  }

  array_graph& graph_;
  std::unordered_map<const array_node*, vertex> arrays_;
  std::unordered_map<const operation_node*, vertex> operations_;
};

/// What searches note of the vertices that they have seen; all are white at first.
using vertex_colors = std::unordered_map<vertex, boost::default_color_type>;

template <class Edges, class End>
std::vector<vertex> by_position(const array_graph& graph, Edges edges, End end) {
  std::vector<std::pair<std::size_t, vertex>> found;
  for (auto [edge, last] = edges; edge != last; ++edge) {
    found.emplace_back(graph[*edge].position, end(*edge));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<vertex> vertices;
  for (const auto& [position, v] : found) vertices.push_back(v);
  return vertices;
}

}  // namespace

std::shared_ptr<plan_graph> collect(const std::vector<plan_output>& outputs) {
  auto plan = std::make_shared<plan_graph>();
  collector nodes(plan->graph);
  for (const plan_output& output : outputs) {
    const vertex v = nodes.array(output.array);
    array_at(plan->graph, v).is_requested = true;
    plan->outputs.push_back(v);
    plan->destinations.push_back(output.destination);
  }
  return plan;
}

bool is_operation(const array_graph& graph, vertex v) {
  return std::holds_alternative<planned_operation>(graph[v].what);
}

planned_operation& planned_at(array_graph& graph, vertex v) {
  return std::get<planned_operation>(graph[v].what);
}

operation& operation_at(array_graph& graph, vertex v) { return planned_at(graph, v).what; }

const operation& operation_at(const array_graph& graph, vertex v) {
  return std::get<planned_operation>(graph[v].what).what;
}

planned_array& array_at(array_graph& graph, vertex v) {
  return std::get<planned_array>(graph[v].what);
}

const planned_array& array_at(const array_graph& graph, vertex v) {
  return std::get<planned_array>(graph[v].what);
}

std::vector<vertex> inputs_of(const array_graph& graph, vertex operation) {
  return by_position(graph, boost::in_edges(operation, graph),
                     [&](auto edge) { return boost::source(edge, graph); });
}

std::vector<vertex> outputs_of(const array_graph& graph, vertex operation) {
  return by_position(graph, boost::out_edges(operation, graph),
                     [&](auto edge) { return boost::target(edge, graph); });
}

std::vector<vertex> readers_of(const array_graph& graph, vertex array) {
  std::vector<vertex> readers;
  for (auto [edge, last] = boost::out_edges(array, graph); edge != last; ++edge) {
    const vertex reader = boost::target(*edge, graph);
    if (std::find(readers.begin(), readers.end(), reader) == readers.end()) {
      readers.push_back(reader);
    }
  }
  return readers;
}

vertex add_array(array_graph& graph, planned_array array) {
  return boost::add_vertex(graph_vertex{std::move(array)}, graph);
}

vertex add_operation(array_graph& graph, operation what, const std::vector<vertex>& inputs,
                     const std::vector<vertex>& outputs) {
  const vertex v = boost::add_vertex(graph_vertex{planned_operation{std::move(what)}}, graph);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    boost::add_edge(inputs[i], v, graph_edge{i}, graph);
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    boost::add_edge(v, outputs[i], graph_edge{i}, graph);
  }
  return v;
}

void set_inputs(array_graph& graph, vertex operation, const std::vector<vertex>& arrays) {
  boost::clear_in_edges(operation, graph);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    boost::add_edge(arrays[i], operation, graph_edge{i}, graph);
  }
}

operation copy_operation(const planned_array& from, const index_vector& block) {
  operation copy;
  copy.name = "copy";
  copy.how.domain = from.shape;
  copy.how.block = copy.how.stream = block;
  copy.operands = {index_map::identity(from.shape.size())};
  copy.body = copy_of(from.shape, from.type);
  copy.outputs = copy.body->outputs(copy.how);
  return copy;
}

vertex add_copy(array_graph& graph, vertex array, const index_vector& chunks,
                const index_vector& block) {
  const planned_array& from = array_at(graph, array);
  operation copy = copy_operation(from, block);
  const vertex made = add_array(graph, {from.type, from.shape, chunks, from.name, {}});
  add_operation(graph, std::move(copy), {array}, {made});
  return made;
}

vertex add_copy(array_graph& graph, vertex array, const index_vector& chunks) {
  return add_copy(graph, array, chunks, chunks);
}

void remove(array_graph& graph, vertex v) {
  boost::clear_vertex(v, graph);
  boost::remove_vertex(v, graph);
}

std::vector<vertex> in_order(const array_graph& graph) {
  vertex_colors colors;
  std::vector<vertex> order;
  boost::topological_sort(graph, std::back_inserter(order),
                          boost::color_map(boost::associative_property_map(colors)));
  std::reverse(order.begin(), order.end());
  return order;
}

std::vector<vertex> operations_in_order(const array_graph& graph) {
  std::vector<vertex> operations = in_order(graph);
  std::erase_if(operations, [&](vertex v) { return !is_operation(graph, v); });
  return operations;
}

bool leads_to(const array_graph& graph, vertex from, vertex to) {
  vertex_colors colors;
  return boost::is_reachable(from, to, graph, boost::associative_property_map(colors));
}

}  // namespace tessera
