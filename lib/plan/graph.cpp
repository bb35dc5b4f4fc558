// SPDX-License-Identifier: Apache-2.0
#include "plan/graph.hpp"

#include "tessera/primitive/copy.hpp"

#include <algorithm>
#include <boost/graph/topological_sort.hpp>
#include <boost/property_map/property_map.hpp>
#include <iterator>
#include <map>
#include <set>
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
    array_vertex array{node.type, node.shape, node.chunks, node.name, {}, false};
    if (const auto* stored = std::get_if<stored_source>(&node.source)) array.source = *stored;
    if (const auto* memory = std::get_if<memory_source>(&node.source)) array.source = *memory;
    if (const auto* generated = std::get_if<generated_source>(&node.source)) {
      array.source = *generated;
    }
    const vertex v = boost::add_vertex(graph_vertex{std::move(array)}, graph_);
    arrays_[&node] = v;
    if (computed == nullptr) return;
    boost::add_edge(operation_vertex(*computed->operation), v, graph_edge{computed->output},
                    graph_);
  }

  vertex operation_vertex(const operation_node& node) {
    if (const auto found = operations_.find(&node); found != operations_.end()) {
      return found->second;
    }
    const vertex v = boost::add_vertex(graph_vertex{node.what}, graph_);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      boost::add_edge(arrays_.at(node.inputs[i].get()), v, graph_edge{i}, graph_);
    }
    return operations_[&node] = v;
  }

  array_graph& graph_;
  std::unordered_map<const array_node*, vertex> arrays_;
  std::unordered_map<const operation_node*, vertex> operations_;
};

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

plan_graph collect(const std::vector<plan_output>& outputs) {
  plan_graph plan;
  collector nodes(plan.graph);
  for (const plan_output& output : outputs) {
    const vertex v = nodes.array(output.array);
    array_at(plan.graph, v).is_requested = true;
    plan.outputs.push_back(v);
  }
  return plan;
}

bool is_operation(const array_graph& graph, vertex v) {
  return std::holds_alternative<operation>(graph[v].what);
}

operation& operation_at(array_graph& graph, vertex v) { return std::get<operation>(graph[v].what); }

const operation& operation_at(const array_graph& graph, vertex v) {
  return std::get<operation>(graph[v].what);
}

array_vertex& array_at(array_graph& graph, vertex v) {
  return std::get<array_vertex>(graph[v].what);
}

const array_vertex& array_at(const array_graph& graph, vertex v) {
  return std::get<array_vertex>(graph[v].what);
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

void set_inputs(array_graph& graph, vertex operation, const std::vector<vertex>& arrays) {
  boost::clear_in_edges(operation, graph);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    boost::add_edge(arrays[i], operation, graph_edge{i}, graph);
  }
}

vertex add_copy(array_graph& graph, vertex array, const index_vector& chunks) {
  const array_vertex from = array_at(graph, array);
  operation copy;
  copy.name = "copy";
  copy.how.domain = from.shape;
  copy.how.block = chunks;
  copy.how.stream = chunks;
  copy.operands = {index_map::identity(from.shape.size())};
  copy.body = copy_of(from.shape, from.type);
  copy.outputs = copy.body->outputs(copy.how);
  const array_vertex to{from.type, from.shape, chunks, from.name, {}};
  const vertex v = boost::add_vertex(graph_vertex{std::move(copy)}, graph);
  const vertex made = boost::add_vertex(graph_vertex{to}, graph);
  boost::add_edge(array, v, graph_edge{0}, graph);
  boost::add_edge(v, made, graph_edge{0}, graph);
  return made;
}

void remove(array_graph& graph, vertex v) {
  boost::clear_vertex(v, graph);
  boost::remove_vertex(v, graph);
}

std::vector<vertex> in_order(const array_graph& graph) {
  std::map<vertex, boost::default_color_type> colors;
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
  std::set<vertex> seen{from};
  std::vector<vertex> pending{from};
  while (!pending.empty()) {
    const vertex v = pending.back();
    pending.pop_back();
    if (v == to) return true;
    for (auto [edge, last] = boost::out_edges(v, graph); edge != last; ++edge) {
      const vertex next = boost::target(*edge, graph);
      if (seen.insert(next).second) pending.push_back(next);
    }
  }
  return false;
}

}  // namespace tessera
