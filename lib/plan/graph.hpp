// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The graph of a plan: arrays and operations, with one edge for each use.

#include "tessera/core/few.hpp"
#include "tessera/plan/bounded_plan.hpp"
#include "tessera/plan/node.hpp"
#include "tessera/plan/planned.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tessera {

/// What it is lies elsewhere: those who walk the graph look at few of the many bytes of that.
struct graph_vertex {
  std::variant<std::unique_ptr<planned_array>, std::unique_ptr<planned_operation>> what;
  /// Counts the vertices of a graph in the order in which they were added.
  std::size_t serial = 0;
  /// Its place among the arrays, or the operations, of a plan that is made.
  std::size_t number = 0;
};

/// An array leads to an operation as its operand `position`; an operation to its output `position`.
struct graph_edge {
  std::size_t position = 0;
  /// Counts the edges of a graph in the order in which they were added.
  std::size_t serial = 0;
};

struct graph_order;

/// How many vertices and edges were ever added to a graph, and the order in which it stands; null
/// where that is not known, as when a vertex or an edge has come or gone.
struct graph_counts {
  std::size_t vertices = 0;
  std::size_t edges = 0;
  std::shared_ptr<const graph_order> order = nullptr;
  /// Operands of all operations that were priced, each time counted: the work of the planner.
  mutable std::size_t priced_operands = 0;
};

/// Vertices are kept in a list, so that a pass may remove some while it holds on to others; edges
/// in sets, so that one of very many can be removed. A set's order is that of addresses: what
/// depends on the order of edges takes that of their serial numbers.
using array_graph = boost::adjacency_list<boost::multisetS, boost::listS, boost::bidirectionalS,
                                          graph_vertex, graph_edge, graph_counts>;
using vertex = array_graph::vertex_descriptor;

/// The vertices of a graph, each behind those that lead to it, and the operations among them.
struct graph_order {
  std::vector<vertex> all;
  std::vector<vertex> operations;
};

/// What a plan was asked for, before anything in it is chosen: the same on every host, on every
/// engine, in however much memory.
struct asked_program {
  /// An operation, in as little memory as it takes.
  struct step {
    std::string name;
    std::vector<index_t> domain;
    std::vector<index_t> block;
    std::vector<index_t> stream;
    axis_set ordered;
    std::vector<index_map> operands;
    primitive_handle body;
    std::vector<std::size_t> reads;
    std::vector<std::size_t> makes;

    [[nodiscard]] operation what() const;
  };
  /// The sources, and what was asked for; null for what is between, of which steps say all.
  std::vector<std::shared_ptr<const planned_array>> arrays;
  std::vector<step> steps;
  std::vector<std::size_t> outputs;
};

/// A pass that a plan was made without, and what the plan would cost with it and costs so.
struct left_out_pass {
  bool pass_switches::*pass = nullptr;
  plan_cost with;
  plan_cost without;
  /// Whether with it there is no plan that keeps to the memory.
  bool is_for_memory = false;
};

/// What a plan was made of, so that it can tell why it is as it is.
struct plan_origin {
  std::vector<plan_output> requests;
  pass_switches passes;
  /// Whether passes could put arrays into the memory of the plan's workers.
  bool uses_memory = false;
  /// The limit of a task that passes kept to: less than the plan's where results leave less.
  bytes allowed_memory;
  /// What was switched off because the plan is better without.
  std::vector<left_out_pass> left_out = {};
};

/// The graph, and for each output that was asked for the array that gives it.
struct plan_graph {
  plan_graph() = default;
  // In a copy of the graph its vertices would be others.
  plan_graph(const plan_graph&) = delete;
  plan_graph& operator=(const plan_graph&) = delete;

  array_graph graph;
  std::vector<vertex> outputs;
  /// Where each output goes because the caller said so; null: it is the plan's choice.
  std::vector<std::shared_ptr<const array_destination>> destinations;
  /// The serial numbers of arrays that are in memory to hold what is stored elsewhere too, for
  /// those that would read that again, also of some that are no more; and whether there may be
  /// such.
  std::vector<std::size_t> kept;
  bool may_keep = true;
  /// The passes that have changed anything here, or in a plan in whose place this one was made.
  std::vector<bool pass_switches::*> changed_by;
  /// What was asked for; of a plan that comes from a file the hash of that alone.
  asked_program asked;
  std::string hash_of_asked;
  /// Nothing in a plan that comes from a file.
  std::optional<plan_origin> origin;
};

/// Returns what `plan` computes as it is now.
[[nodiscard]] asked_program program_of(plan_graph& plan);

/// Returns the graph of everything that `outputs` are computed from.
[[nodiscard]] std::shared_ptr<plan_graph> collect(const std::vector<plan_output>& outputs);

[[nodiscard]] bool is_operation(const array_graph& graph, vertex v);
[[nodiscard]] operation& operation_at(array_graph& graph, vertex v);
[[nodiscard]] const operation& operation_at(const array_graph& graph, vertex v);
[[nodiscard]] planned_operation& planned_at(array_graph& graph, vertex v);
[[nodiscard]] planned_array& array_at(array_graph& graph, vertex v);
[[nodiscard]] const planned_array& array_at(const array_graph& graph, vertex v);

/// Returns the arrays that an operation reads, by operand.
[[nodiscard]] few<vertex> inputs_of(const array_graph& graph, vertex operation);
/// Returns the arrays that an operation makes, by output.
[[nodiscard]] few<vertex> outputs_of(const array_graph& graph, vertex operation);
/// An operation that reads an array, and as which operand.
struct use_of_array {
  vertex reader;
  std::size_t position = 0;
};
/// Returns all uses of an array, in the order in which they were added.
[[nodiscard]] std::vector<use_of_array> uses_of(const array_graph& graph, vertex array);
/// Returns the operations that read an array, each once, in the order in which they were added.
[[nodiscard]] std::vector<vertex> readers_of(const array_graph& graph, vertex array);
/// Tells whether one operation alone reads an array.
[[nodiscard]] bool has_one_reader(const array_graph& graph, vertex array);
/// Returns the operation that makes an array; null for a source.
[[nodiscard]] vertex producer_of(const array_graph& graph, vertex array);

[[nodiscard]] vertex add_array(array_graph& graph, planned_array array);
/// Adds an operation that reads `inputs` and makes `outputs`.
vertex add_operation(array_graph& graph, operation what, const few<vertex>& inputs,
                     const few<vertex>& outputs);

/// Adds an edge: `array` becomes operand `position` of `operation`.
void add_input(array_graph& graph, vertex array, vertex operation, std::size_t position);
/// Adds an edge: `array` becomes output `position` of `operation`.
void add_output(array_graph& graph, vertex operation, vertex array, std::size_t position);

/// Makes `arrays` the inputs of an operation, in place of those that it had.
void set_inputs(array_graph& graph, vertex operation, const few<vertex>& arrays);

/// Returns what copies an array block by block.
[[nodiscard]] operation copy_operation(const planned_array& from, const index_vector& block);
/// Adds an operation that copies `array`, in blocks of `block`, and returns the array it makes.
[[nodiscard]] vertex add_copy(array_graph& graph, vertex array, const index_vector& chunks,
                              const index_vector& block);
/// As above, in blocks of one chunk.
[[nodiscard]] vertex add_copy(array_graph& graph, vertex array, const index_vector& chunks);

/// Removes a vertex with its edges.
void remove(array_graph& graph, vertex v);
/// Removes the edge to an array that `operation` makes.
void remove_output(array_graph& graph, vertex operation, vertex array);
/// Removes the edges to all arrays that `operation` makes.
void remove_outputs(array_graph& graph, vertex operation);

/// Returns all vertices in an order in which each stands behind those that lead to it. The graph
/// keeps it until it changes.
[[nodiscard]] std::vector<vertex> in_order(array_graph& graph);
/// Returns the operations among `in_order(graph)`.
[[nodiscard]] std::vector<vertex> operations_in_order(array_graph& graph);

}  // namespace tessera
