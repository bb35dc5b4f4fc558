// SPDX-License-Identifier: Apache-2.0
#include "plan/graph.hpp"

#include "tessera/primitive/copy.hpp"

#include <algorithm>
#include <functional>
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
    if (computed == nullptr) {
      arrays_[&node] = add_array(graph_, std::move(array));
      return;
    }
    const vertex v = outputs_made_by(*computed->operation).at(computed->output);
    array_at(graph_, v) = std::move(array);
    arrays_[&node] = v;
  }

  /// Returns the arrays that an operation makes, as it would make those that nobody names.
  const few<vertex>& outputs_made_by(const operation_node& node) {
    if (const auto found = outputs_.find(&node); found != outputs_.end()) return found->second;
    few<vertex> inputs;
    for (const array_handle& input : node.inputs) inputs.push_back(arrays_.at(input.get()));
    few<vertex> outputs;
    for (const output& made : node.what.outputs) {
      outputs.push_back(add_array(
          graph_,
          {made.type, made.shape(node.what.how), made.block(node.what.how), node.what.name, {}}));
    }
    add_operation(graph_, node.what, inputs, outputs);
    return outputs_[&node] = std::move(outputs);
  }

  array_graph& graph_;
  std::unordered_map<const array_node*, vertex> arrays_;
  std::unordered_map<const operation_node*, few<vertex>> outputs_;
};

/// Takes note that a vertex or an edge comes or goes.
void changes(array_graph& graph) { graph[boost::graph_bundle].order = nullptr; }

void connect(array_graph& graph, vertex from, vertex to, std::size_t position) {
  changes(graph);
  boost::add_edge(from, to, graph_edge{position, graph[boost::graph_bundle].edges++}, graph);
}

template <class What>
vertex add(array_graph& graph, What what) {
  changes(graph);
  const vertex v = boost::add_vertex(graph);
  graph[v].what = std::make_unique<What>(std::move(what));
  graph[v].serial = graph[boost::graph_bundle].vertices++;
  return v;
}

/// Edge by edge, each of which is found by its ends: what clears them all at once looks at every
/// edge of an array with many readers.
void remove_in_edges(array_graph& graph, vertex v) {
  changes(graph);
  while (boost::in_degree(v, graph) > 0) {
    boost::remove_edge(array_graph::edge_descriptor(*boost::in_edges(v, graph).first), graph);
  }
}

/// Counts the edges to an operation as if they had been added now.
void count_anew(array_graph& graph, vertex operation) {
  changes(graph);
  std::vector<graph_edge*> edges(boost::in_degree(operation, graph));
  for (auto [edge, last] = boost::in_edges(operation, graph); edge != last; ++edge) {
    graph_edge& one = graph[*edge];
    edges.at(edges.size() == 1 ? 0 : one.position) = &one;
  }
  for (std::size_t i = 0; i < edges.size(); ++i) {
    *edges[i] = {i, graph[boost::graph_bundle].edges++};
  }
}

/// Returns what `end` gives of each of `count` edges, at their positions: these count them from 0,
/// but for the one edge to an array, which has that of what makes it.
template <class Edge, class End>
few<vertex> by_position(const array_graph& graph, Edge edge, std::size_t count, End end) {
  if (count == 1) return {end(*edge)};
  few<vertex> vertices(count);
  for (std::size_t i = 0; i < count; ++i, ++edge) vertices.at(graph[*edge].position) = end(*edge);
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

operation asked_program::step::what() const {
  operation made;
  made.name = name;
  made.how.domain = index_vector(domain);
  made.how.block = index_vector(block);
  made.how.stream = index_vector(stream);
  made.how.ordered = ordered;
  made.operands = operands;
  made.body = body;
  made.outputs = body->outputs(made.how);
  return made;
}

asked_program program_of(plan_graph& plan) {
  const auto compact = [](const index_vector& all) {
    return std::vector<index_t>(all.begin(), all.end());
  };
  asked_program program;
  array_graph& graph = plan.graph;
  std::vector<std::size_t> numbers(graph[boost::graph_bundle].vertices);
  const auto numbers_of = [&](const auto& arrays) {
    std::vector<std::size_t> found;
    for (const vertex v : arrays) found.push_back(numbers[graph[v].serial]);
    return found;
  };
  const std::vector<vertex> order = in_order(graph);
  for (const vertex v : order) {
    if (is_operation(graph, v)) continue;
    const planned_array& array = array_at(graph, v);
    numbers[graph[v].serial] = program.arrays.size();
    program.arrays.push_back(boost::in_degree(v, graph) == 0 || array.is_requested
                                 ? std::make_shared<const planned_array>(array)
                                 : nullptr);
  }
  for (const vertex v : order) {
    if (!is_operation(graph, v)) continue;
    const operation& what = operation_at(graph, v);
    program.steps.push_back({what.name, compact(what.how.domain), compact(what.how.block),
                             compact(what.how.stream), what.how.ordered, what.operands, what.body,
                             numbers_of(inputs_of(graph, v)), numbers_of(outputs_of(graph, v))});
  }
  program.outputs = numbers_of(plan.outputs);
  return program;
}

bool is_operation(const array_graph& graph, vertex v) {
  return std::holds_alternative<std::unique_ptr<planned_operation>>(graph[v].what);
}

planned_operation& planned_at(array_graph& graph, vertex v) {
  return *std::get<std::unique_ptr<planned_operation>>(graph[v].what);
}

operation& operation_at(array_graph& graph, vertex v) { return planned_at(graph, v).what; }

const operation& operation_at(const array_graph& graph, vertex v) {
  return std::get<std::unique_ptr<planned_operation>>(graph[v].what)->what;
}

planned_array& array_at(array_graph& graph, vertex v) {
  return *std::get<std::unique_ptr<planned_array>>(graph[v].what);
}

const planned_array& array_at(const array_graph& graph, vertex v) {
  return *std::get<std::unique_ptr<planned_array>>(graph[v].what);
}

few<vertex> inputs_of(const array_graph& graph, vertex operation) {
  return by_position(graph, boost::in_edges(operation, graph).first,
                     boost::in_degree(operation, graph),
                     [&](auto edge) { return boost::source(edge, graph); });
}

few<vertex> outputs_of(const array_graph& graph, vertex operation) {
  return by_position(graph, boost::out_edges(operation, graph).first,
                     boost::out_degree(operation, graph),
                     [&](auto edge) { return boost::target(edge, graph); });
}

std::vector<use_of_array> uses_of(const array_graph& graph, vertex array) {
  if (boost::out_degree(array, graph) == 1) {
    const auto edge = *boost::out_edges(array, graph).first;
    return {{boost::target(edge, graph), graph[edge].position}};
  }
  std::vector<std::pair<graph_edge, vertex>> found;
  for (auto [edge, last] = boost::out_edges(array, graph); edge != last; ++edge) {
    found.emplace_back(graph[*edge], boost::target(*edge, graph));
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.first.serial < b.first.serial; });
  std::vector<use_of_array> uses;
  for (const auto& [edge, reader] : found) uses.push_back({reader, edge.position});
  return uses;
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

vertex add_operation(array_graph& graph, operation what, const few<vertex>& inputs,
                     const few<vertex>& outputs) {
  const vertex v = add(graph, planned_operation{std::move(what)});
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

void set_inputs(array_graph& graph, vertex operation, const few<vertex>& arrays) {
  if (inputs_of(graph, operation) == arrays) return count_anew(graph, operation);
  remove_in_edges(graph, operation);
  for (std::size_t i = 0; i < arrays.size(); ++i) connect(graph, arrays[i], operation, i);
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
  remove_in_edges(graph, v);
  boost::clear_out_edges(v, graph);
  boost::remove_vertex(v, graph);
}

void remove_output(array_graph& graph, vertex operation, vertex array) {
  changes(graph);
  boost::remove_edge(operation, array, graph);
}

void remove_outputs(array_graph& graph, vertex operation) {
  changes(graph);
  boost::clear_out_edges(operation, graph);
}

namespace {

// The order in which a depth-first search leaves vertices, backwards: an operation stands right
// behind what it alone needs.
std::vector<vertex> found_order(const array_graph& graph) {
  enum class state : unsigned char { unseen, entered, left };
  std::vector<state> states(graph[boost::graph_bundle].vertices, state::unseen);
  std::vector<vertex> order;
  order.reserve(boost::num_vertices(graph));
  // Those that are entered and not left yet, each with what it leads to above it, the first on top.
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
      if (now == state::left) continue;
      now = state::left;
      order.push_back(v);
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

const graph_order& order_of(array_graph& graph) {
  std::shared_ptr<const graph_order>& known = graph[boost::graph_bundle].order;
  if (known == nullptr) {
    graph_order found{.all = found_order(graph), .operations = {}};
    std::copy_if(found.all.begin(), found.all.end(), std::back_inserter(found.operations),
                 [&](vertex v) { return is_operation(graph, v); });
    known = std::make_shared<const graph_order>(std::move(found));
  }
  return *known;
}

}  // namespace

std::vector<vertex> in_order(array_graph& graph) { return order_of(graph).all; }

std::vector<vertex> operations_in_order(array_graph& graph) { return order_of(graph).operations; }

}  // namespace tessera
