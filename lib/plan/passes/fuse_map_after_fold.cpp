// SPDX-License-Identifier: Apache-2.0
/// \file
/// Fuses a map of a fold's input and of its results into the fold.
///
/// Problem: f(x, g(x)), with g a fold over lines of x, such as (x - mean(x)) / std(x), reads x
/// twice: once for g and once for f. A task that holds whole lines can fold them, and then compute
/// f while they still lie in memory:
///     x -> [g] -> y                 +--------- task ---------+
///     x -------------> [f] -> z     | x -> g -> y; f(x, y)   | -> z
/// Legality (`check_applicable`): both operations have the same domain; a task of g takes all
/// reduced axes, in no order; f reads the results of g at the positions of the fold's kept axes;
/// blocks of g hold whole chunks of the outputs of f. Results of g that are requested, or that
/// operations read which f does not need, leave the tasks as well, if all results do.
/// Price (`check_cost`): fewer bytes are read, a task with whole lines keeps to the allowed memory,
/// and at least half as many workers have a task.
/// Invariant: the fold keeps its steps inside the task, so that its bits stay the same.
/// Reference: Cache blocking of layer normalization and softmax in fused kernels, as in Triton.

#include "plan/buffers.hpp"
#include "plan/parts.hpp"
#include "plan/passes/candidate.hpp"
#include "plan/passes/fusion_estimate.hpp"
#include "plan/passes/layers.hpp"
#include "plan/passes/passes.hpp"
#include "plan/stored_reads.hpp"
#include "primitive/api/build.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// A fold, and a map that may read its results and its input.
struct fold_map {
  vertex fold;
  vertex map;
  /// Whether the tasks emit the results of the fold beside the results of the map: others need all.
  bool emits_fold = false;
};

/// Returns the folds that compute operands of `map`, in the order of the operands.
std::vector<vertex> folds_read(const array_graph& graph, vertex map) {
  std::vector<vertex> folds = producers_of(graph, map);
  std::erase_if(folds, [&](vertex producer) {
    return operation_at(graph, producer).primitive->in_stages().empty();
  });
  return folds;
}

/// Tells whether `array`, a result of the fold, is needed outside of the tasks of the map.
bool is_needed_outside(const array_graph& graph, vertex array, vertex map) {
  return array_at(graph, array).is_requested ||
         std::ranges::any_of(readers_of(graph, array),
                             [&](vertex reader) { return reader != map; });
}

/// Returns the pair of `fold` and `map`.
fold_map fold_map_of(const array_graph& graph, vertex fold, vertex map) {
  const bool emits_fold = std::ranges::all_of(
      outputs_of(graph, fold), [&](vertex array) { return is_needed_outside(graph, array, map); });
  return {fold, map, emits_fold};
}

/// Returns the outputs of the fold and the map as one operation.
small_vector<vertex> fused_outputs(const array_graph& graph, const fold_map& pair) {
  const small_vector<vertex> of_map = outputs_of(graph, pair.map);
  if (!pair.emits_fold) return of_map;
  small_vector<vertex> outputs = outputs_of(graph, pair.fold);
  outputs.insert(outputs.end(), of_map.begin(), of_map.end());
  return outputs;
}

/// Returns a refusal if a task of the fold cannot compute the map on its block.
reason check_applicable(const array_graph& graph, const fold_map& pair) {
  const operation& fold = operation_at(graph, pair.fold);
  const operation& map = operation_at(graph, pair.map);
  if (fold.schedule.domain != map.schedule.domain)
    return "{reader} and the fold {producer} have different domains";
  if (fold.schedule.ordered.any() || !fold.schedule.takes_all(fold.primitive->reduced())) {
    return "the fold {producer} is ordered, or its tasks take only parts of the reduced axes, so "
           "that "
           "they cannot compute {reader}";
  }
  const small_vector<vertex> fold_outputs = outputs_of(graph, pair.fold);
  for (const vertex array : fold_outputs) {
    const planned_array& result = array_at(graph, array);
    if (result.is_materialized) return operand_is_materialized;
    if (!is_needed_outside(graph, array, pair.map) || pair.emits_fold) continue;
    return result.is_requested ? operand_is_requested : operand_has_other_readers;
  }
  const small_vector<vertex> inputs = inputs_of(graph, pair.map);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (parts_of(array_at(graph, inputs[i])) != nullptr) return input_is_distributed;
    const auto use = std::find(fold_outputs.begin(), fold_outputs.end(), inputs[i]);
    if (use == fold_outputs.end()) continue;
    const output& result = fold.outputs[static_cast<std::size_t>(use - fold_outputs.begin())];
    const bool goes_along = std::all_of(result.axes.begin(), result.axes.end(),
                                        [](const auto& axis) { return axis.is_of_domain(); });
    if (!goes_along || map.operands[i] != to_output(fold.schedule.rank(), result)) {
      return "{reader} does not read the results of the fold {producer} at their own positions";
    }
  }
  for (const vertex array : outputs_of(graph, pair.map)) {
    const planned_array& result = array_at(graph, array);
    for (std::size_t axis = 0; axis < result.shape.size(); ++axis) {
      const index_t block = fold.schedule.block[axis];
      if (block < result.shape[axis] && block % result.chunks[axis] != 0) {
        return {"blocks of the fold {producer} would cut chunks of the output of {reader}",
                "blocks of {}, chunks of {}", block, result.chunks[axis]};
      }
    }
  }
  return nullptr;
}

/// Tells whether a path may lead from the map to another reader of a result of the fold, or back.
bool may_lead_to_map(array_graph& graph, const fold_map& pair) {
  std::optional<layers> layers_of_graph;
  for (const vertex array : outputs_of(graph, pair.fold)) {
    for (const vertex reader : readers_of(graph, array)) {
      if (reader == pair.map) continue;
      if (!layers_of_graph) layers_of_graph.emplace(graph);
      if (layers_of_graph->may_lead(reader, pair.map)) return true;
    }
  }
  return false;
}

/// Returns the fold and the map as one operation.
candidate fuse(const array_graph& graph, const fold_map& pair) {
  const operation& map = operation_at(graph, pair.map);
  candidate fused = candidate_at(graph, pair.fold);
  const std::size_t num_fold_inputs = fused.inputs.size();
  const index_vector fold_step = fused.op.schedule.step;
  const small_vector<vertex> fold_outputs = outputs_of(graph, pair.fold);
  const small_vector<vertex> inputs = inputs_of(graph, pair.map);
  std::vector<map_input> map_inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto use = std::find(fold_outputs.begin(), fold_outputs.end(), inputs[i]);
    if (use != fold_outputs.end()) {
      map_inputs.push_back({true, static_cast<std::size_t>(use - fold_outputs.begin())});
      continue;
    }
    std::size_t position = 0;
    while (position < fused.inputs.size() && !(fused.inputs[position] == inputs[i] &&
                                               fused.op.operands[position] == map.operands[i])) {
      ++position;
    }
    map_inputs.push_back({false, position});
    if (position < fused.inputs.size()) continue;
    fused.inputs.push_back(inputs[i]);
    fused.op.operands.push_back(map.operands[i]);
  }
  fused.op.primitive = hold_block(fused.op.primitive, num_fold_inputs, fold_step, map.primitive,
                                  map_inputs, pair.emits_fold, fused.op.schedule);
  fused.op.name = pair.emits_fold ? joined_names(fused.op.name, map.name) : map.name;
  fused.op.schedule.step = fused.op.schedule.block;
  fused.op.outputs = fused.op.primitive->outputs(fused.op.schedule);
  return fused;
}

/// Returns a refusal unless `fused` reads less, fits, and keeps enough workers busy.
reason check_cost(const array_graph& graph, const candidate& fused, const fold_map& pair,
                  const spec& limits) {
  const planned_operation fold = estimate(graph, pair.fold, limits);
  const planned_operation map = estimate(graph, pair.map, limits);
  const planned_operation planned =
      estimate(graph, fused.op, fused.inputs, fused_outputs(graph, pair), limits);
  const bytes apart = fold.bytes_read + map.bytes_read;
  if (planned.bytes_read == apart) {
    return {no_repeated_reads, "{} together, {} apart", planned.bytes_read, apart};
  }
  if (planned.bytes_read > apart) return reads_more(planned.bytes_read, apart);
  const index_t wanted = std::min(worthwhile_tasks(fold.op, limits.costs.num_workers()),
                                  std::max(map.num_tasks, tasks_when_split(fold.op)));
  if (2 * planned.num_tasks < wanted) return fewer_workers_busy(planned.num_tasks, wanted);
  return fits(planned, limits) ? reason() : too_large(planned, limits);
}

}  // namespace

void fuse_map_after_fold(plan_graph& plan, const pass_context& context) {
  array_graph& graph = plan.graph;
  for (const vertex map : operations_in_order(graph)) {
    const piece_list* const pieces = operation_at(graph, map).primitive->as_elementwise();
    if (pieces == nullptr || pieces->size() != 1) continue;
    for (const vertex fold : folds_read(graph, map)) {
      const fold_map pair = fold_map_of(graph, fold, map);
      reason refusal = check_applicable(graph, pair);
      if (refusal == nullptr && !may_read_chunks(graph, fold, context.limits) &&
          !may_read_chunks(graph, map, context.limits)) {
        refusal = no_repeated_reads;
      }
      if (refusal == nullptr && may_lead_to_map(graph, pair)) refusal = operand_has_other_readers;
      std::optional<candidate> fused;
      if (refusal == nullptr) {
        fused = fuse(graph, pair);
        refusal = check_cost(graph, *fused, pair, context.limits);
      }
      if (refusal != nullptr) {
        context.leave(graph, map, refusal, fold);
        continue;
      }
      const small_vector<vertex> fold_outputs = outputs_of(graph, fold);
      const small_vector<vertex> outputs = fused_outputs(graph, pair);
      put(graph, map, std::move(*fused));
      context.tell(graph, map, [&] {
        return fmt::format("is computed by the tasks of '{}', which have read its input",
                           operation_at(graph, fold).name);
      });
      remove(graph, fold);
      if (pair.emits_fold) {
        remove_outputs(graph, map);
        for (std::size_t i = 0; i < outputs.size(); ++i) add_output(graph, map, outputs[i], i);
      } else {
        for (const vertex array : fold_outputs) remove(graph, array);
      }
      break;
    }
  }
}

}  // namespace tessera
