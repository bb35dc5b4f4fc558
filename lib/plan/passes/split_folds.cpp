// SPDX-License-Identifier: Apache-2.0
#include "plan/parts.hpp"
#include "plan/passes/passes.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// How many tasks a fold should have, so that many workers have something to do. It does not depend
/// on how many there are: the same program gives the same bits everywhere.
constexpr index_t wanted_tasks = 64;

/// A part is no smaller than this many elements.
constexpr index_t least_part = index_t{1} << 16;

/// The states of all parts together are at most this fraction of what is folded.
constexpr double largest_share_of_states = 1.0 / 16;

double product(const index_vector& extents) {
  double elements = 1;
  for (const index_t extent : extents) elements *= static_cast<double>(extent);
  return elements;
}

/// Returns into how many parts the reduced axes of `what` should be cut altogether.
index_t wanted_parts(const operation& what, const fold_body& fold) {
  double kept = 1;
  double task_elements = 1;
  for (std::size_t axis = 0; axis < what.domain.size(); ++axis) {
    const auto extent = static_cast<double>(what.domain[axis]);
    if (!what.reduced[axis]) kept *= extent;
    task_elements *= std::min(static_cast<double>(what.block[axis]), extent);
  }
  double state_bytes = 0;
  for (const fold_step& step : fold.folds) {
    for (const dtype type : step.kernel->planes) state_bytes += static_cast<double>(size_of(type));
  }
  double input_bytes = 0;
  for (std::size_t i = 0; i < fold.program.num_operands; ++i) {
    input_bytes = std::max(input_bytes, static_cast<double>(size_of(fold.program.registers[i])));
  }
  input_bytes *= product(what.domain);
  const double most_for_states = largest_share_of_states * input_bytes / (state_bytes * kept);
  const double most_for_work = task_elements / static_cast<double>(least_part);
  const double wanted =
      static_cast<double>(wanted_tasks) / static_cast<double>(what.tasks().size());
  return static_cast<index_t>(std::min({wanted, most_for_states, most_for_work}));
}

/// Cuts the reduced axes of `what` into about `parts` blocks that are multiples of its stream.
void cut(operation& what, index_t parts) {
  for (std::size_t axis = 0; axis < what.domain.size() && parts > 1; ++axis) {
    if (!what.reduced[axis]) continue;
    const index_t steps = ceil_divide(what.domain[axis], what.stream[axis]);
    const index_t steps_in_part = ceil_divide(steps, std::min(parts, steps));
    what.block[axis] = steps_in_part * what.stream[axis];
    parts = ceil_divide(parts, ceil_divide(steps, steps_in_part));
  }
}

/// Returns `what` in blocks that each lie in one process's memory; nothing if it reads no array in
/// the memory of several, or cannot be cut so.
std::optional<operation> along_parts(const array_graph& graph, vertex v) {
  operation what = operation_at(graph, v);
  const std::vector<vertex> inputs = inputs_of(graph, v);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const distribution* parts = parts_of(array_at(graph, inputs[i]));
    if (parts == nullptr) continue;
    for (std::size_t axis = 0; axis < parts->grid.rank(); ++axis) {
      const std::size_t walked = what.operands[i][axis].axis;
      if (walked == axis_map::none || !what.reduced[walked]) continue;
      what.block[walked] = parts->grid.chunks()[axis];
      what.stream[walked] = std::min(what.stream[walked], what.block[walked]);
    }
    if (keeps_to_chunks(what, i, parts->grid)) return what;
    return std::nullopt;
  }
  return std::nullopt;
}

/// Returns the fold of the states that `partial` makes.
operation combining(const operation& complete, const operation& partial) {
  const auto& fold = std::get<fold_body>(complete.body);
  operation combine;
  combine.name = complete.name + ", combine";
  combine.domain = partial.output_shape();
  combine.block = partial.output_chunks();
  combine.stream = partial.output_chunks();
  combine.reduced = complete.reduced;
  combine.outputs = complete.outputs;
  strip_program planes{.num_operands = partial.outputs.size(),
                       .registers = partial.outputs,
                       .steps = {},
                       .results = {}};
  for (std::size_t i = 0; i < partial.outputs.size(); ++i) {
    planes.results.push_back(i);
    combine.operands.push_back(index_map::identity(combine.domain.size()));
  }
  for (std::size_t axis = 0; axis < combine.domain.size(); ++axis) {
    if (combine.reduced[axis]) combine.block[axis] = combine.domain[axis];
  }
  combine.body = fold_body{std::move(planes), fold.folds, fold_phase::combine, partial.tasks()};
  return combine;
}

/// Puts the fold of the blocks of `partial`, and that of their states, in the place of `v`.
void split(array_graph& graph, vertex v, operation partial) {
  const operation complete = operation_at(graph, v);
  auto& fold = std::get<fold_body>(partial.body);
  fold.phase = fold_phase::partial;
  partial.name += ", parts";
  partial.outputs.clear();
  for (const fold_step& step : fold.folds) {
    partial.outputs.insert(partial.outputs.end(), step.kernel->planes.begin(),
                           step.kernel->planes.end());
  }
  const std::vector<vertex> inputs = inputs_of(graph, v);
  const vertex first = boost::add_vertex(graph_vertex{partial}, graph);
  set_inputs(graph, first, inputs);
  std::vector<vertex> states;
  for (std::size_t i = 0; i < partial.outputs.size(); ++i) {
    const array_vertex state{partial.outputs[i],
                             partial.output_shape(),
                             partial.output_chunks(),
                             "states of " + complete.name,
                             {},
                             false};
    states.push_back(boost::add_vertex(graph_vertex{state}, graph));
    boost::add_edge(first, states.back(), graph_edge{i}, graph);
  }
  operation_at(graph, v) = combining(complete, partial);
  set_inputs(graph, v, states);
}

}  // namespace

void split_folds(plan_graph& plan) {
  for (const vertex v : operations_in_order(plan.graph)) {
    const operation& what = operation_at(plan.graph, v);
    const auto* fold = std::get_if<fold_body>(&what.body);
    if (fold == nullptr || fold->phase != fold_phase::complete) continue;
    if (product(what.domain) < 1) continue;
    if (auto partial = along_parts(plan.graph, v)) {
      if (partial->block != what.block) split(plan.graph, v, std::move(*partial));
      continue;
    }
    if (what.tasks().size() >= wanted_tasks) continue;
    const index_t parts = wanted_parts(what, *fold);
    if (parts <= 1) continue;
    operation partial = what;
    cut(partial, parts);
    split(plan.graph, v, std::move(partial));
  }
}

}  // namespace tessera
