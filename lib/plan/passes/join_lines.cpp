// SPDX-License-Identifier: Apache-2.0
/// \file
/// Joins folds to a function of whole lines that reads the same array.
///
/// Problem: median(x) and mean(x) along one axis, or the number of elements above quantile(x), read
/// x twice. The function of lines has often to copy x into chunks of whole lines first:
///     x -> [copy] -> x' -> [median] -> y          x -> [copy] -> x' -> [median; mean] -> y, z
///     x -> [mean] -> z
/// Idea: a task of the function holds whole lines of x, so it can fold them as well. The fold may
/// read the outputs of the function at its own positions.
/// Legality (`check_applicable`): both have one domain; the fold reduces axes alone of which the
/// function takes all; it reads operands of the function through the same maps, and its outputs;
/// blocks of the function hold whole chunks of the outputs of the fold.
/// Price (`check_cost`): fewer bytes are read, and a task of both keeps to the allowed memory if a
/// task of the function does. If it does not, `cut_blocks` cuts the blocks of both.
/// Invariant: the fold keeps its steps inside the task, so that its bits stay the same.
/// Reference: horizontal fusion of operators, as in TASO (Jia et al., SOSP 2019).

#include "plan/buffers.hpp"
#include "plan/passes/candidate.hpp"
#include "plan/passes/layers.hpp"
#include "plan/passes/passes.hpp"
#include "plan/passes/whole_chunks.hpp"
#include "primitive/api/build.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// Tells whether `op` is a function of whole lines, in one call, of which cuts along other axes
/// keep the elements.
bool is_function_of_lines(const operation& op) {
  const primitive& body = *op.primitive;
  return body.is_passive() && !body.carries() && body.may_shrink() && body.reduced().any() &&
         body.as_elementwise() == nullptr && body.in_stages().empty() &&
         op.schedule.ordered.none() && op.schedule.takes_all(body.reduced()) &&
         body.demand(op.schedule, op.operands.size()).last_repeated_step == 0;
}

bool is_fold(const operation& op) {
  const primitive& body = *op.primitive;
  return body.is_passive() && body.as_elementwise() == nullptr && !body.in_stages().empty() &&
         op.schedule.ordered.none() && op.schedule.takes_all(body.reduced());
}

/// A function of lines and a fold.
struct joined_pair {
  vertex lines;
  vertex fold;
};

/// Returns the operands of the fold as operands or outputs of the function of lines; nullopt if the
/// fold reads another array, or no operand of the function.
std::optional<std::vector<map_input>> inputs_in_lines(const array_graph& graph,
                                                      const joined_pair& pair) {
  const operation& lines = operation_at(graph, pair.lines);
  const operation& fold = operation_at(graph, pair.fold);
  const small_vector<vertex> operands = inputs_of(graph, pair.lines);
  const small_vector<vertex> outputs = outputs_of(graph, pair.lines);
  const small_vector<vertex> inputs = inputs_of(graph, pair.fold);
  std::vector<map_input> result;
  bool shares_operand = false;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::optional<map_input> match;
    for (std::size_t k = 0; k < operands.size() && !match; ++k) {
      if (operands[k] != inputs[i] || lines.operands[k] != fold.operands[i]) continue;
      match = {false, k};
      shares_operand = true;
    }
    for (std::size_t k = 0; k < outputs.size() && !match; ++k) {
      const std::vector<output_axis>& axes = lines.outputs[k].axes;
      if (outputs[k] == inputs[i] && std::ranges::all_of(axes, &output_axis::is_of_domain) &&
          fold.operands[i] == to_output(lines.schedule.rank(), lines.outputs[k])) {
        match = {true, k};
      }
    }
    if (!match) return std::nullopt;
    result.push_back(*match);
  }
  return shares_operand ? std::optional(result) : std::nullopt;
}

/// Returns a refusal if tasks of the function of lines cannot fold its operands.
reason check_applicable(const array_graph& graph, const joined_pair& pair) {
  const operation& lines = operation_at(graph, pair.lines);
  const operation& fold = operation_at(graph, pair.fold);
  if (lines.schedule.domain != fold.schedule.domain) {
    return "{op} and {partner} have different domains";
  }
  if ((fold.primitive->reduced() & ~lines.primitive->reduced()).any()) {
    return "{op} folds an axis of which tasks of {partner} take a part";
  }
  if (reads_distributed(graph, pair.lines) || reads_distributed(graph, pair.fold)) {
    return input_is_distributed;
  }
  const small_vector<vertex> arrays = outputs_of(graph, pair.fold);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const planned_array& array = array_at(graph, arrays[i]);
    const index_vector block = fold.outputs[i].block(lines.schedule);
    if (!holds_whole_chunks(block, array.shape, array.chunks)) {
      return "blocks of {partner} would cut chunks of the output of {op}";
    }
  }
  return nullptr;
}

/// Returns the function of lines with the fold, whose operands are `inputs`; nullopt if it has too
/// many stages.
std::optional<candidate> join(const array_graph& graph, const joined_pair& pair,
                              const std::vector<map_input>& inputs) {
  const operation& fold = operation_at(graph, pair.fold);
  candidate joined = candidate_at(graph, pair.lines);
  index_vector step = fold.schedule.domain;
  for (std::size_t axis = 0; axis < step.size(); ++axis) {
    if (fold.primitive->reduced()[axis]) step[axis] = fold.schedule.step[axis];
    step[axis] = std::max<index_t>(1, step[axis]);
  }
  joined.op.primitive = join_fold(joined.op.primitive, joined.inputs.size(), fold.primitive,
                                  std::move(step), inputs, joined.op.schedule);
  if (joined.op.primitive == nullptr) return std::nullopt;
  joined.op.name = joined_names(joined.op.name, fold.name);
  joined.op.schedule.step = joined.op.schedule.block;
  joined.op.outputs = joined.op.primitive->outputs(joined.op.schedule);
  return joined;
}

/// Returns a refusal unless `joined`, with `outputs`, reads less and fits as the function alone.
reason check_cost(const array_graph& graph, const candidate& joined,
                  const small_vector<vertex>& outputs, const joined_pair& pair,
                  const spec& limits) {
  const planned_operation lines = estimate(graph, pair.lines, limits);
  const planned_operation fold = estimate(graph, pair.fold, limits);
  const planned_operation planned = estimate(graph, joined.op, joined.inputs, outputs, limits);
  const bytes apart = lines.bytes_read + fold.bytes_read;
  if (planned.bytes_read >= apart) {
    return {no_repeated_reads, "{} together, {} apart", planned.bytes_read, apart};
  }
  return fits(lines, limits) && !fits(planned, limits) ? too_large(planned, limits) : reason();
}

/// Joins the fold to the function of lines. Returns null, or a refusal.
reason fuse(array_graph& graph, const joined_pair& pair, const pass_context& context) {
  if (const reason refusal = check_applicable(graph, pair)) return refusal;
  const std::optional<std::vector<map_input>> inputs = inputs_in_lines(graph, pair);
  if (!inputs) return "{op} reads other elements than the operands and outputs of {partner}";
  std::optional<candidate> joined = join(graph, pair, *inputs);
  if (!joined) return no_primitive_does_both;
  const small_vector<vertex> added = outputs_of(graph, pair.fold);
  small_vector<vertex> outputs = outputs_of(graph, pair.lines);
  std::size_t position = outputs.size();
  outputs.insert(outputs.end(), added.begin(), added.end());
  if (const reason refusal = check_cost(graph, *joined, outputs, pair, context.limits))
    return refusal;
  context.tell(graph, pair.lines, [&] {
    return fmt::format("computes '{}' from the same lines", operation_at(graph, pair.fold).name);
  });
  remove(graph, pair.fold);
  put(graph, pair.lines, *std::move(joined));
  for (const vertex array : added) add_output(graph, pair.lines, array, position++);
  return nullptr;
}

/// Returns the folds that read an array that `lines` reads, each once.
std::vector<vertex> folds_beside(const array_graph& graph, vertex lines) {
  std::vector<vertex> folds;
  for (const vertex input : inputs_of(graph, lines)) {
    for (const vertex reader : readers_of(graph, input)) {
      if (reader == lines || !is_fold(operation_at(graph, reader))) continue;
      if (std::ranges::find(folds, reader) == folds.end()) folds.push_back(reader);
    }
  }
  return folds;
}

/// Tells whether `fold` reads an output of `lines`.
bool reads_output(const array_graph& graph, const joined_pair& pair) {
  const small_vector<vertex> inputs = inputs_of(graph, pair.fold);
  return std::ranges::any_of(inputs,
                             [&](vertex input) { return producer_of(graph, input) == pair.lines; });
}

}  // namespace

void join_lines(plan_graph& plan, const pass_context& context) {
  array_graph& graph = plan.graph;
  std::vector<vertex> functions = operations_in_order(graph);
  std::erase_if(functions, [&](vertex v) { return !is_function_of_lines(operation_at(graph, v)); });
  if (functions.empty()) return;
  layers layers_of_graph(graph);
  for (const vertex lines : functions) {
    for (const vertex fold : folds_beside(graph, lines)) {
      const joined_pair pair{lines, fold};
      const std::size_t layer = std::max(layers_of_graph[lines], layers_of_graph[fold]);
      reason refusal;
      // A reader of the function cannot come before it, as the graph has no cycle.
      if (!reads_output(graph, pair) && layers_of_graph.may_lead(lines, fold)) {
        refusal = "one of {op} and {partner} needs a result of the other";
      } else {
        refusal = fuse(graph, pair, context);
      }
      if (refusal == nullptr) {
        layers_of_graph.lift(lines, layer);
      } else {
        context.leave(graph, fold, refusal, lines);
      }
    }
  }
}

}  // namespace tessera
