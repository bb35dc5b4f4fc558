// SPDX-License-Identifier: Apache-2.0
#include "plan/graph.hpp"

#include "primitive/api/build.hpp"

#include <algorithm>
#include <boost/graph/iteration_macros.hpp>
#include <functional>
#include <iterator>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace tessera {

namespace {

/// The graph of some nodes. A chain of nodes may be long, so that nothing here recurses.
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
    array.label = node.label;
    if (const auto* stored = std::get_if<stored_source>(&node.source)) array.placement = *stored;
    if (const auto* memory = std::get_if<memory_source>(&node.source)) array.placement = *memory;
    if (const auto* generated = std::get_if<generated_source>(&node.source)) {
      array.placement = *generated;
    }
    if (computed == nullptr) {
      arrays_[&node] = add_array(graph_, std::move(array));
      return;
    }
    const vertex v = find_outputs(*computed->operation).at(computed->output);
    // Another node may name the same output.
    planned_array& known = array_at(graph_, v);
    array.is_requested = known.is_requested;
    if (known.label.empty()) known = std::move(array);
    arrays_[&node] = v;
  }

  /// Returns the outputs of an operation, added with default names and chunks.
  const small_vector<vertex>& find_outputs(const operation_node& node) {
    if (const auto known = outputs_.find(&node); known != outputs_.end()) return known->second;
    small_vector<vertex> inputs;
    for (const array_handle& input : node.inputs) inputs.push_back(arrays_.at(input.get()));
    small_vector<vertex> outputs;
    for (const output& output : node.op.outputs) {
      outputs.push_back(add_array(graph_, {output.type,
                                           output.shape(node.op.schedule),
                                           output.block(node.op.schedule),
                                           node.op.name,
                                           {}}));
    }
    add_operation(graph_, node.op, inputs, outputs);
    return outputs_[&node] = std::move(outputs);
  }

  array_graph& graph_;
  std::unordered_map<const array_node*, vertex> arrays_;
  std::unordered_map<const operation_node*, small_vector<vertex>> outputs_;
};

/// Drops the cached order, as a vertex or an edge is added or removed.
void forget_order(array_graph& graph) { graph[boost::graph_bundle].order = nullptr; }

void connect(array_graph& graph, vertex from, vertex to, std::size_t position) {
  forget_order(graph);
  boost::add_edge(from, to, graph_edge{position, graph[boost::graph_bundle].edges++}, graph);
}

template <class Node>
vertex add(array_graph& graph, Node node) {
  forget_order(graph);
  const vertex v = boost::add_vertex(graph);
  graph[v].node = std::make_unique<Node>(std::move(node));
  graph[v].serial = graph[boost::graph_bundle].vertices++;
  return v;
}

/// Removes the in-edges of `v` one by one, each found by its ends: clearing them all at once would
/// visit every edge of an array with many readers.
void remove_in_edges(array_graph& graph, vertex v) {
  forget_order(graph);
  while (boost::in_degree(v, graph) > 0) {
    boost::remove_edge(array_graph::edge_descriptor(*boost::in_edges(v, graph).first), graph);
  }
}

/// Gives the in-edges of an operation new serial numbers, as if they were added now.
void renumber_inputs(array_graph& graph, vertex operation) {
  forget_order(graph);
  std::vector<graph_edge*> edges(boost::in_degree(operation, graph));
  for (auto [edge, last] = boost::in_edges(operation, graph); edge != last; ++edge) {
    graph_edge& edge_data = graph[*edge];
    edges.at(edges.size() == 1 ? 0 : edge_data.position) = &edge_data;
  }
  for (std::size_t i = 0; i < edges.size(); ++i) {
    *edges[i] = {i, graph[boost::graph_bundle].edges++};
  }
}

/// Returns `end(edge)` of `count` edges, by position. A single edge may have any position, as the
/// edge to an array has the position of the output.
template <class Edge, class End>
small_vector<vertex> by_position(const array_graph& graph, Edge edge, std::size_t count, End end) {
  if (count == 1) return {end(*edge)};
  small_vector<vertex> vertices(count);
  for (std::size_t i = 0; i < count; ++i, ++edge) vertices.at(graph[*edge].position) = end(*edge);
  return vertices;
}

/// Marks the arrays of the serial numbers `serials`.
void mark_materialized(array_graph& graph, const std::vector<std::size_t>& serials) {
  BGL_FORALL_VERTICES(v, graph, array_graph) {
    if (std::ranges::find(serials, graph[v].serial) == serials.end()) continue;
    array_at(graph, v).is_materialized = true;
  }
}

}  // namespace

std::shared_ptr<plan_graph> collect(const std::vector<plan_output>& outputs,
                                    const std::vector<std::size_t>& materialized) {
  auto plan = std::make_shared<plan_graph>();
  collector nodes(plan->graph);
  for (const plan_output& output : outputs) {
    const vertex v = nodes.array(output.array);
    array_at(plan->graph, v).is_requested = true;
    plan->outputs.push_back(v);
    plan->destinations.push_back(output.destination);
  }
  if (!materialized.empty()) mark_materialized(plan->graph, materialized);
  return plan;
}

bool is_operation(const array_graph& graph, vertex v) {
  return std::holds_alternative<std::unique_ptr<planned_operation>>(graph[v].node);
}

planned_operation& planned_at(array_graph& graph, vertex v) {
  return *std::get<std::unique_ptr<planned_operation>>(graph[v].node);
}

operation& operation_at(array_graph& graph, vertex v) { return planned_at(graph, v).op; }

const operation& operation_at(const array_graph& graph, vertex v) {
  return std::get<std::unique_ptr<planned_operation>>(graph[v].node)->op;
}

planned_array& array_at(array_graph& graph, vertex v) {
  return *std::get<std::unique_ptr<planned_array>>(graph[v].node);
}

const planned_array& array_at(const array_graph& graph, vertex v) {
  return *std::get<std::unique_ptr<planned_array>>(graph[v].node);
}

small_vector<vertex> inputs_of(const array_graph& graph, vertex operation) {
  return by_position(graph, boost::in_edges(operation, graph).first,
                     boost::in_degree(operation, graph),
                     [&](auto edge) { return boost::source(edge, graph); });
}

small_vector<vertex> outputs_of(const array_graph& graph, vertex operation) {
  return by_position(graph, boost::out_edges(operation, graph).first,
                     boost::out_degree(operation, graph),
                     [&](auto edge) { return boost::target(edge, graph); });
}

std::vector<use_of_array> uses_of(const array_graph& graph, vertex array) {
  if (boost::out_degree(array, graph) == 1) {
    const auto edge = *boost::out_edges(array, graph).first;
    return {{boost::target(edge, graph), graph[edge].position}};
  }
  std::vector<std::pair<graph_edge, vertex>> edges;
  for (auto [edge, last] = boost::out_edges(array, graph); edge != last; ++edge) {
    edges.emplace_back(graph[*edge], boost::target(*edge, graph));
  }
  std::sort(edges.begin(), edges.end(),
            [](const auto& a, const auto& b) { return a.first.serial < b.first.serial; });
  std::vector<use_of_array> uses;
  for (const auto& [edge, reader] : edges) uses.push_back({reader, edge.position});
  return uses;
}

std::vector<vertex> arrays_read_by(const array_graph& graph, vertex operation) {
  std::vector<vertex> arrays;
  std::unordered_set<vertex> known;
  for (const vertex input : inputs_of(graph, operation)) {
    if (known.insert(input).second) arrays.push_back(input);
  }
  return arrays;
}

std::vector<vertex> producers_of(const array_graph& graph, vertex operation) {
  std::vector<vertex> producers;
  std::unordered_set<vertex> known;
  for (const vertex input : inputs_of(graph, operation)) {
    const vertex producer = producer_of(graph, input);
    if (producer != array_graph::null_vertex() && known.insert(producer).second) {
      producers.push_back(producer);
    }
  }
  return producers;
}

std::vector<vertex> readers_of(const array_graph& graph, vertex array) {
  std::vector<vertex> readers;
  if (boost::out_degree(array, graph) == 1) {
    readers.push_back(boost::target(*boost::out_edges(array, graph).first, graph));
    return readers;
  }
  for (auto [edge, last] = boost::out_edges(array, graph); edge != last; ++edge) {
    readers.push_back(boost::target(*edge, graph));
  }
  std::sort(readers.begin(), readers.end(),
            [&](vertex a, vertex b) { return graph[a].serial < graph[b].serial; });
  readers.erase(std::unique(readers.begin(), readers.end()), readers.end());
  return readers;
}

bool has_one_reader(const array_graph& graph, vertex array) {
  const auto [first, last] = boost::out_edges(array, graph);
  return first != last &&
         std::all_of(first, last, [&, reader = boost::target(*first, graph)](auto edge) {
           return boost::target(edge, graph) == reader;
         });
}

vertex producer_of(const array_graph& graph, vertex array) {
  const auto [first, last] = boost::in_edges(array, graph);
  return first == last ? array_graph::null_vertex() : boost::source(*first, graph);
}

vertex add_array(array_graph& graph, planned_array array) { return add(graph, std::move(array)); }

vertex add_operation(array_graph& graph, operation op, const small_vector<vertex>& inputs,
                     const small_vector<vertex>& outputs) {
  const vertex v = add(graph, planned_operation{std::move(op)});
  for (std::size_t i = 0; i < inputs.size(); ++i) connect(graph, inputs[i], v, i);
  for (std::size_t i = 0; i < outputs.size(); ++i) connect(graph, v, outputs[i], i);
  return v;
}

void add_input(array_graph& graph, vertex array, vertex operation, std::size_t position) {
  connect(graph, array, operation, position);
}

void add_output(array_graph& graph, vertex operation, vertex array, std::size_t position) {
  connect(graph, operation, array, position);
}

void set_inputs(array_graph& graph, vertex operation, const small_vector<vertex>& arrays) {
  if (inputs_of(graph, operation) == arrays) return renumber_inputs(graph, operation);
  remove_in_edges(graph, operation);
  for (std::size_t i = 0; i < arrays.size(); ++i) connect(graph, arrays[i], operation, i);
}

operation copy_operation(const planned_array& from, const index_vector& block) {
  operation copy;
  copy.name = "copy";
  copy.schedule.domain = from.shape;
  copy.schedule.block = copy.schedule.step = block;
  copy.operands = {index_map::identity(from.shape.size())};
  copy.primitive = copy_of(from.shape, from.type);
  copy.outputs = copy.primitive->outputs(copy.schedule);
  return copy;
}

vertex add_copy(array_graph& graph, vertex array, const index_vector& chunks,
                const index_vector& block) {
  const planned_array& from = array_at(graph, array);
  operation copy = copy_operation(from, block);
  const vertex copied = add_array(graph, {from.type, from.shape, chunks, from.name, {}});
  add_operation(graph, std::move(copy), {array}, {copied});
  return copied;
}

vertex add_copy(array_graph& graph, vertex array, const index_vector& chunks) {
  return add_copy(graph, array, chunks, chunks);
}

void remove(array_graph& graph, vertex v) {
  remove_in_edges(graph, v);
  boost::clear_out_edges(v, graph);
  boost::remove_vertex(v, graph);
}

void remove_output(array_graph& graph, vertex operation, vertex array) {
  forget_order(graph);
  boost::remove_edge(operation, array, graph);
}

void remove_outputs(array_graph& graph, vertex operation) {
  forget_order(graph);
  boost::clear_out_edges(operation, graph);
}

namespace {

// Returns the reverse postorder of a depth-first search: an operation follows directly after the
// arrays that it alone reads. Boost.Graph's search takes edges in the order of their lists, which
// removals change; here they go by serial number, so that all processes have the same order.
std::vector<vertex> find_order(const array_graph& graph) {
  enum class state : unsigned char { unseen, entered, finished };
  std::vector<state> states(graph[boost::graph_bundle].vertices, state::unseen);
  std::vector<vertex> order;
  order.reserve(boost::num_vertices(graph));
  // The stack: vertices that are entered and not finished, with their successors above them.
  std::vector<vertex> trail;
  std::vector<std::pair<std::size_t, vertex>> next;
  const auto enter = [&](vertex v) {
    if (boost::out_degree(v, graph) == 1) {
      trail.push_back(boost::target(*boost::out_edges(v, graph).first, graph));
      return;
    }
    next.clear();
    for (auto [edge, last] = boost::out_edges(v, graph); edge != last; ++edge) {
      next.emplace_back(graph[*edge].serial, boost::target(*edge, graph));
    }
    std::sort(next.begin(), next.end(), std::greater<>());
    for (const auto& [serial, target] : next) trail.push_back(target);
  };
  for (auto [first, last] = boost::vertices(graph); first != last; ++first) {
    trail.push_back(*first);
    while (!trail.empty()) {
      const vertex v = trail.back();
      state& now = states[graph[v].serial];
      if (now == state::unseen) {
        now = state::entered;
        enter(v);
        continue;
      }
      trail.pop_back();
      if (now == state::finished) continue;
      now = state::finished;
      order.push_back(v);
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

const graph_order& order_of(array_graph& graph) {
  std::shared_ptr<const graph_order>& cached = graph[boost::graph_bundle].order;
  if (cached == nullptr) {
    graph_order order{.vertices = find_order(graph), .operations = {}};
    std::copy_if(order.vertices.begin(), order.vertices.end(), std::back_inserter(order.operations),
                 [&](vertex v) { return is_operation(graph, v); });
    cached = std::make_shared<const graph_order>(std::move(order));
  }
  return *cached;
}

}  // namespace

std::vector<vertex> in_order(array_graph& graph) { return order_of(graph).vertices; }

std::vector<vertex> operations_in_order(array_graph& graph) { return order_of(graph).operations; }

}  // namespace tessera
