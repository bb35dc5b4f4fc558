// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The graph of a plan: arrays and operations, with one edge for each use.

#include "tessera/plan/bounded_plan.hpp"
#include "tessera/plan/node.hpp"

#include "core/api/small_vector.hpp"
#include "plan/api/explanation_texts.hpp"
#include "plan/api/planned.hpp"
#include "plan/rechunk/route_cache.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tessera {

/// A vertex. Its array or operation is allocated apart, so that traversals touch few bytes.
struct graph_vertex {
  std::variant<std::unique_ptr<planned_array>, std::unique_ptr<planned_operation>> node;
  /// Counts the vertices of a graph in the order in which they were added.
  std::size_t serial = 0;
  /// The number of the array or the operation in a complete plan.
  std::size_t number = 0;
};

/// An array leads to an operation as its operand `position`; an operation to its output `position`.
struct graph_edge {
  std::size_t position = 0;
  /// Counts the edges of a graph in the order in which they were added.
  std::size_t serial = 0;
};

struct graph_order;

/// The number of vertices and edges that were ever added to a graph, its cached topological order
/// (null after a vertex or an edge was added or removed), and values that attempts at a plan share.
struct graph_counts {
  std::size_t vertices = 0;
  std::size_t edges = 0;
  std::shared_ptr<const graph_order> order = nullptr;
  /// The number of operands of all priced operations, repetitions counted: the work of the planner.
  mutable std::size_t priced_operands = 0;
  /// The number of pairs of operands of all priced operations. Of operations of many views, the
  /// work grows with it.
  mutable std::size_t priced_pairs = 0;
  /// The routes of rechunks; the graphs of all attempts at a plan have one cache.
  std::shared_ptr<rechunking::route_cache> routes = std::make_shared<rechunking::route_cache>();
  /// The memory of the host, as long as attempts are made. Not set: it is read at each use.
  std::optional<bytes> installed_memory = std::nullopt;
};

/// Counts the price of an operation of `num_operands`.
inline void count_price(const graph_counts& counts, std::size_t num_operands) {
  counts.priced_operands += num_operands;
  counts.priced_pairs += num_operands * num_operands;
}

/// The graph of a plan.
///
/// Vertices are in a list, so that removing one keeps the descriptors of all others valid. Edges
/// are in sets, so that removing one of very many is fast. Sets are ordered by address, so that
/// algorithms order edges by serial number instead.
using array_graph = boost::adjacency_list<boost::multisetS, boost::listS, boost::bidirectionalS,
                                          graph_vertex, graph_edge, graph_counts>;
using vertex = array_graph::vertex_descriptor;

/// The vertices of a graph in topological order, and the operations among them.
struct graph_order {
  std::vector<vertex> vertices;
  std::vector<vertex> operations;
};

/// The program of a plan before any choice by cost: the same on every host, for every engine and
/// any memory.
struct asked_program {
  /// An operation, in a compact form.
  struct step {
    std::string name;
    std::vector<index_t> domain;
    std::vector<index_t> block;
    std::vector<index_t> step;
    axis_set ordered;
    std::vector<index_map> operands;
    primitive_handle primitive;
    std::vector<std::size_t> reads;
    std::vector<std::size_t> makes;

    [[nodiscard]] operation op() const;
  };
  /// Sources and requested arrays; null for intermediates, which steps describe.
  std::vector<std::shared_ptr<const planned_array>> arrays;
  std::vector<step> steps;
  std::vector<std::size_t> outputs;
};

/// A pass that was switched off, with the cost of the plan with it and without it.
struct left_out_pass {
  bool pass_switches::*pass = nullptr;
  plan_cost with;
  plan_cost without;
  /// Whether no plan with this pass keeps to the memory.
  bool is_for_memory = false;
};

/// The choices of the search among plans.
struct plan_choices {
  pass_switches passes;
  /// The serial numbers of the arrays between operations that no pass may fuse away, in the graph
  /// of `collect`.
  std::vector<std::size_t> materialized = {};
  /// The serial numbers of the arrays that each reader computes itself, as memory has no room for
  /// them.
  std::vector<std::size_t> recomputed = {};
  /// The serial numbers of the arrays that are copied into their own chunks if blocks are cut, as
  /// gathers would read chunks of cut blocks often.
  std::vector<std::size_t> rechunked = {};
  /// The memory of a task that passes keep to; not set: the allowed memory.
  std::optional<bytes> allowed_memory = std::nullopt;
};

/// An attempt at a plan. The first has the passes that were asked for.
struct plan_attempt {
  plan_choices choices;
  /// The memory of a task that passes kept to.
  bytes allowed_memory;
  /// Whether passes could put arrays into memory, and cache inputs there.
  bool uses_memory = false;
  bool may_keep = false;
  /// The reason for which another attempt was chosen, with its figures; empty for the chosen one.
  std::string why_lost = {};
};

/// The attempts at one plan, and the values that they share.
struct plan_search {
  std::vector<plan_attempt> attempts = {};
  std::shared_ptr<rechunking::route_cache> routes = std::make_shared<rechunking::route_cache>();
  /// The memory of the host, read once. Not set: the limits name it.
  std::optional<bytes> installed_memory = std::nullopt;
  /// The pairs of operands of operations that all attempts have priced.
  std::size_t priced_pairs = 0;
  /// Whether the search has ended before its moves, as attempts had priced too many.
  bool has_moves_left = false;
};

/// The inputs of the planner, by which a plan can be explained.
struct plan_origin {
  std::vector<plan_output> requests;
  plan_choices choices;
  /// Whether passes could put arrays into the memory of the plan's workers.
  bool uses_memory = false;
  /// The memory of a task that passes kept to: below the plan's limit if results leave less.
  bytes allowed_memory;
  /// The passes that were switched off because the plan is better without them.
  std::vector<left_out_pass> left_out = {};
  /// All attempts in their order, and the position of this plan's attempt.
  std::vector<plan_attempt> attempts = {};
  std::size_t attempt = 0;
  /// Whether the search has ended before its moves.
  bool has_moves_left = false;
};

/// The graph, and the array of each requested output.
struct plan_graph {
  plan_graph() = default;
  // A copy would have other vertex descriptors.
  plan_graph(const plan_graph&) = delete;
  plan_graph& operator=(const plan_graph&) = delete;

  array_graph graph;
  std::vector<vertex> outputs;
  /// The destination of each output; null: the plan chooses.
  std::vector<std::shared_ptr<const array_destination>> destinations;
  /// The serial numbers of cached copies of stored arrays, possibly of removed ones; and whether
  /// the pass `keep` may add such copies.
  std::vector<std::size_t> kept;
  bool may_keep = true;
  /// The serial numbers of the arrays that each reader computes itself (`plan_choices`), and of the
  /// arrays that are computed once because memory may hold them.
  std::vector<std::size_t> recomputed;
  std::vector<std::size_t> left_for_memory;
  /// The serial numbers of the arrays that keep their chunks (`plan_choices`).
  std::vector<std::size_t> rechunked;
  /// The passes that have changed this plan, or an earlier attempt at it.
  std::vector<bool pass_switches::*> changed_by;
  /// The program; of a plan from a file, only its hash is known.
  asked_program asked;
  std::string hash_of_asked;
  /// nullopt for a plan from a file.
  std::optional<plan_origin> origin;
  /// That of the file of a loaded plan.
  std::optional<explanation_texts> explanation;
  /// Whether arrays between operations are all in storage, so that a task that reads one holds its
  /// chunk and codec.
  bool stores_all = false;
  /// Whether `merge_maps` runs: passes before it leave it the maps that it may merge.
  bool merges_maps = true;
};

/// Returns the program that `plan` computes in its present state.
[[nodiscard]] asked_program program_of(plan_graph& plan);

/// Returns the graph of all arrays and operations that `outputs` depend on, with the arrays of the
/// serial numbers `materialized` marked as such.
[[nodiscard]] std::shared_ptr<plan_graph> collect(
    const std::vector<plan_output>& outputs, const std::vector<std::size_t>& materialized = {});

[[nodiscard]] bool is_operation(const array_graph& graph, vertex v);
[[nodiscard]] operation& operation_at(array_graph& graph, vertex v);
[[nodiscard]] const operation& operation_at(const array_graph& graph, vertex v);
[[nodiscard]] planned_operation& planned_at(array_graph& graph, vertex v);
[[nodiscard]] planned_array& array_at(array_graph& graph, vertex v);
[[nodiscard]] const planned_array& array_at(const array_graph& graph, vertex v);

/// Returns the arrays that an operation reads, by operand.
[[nodiscard]] small_vector<vertex> inputs_of(const array_graph& graph, vertex operation);
/// Returns the arrays that an operation reads, each once, in the order of its operands.
[[nodiscard]] std::vector<vertex> arrays_read_by(const array_graph& graph, vertex operation);
/// Returns the operations that compute the operands of an operation, each once, in their order.
[[nodiscard]] std::vector<vertex> producers_of(const array_graph& graph, vertex operation);
/// Returns the arrays that an operation computes, by output.
[[nodiscard]] small_vector<vertex> outputs_of(const array_graph& graph, vertex operation);
/// A use of an array: an operation that reads it, and the position of the operand.
struct use_of_array {
  vertex reader;
  std::size_t position = 0;
};
/// Returns all uses of an array, in the order in which they were added.
[[nodiscard]] std::vector<use_of_array> uses_of(const array_graph& graph, vertex array);
/// Returns the operations that read an array, each once, in the order in which they were added.
[[nodiscard]] std::vector<vertex> readers_of(const array_graph& graph, vertex array);
/// Tells whether exactly one operation reads an array.
[[nodiscard]] bool has_one_reader(const array_graph& graph, vertex array);
/// Returns the operation that computes an array, or null for a source.
[[nodiscard]] vertex producer_of(const array_graph& graph, vertex array);

[[nodiscard]] vertex add_array(array_graph& graph, planned_array array);
/// Adds an operation that reads `inputs` and computes `outputs`.
vertex add_operation(array_graph& graph, operation op, const small_vector<vertex>& inputs,
                     const small_vector<vertex>& outputs);

/// Adds an edge: `array` becomes operand `position` of `operation`.
void add_input(array_graph& graph, vertex array, vertex operation, std::size_t position);
/// Adds an edge: `array` becomes output `position` of `operation`.
void add_output(array_graph& graph, vertex operation, vertex array, std::size_t position);

/// Replaces the inputs of an operation by `arrays`.
void set_inputs(array_graph& graph, vertex operation, const small_vector<vertex>& arrays);

/// Returns an operation that copies an array in blocks of `block`.
[[nodiscard]] operation copy_operation(const planned_array& from, const index_vector& block);
/// Adds an operation that copies `array`, in blocks of `block`, and returns the copy.
[[nodiscard]] vertex add_copy(array_graph& graph, vertex array, const index_vector& chunks,
                              const index_vector& block);
/// As above, in blocks of one chunk.
[[nodiscard]] vertex add_copy(array_graph& graph, vertex array, const index_vector& chunks);

/// Removes a vertex with its edges.
void remove(array_graph& graph, vertex v);
/// Removes the edge to an output of `operation`.
void remove_output(array_graph& graph, vertex operation, vertex array);
/// Removes the edges to all outputs of `operation`.
void remove_outputs(array_graph& graph, vertex operation);

/// Returns all vertices in topological order. The graph caches the order until it changes.
[[nodiscard]] std::vector<vertex> in_order(array_graph& graph);
/// Returns the operations among `in_order(graph)`.
[[nodiscard]] std::vector<vertex> operations_in_order(array_graph& graph);

}  // namespace tessera
