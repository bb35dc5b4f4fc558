// SPDX-License-Identifier: Apache-2.0
/// \file
/// Merges an operation into the tasks of its only reader, whatever primitive it has.
///
/// Problem: the output of a gather, a transform or a product goes through memory or the disk:
///     x -> [take] -> y -> [mean] -> z      becomes      x -> [take; mean] -> z
/// Idea: the producer computes the part of y that a step of the reader reads. Behind the axes of
/// the reader, the merged domain has private axes of the producer, which a step takes whole:
///     y[i, j] = x[k[i, j]]       z[i] = mean over j        domain (i, j, k), k is private
/// An axis of y is an axis of the reader if it is read element by element, else a private one. An
/// axis that only the reader has is taken whole where that is possible: each y is computed once.
/// Axes that a reshape numbers anew are private: a step has them whole, and sees the memory of y in
/// the other shape (`reshaped_block.hpp`).
/// Legality (`check_applicable`): y is the only output, not requested, and has one reader, which
/// has one view of it, without tables; if blocks of the producer matter, it has a single one.
/// Price (`check_cost`): no element of y is computed twice, reads are at most those of both and
/// the stores of y, the merit falls, and a task fits, maybe in smaller blocks along kept axes. If a
/// task fits only with its inputs in memory, these inputs are for memory.
/// Invariant: each stage sees the elements and the steps that it would see alone: the same bits.
/// Reference: `compute_at` in Halide (Ragan-Kelley et al., PLDI 2013).

#include "core/api/reshaped_block.hpp"
#include "plan/buffers.hpp"
#include "plan/cost.hpp"
#include "plan/parts.hpp"
#include "plan/passes/candidate.hpp"
#include "plan/passes/fusion_estimate.hpp"
#include "plan/passes/host_room.hpp"
#include "plan/passes/merged_blocks.hpp"
#include "plan/passes/passes.hpp"
#include "primitive/api/build.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {

namespace {

/// A producer, its output, and the reader of the output.
struct merged_pair {
  vertex producer;
  vertex array;
  vertex reader;
};

/// Returns the maps by which the reader sees the output.
std::vector<const index_map*> views_of(const array_graph& graph, const merged_pair& pair) {
  const small_vector<vertex> inputs = inputs_of(graph, pair.reader);
  std::vector<const index_map*> views;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == pair.array) views.push_back(&operation_at(graph, pair.reader).operands[i]);
  }
  return views;
}

/// Returns a refusal if the reader cannot compute the output in its steps.
reason check_applicable(const array_graph& graph, const merged_pair& pair) {
  if (is_search_over(graph)) return search_is_over;
  const operation& producer = operation_at(graph, pair.producer);
  const operation& reader = operation_at(graph, pair.reader);
  if (const reason refusal = check_internal(array_at(graph, pair.array))) return refusal;
  if (!has_one_reader(graph, pair.array)) return operand_has_other_readers;
  if (const std::size_t count = producer.outputs.size(); count != 1) {
    return has_other_outputs(count);
  }
  if (!leave_at_once(reader)) return "outputs of {reader} leave its tasks at different times";
  if (!reader.primitive->is_passive() && !reader.primitive->takes_epilogue())
    return "{reader} computes its blocks at once, so that {producer} has no steps to run in";
  if (reader.schedule.ordered.any() || producer.schedule.ordered.any())
    return "{reader} or {producer} takes its blocks in an order";
  for (const output_axis& axis : producer.outputs.front().axes) {
    if (axis.origin != output_axis::kind::extra && !axis.is_of_domain()) {
      return "the output of {producer} has other elements than its domain";
    }
  }
  const std::vector<const index_map*> views = views_of(graph, pair);
  for (const index_map* const view : views) {
    if (view->gather() != nullptr &&
        !is_reshape_in_memory(*view->gather(), array_at(graph, pair.array).shape)) {
      return "{reader} gathers elements of the output of {producer}";
    }
    if (*view != *views.front()) return "{reader} sees the output of {producer} in two ways";
  }
  for (const vertex operation : {pair.producer, pair.reader}) {
    for (const vertex input : inputs_of(graph, operation)) {
      if (parts_of(array_at(graph, input)) != nullptr) return input_is_distributed;
    }
  }
  return nullptr;
}

/// Returns the reader's axis along which it reads an axis of the output, of `extent`, through `map`
/// element by element, or nullopt.
std::optional<std::size_t> axis_read(const std::optional<axis_map>& map,
                                     const loop_schedule& reader, index_t extent) {
  const axis_term* const term = map ? map->only_term() : nullptr;
  if (term == nullptr || term->step != 1 || map->offset != 0) return std::nullopt;
  return reader.domain[term->axis] == extent ? std::optional(term->axis) : std::nullopt;
}

/// Returns the axis of the reader's domain for each axis of the producer's; `no_axis` for private
/// axes of the producer.
std::vector<std::size_t> axes_in_reader(const array_graph& graph, const merged_pair& pair) {
  const operation& producer = operation_at(graph, pair.producer);
  const operation& reader = operation_at(graph, pair.reader);
  const index_map& view = *views_of(graph, pair).front();
  const std::vector<output_axis>& axes = producer.outputs.front().axes;
  std::vector<std::size_t> result(producer.schedule.rank(), no_axis);
  axis_set matched_axes;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    if (axes[k].origin != output_axis::kind::along) continue;
    const index_t extent = producer.schedule.domain[axes[k].axis];
    const std::optional<std::size_t> axis =
        axis_read(index_along(view, k), reader.schedule, extent);
    if (!axis || matched_axes[*axis]) continue;
    matched_axes.set(*axis);
    result[axes[k].axis] = *axis;
  }
  return result;
}

/// Returns a refusal if the merged domain, with private `axes`, has too many axes.
reason check_rank(const operation& reader, const std::vector<std::size_t>& axes) {
  std::size_t rank = reader.schedule.rank();
  for (const std::size_t axis : axes) rank += axis == no_axis ? 1 : 0;
  if (rank <= max_rank) return nullptr;
  return {"{reader} and {producer} in one operation would have too many axes", "{} of {}", rank,
          max_rank};
}

/// Tells whether the elements of `producer` are the same in the steps of `merged` as in its blocks.
/// If elements depend on the blocks, as in factors of tall matrices, it must have a single one.
bool keeps_elements(const operation& producer, const merged_domain& merged) {
  if (producer.primitive->may_shrink() || producer.primitive->may_grow()) return true;
  for (std::size_t axis = 0; axis < merged.axes.size(); ++axis) {
    const index_t extent = producer.schedule.domain[axis];
    const index_t step = merged.schedule.step[merged.axes[axis]];
    if (std::min(step, producer.schedule.block[axis]) < extent) return false;
  }
  return true;
}

/// Returns `map` from the domain of an operation whose axes are `axes` of a domain of rank `rank`.
index_map map_within(const index_map& map, const std::vector<std::size_t>& axes, std::size_t rank) {
  std::vector<axis_map> result;
  for (const axis_map& along : map.axes()) {
    result.emplace_back(along.offset);
    for (const axis_term& term : along.terms()) result.back().add({axes[term.axis], term.step});
  }
  return {rank, std::move(result), map.gather()};
}

/// Returns the operand of `fused` that is `input` seen through `map`; adds it if there is none.
std::size_t operand_of(candidate& fused, vertex input, const index_map& map) {
  for (std::size_t i = 0; i < fused.inputs.size(); ++i) {
    if (fused.inputs[i] == input && fused.op.operands[i] == map) return i;
  }
  fused.inputs.push_back(input);
  fused.op.operands.push_back(map);
  return fused.inputs.size() - 1;
}

/// Returns both operations as one, or nullopt if the reader takes no stage before it.
std::optional<candidate> merge(const array_graph& graph, const merged_pair& pair,
                               const merged_domain& merged) {
  const operation& producer = operation_at(graph, pair.producer);
  const operation& reader = operation_at(graph, pair.reader);
  const std::size_t rank = merged.schedule.rank();
  candidate fused{reader, {}};
  fused.op.operands.clear();
  fused.op.schedule = merged.schedule;
  merged_reader steps{reader.primitive, reader.schedule.rank(), {}, reader.operands};
  std::vector<std::size_t> axes(reader.schedule.rank());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  const small_vector<vertex> inputs = inputs_of(graph, pair.reader);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::optional<std::size_t>& operand = steps.operands.emplace_back();
    if (inputs[i] == pair.array) continue;
    operand = operand_of(fused, inputs[i], map_within(reader.operands[i], axes, rank));
  }
  merged_producer before{producer.primitive, producer.schedule, {}, merged.axes, producer.name};
  const small_vector<vertex> sources = inputs_of(graph, pair.producer);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const index_map map = map_within(producer.operands[i], merged.axes, rank);
    before.operands.push_back(operand_of(fused, sources[i], map));
  }
  fused.op.primitive = prepend_producer(steps, before);
  if (fused.op.primitive == nullptr) return std::nullopt;
  fused.op.outputs = fused.op.primitive->outputs(fused.op.schedule);
  return fused;
}

/// Returns the estimate of operation `v` in the blocks that `size_blocks` would give it.
planned_operation estimate_sized(const array_graph& graph, vertex v, const spec& limits) {
  candidate sized = candidate_at(graph, v);
  const small_vector<vertex> outputs = outputs_of(graph, v);
  sized.op.schedule = schedule_when_sized(graph, sized.op, sized.inputs, outputs, limits);
  return estimate(graph, sized.op, sized.inputs, outputs, limits);
}

/// Returns a refusal unless `fused` has a better merit than `producer` and `reader`.
reason check_merit(const planned_operation& producer, const planned_operation& reader,
                   const planned_operation& fused, const spec& limits) {
  const std::size_t num_workers = limits.costs.num_workers();
  plan_cost_sum apart(limits.costs, num_workers);
  apart.add_behind(producer, {});
  apart.add_behind(reader, {0});
  plan_cost_sum together(limits.costs, num_workers);
  together.add_behind(fused, {});
  if (together.total().merit() < apart.total().merit()) return nullptr;
  return takes_longer(together.total().work, apart.total().work);
}

/// Returns a refusal if a task of `merged` fits only with arrays of open placement in memory, and
/// the host has no room for its inputs of open placement beside the tasks of all workers. Otherwise
/// tells `merged` whether it needs these in memory.
reason check_in_storage(const array_graph& graph, merged_operation& merged, const merged_pair& pair,
                        const pass_context& context) {
  const spec& limits = context.limits;
  spec in_storage = limits;
  in_storage.allowed_memory = bytes{0};
  const planned_operation stored = estimate(graph, merged, in_storage);
  if (fits(stored, limits) || !fits(estimate(graph, pair.producer, in_storage), limits)) {
    return nullptr;
  }
  const planned_operation held = estimate(graph, merged, limits, in_storage);
  bytes needed =
      task_memory(held, limits) * (context.workers == nullptr ? 1 : context.workers->count);
  for (const vertex input : merged.fused.inputs) {
    const planned_array& array = array_at(graph, input);
    if (std::holds_alternative<open_placement>(array.placement)) needed += array.size();
  }
  if (!fits(held, limits) || needed > room_on_host(graph, context)) {
    return too_large(stored, limits);
  }
  merged.needs_memory = true;
  return nullptr;
}

/// Returns a refusal unless `merged` computes no element twice, fits, and costs less.
reason check_cost(const array_graph& graph, merged_operation& merged, const merged_pair& pair,
                  const pass_context& context) {
  const spec& limits = context.limits;
  const operation& op = merged.fused.op;
  if (const double runs = runs_of_producers(*op.primitive, op.schedule); runs > 1) {
    return {"{reader} reads {producer} in several steps, and would compute it in each", "{} times",
            runs};
  }
  const planned_operation planned = estimate(graph, merged, limits);
  if (!fits(planned, limits)) return too_large(planned, limits);
  const planned_operation producer = estimate_sized(graph, pair.producer, limits);
  const planned_operation reader = estimate_sized(graph, pair.reader, limits);
  const bytes apart = producer.bytes_read + producer.bytes_written + reader.bytes_read;
  if (planned.bytes_read > apart) return reads_more(planned.bytes_read, apart);
  if (const reason refusal = check_merit(producer, reader, planned, limits)) return refusal;
  return check_in_storage(graph, merged, pair, context);
}

/// Returns both operations as one, or sets `refusal`.
std::optional<merged_operation> admitted(const array_graph& graph, const merged_pair& pair,
                                         const pass_context& context, reason& refusal) {
  const operation& producer = operation_at(graph, pair.producer);
  const operation& reader = operation_at(graph, pair.reader);
  refusal = check_applicable(graph, pair);
  if (refusal != nullptr) return std::nullopt;
  std::vector<std::size_t> axes = axes_in_reader(graph, pair);
  refusal = check_rank(reader, axes);
  if (refusal != nullptr) return std::nullopt;
  const merged_domain domain = merge_domains(producer, reader, std::move(axes));
  refusal = "{reader} takes other steps than the blocks of {producer}";
  if (!keeps_elements(producer, domain)) return std::nullopt;
  std::optional<candidate> fused = merge(graph, pair, domain);
  if (!fused) return std::nullopt;
  merged_operation merged{*std::move(fused), {}};
  for (const vertex output : outputs_of(graph, pair.reader)) {
    merged.outputs.push_back(array_at(graph, output));
  }
  cut_to_fit(graph, merged, domain.whole, context.limits);
  refusal = check_cost(graph, merged, pair, context);
  return refusal == nullptr ? std::optional(std::move(merged)) : std::nullopt;
}

/// Tells whether `op` may be merged. Of elementwise producers, views alone are: `fuse_producers`
/// inlines functions, or tells its reason, and `stage_rechunks` plans copies into other chunks.
bool may_be_merged(const operation& op) {
  const bool is_view = op.primitive->num_steps() == 0 && op.operands.size() == 1 &&
                       !op.operands.front().is_identity();
  return op.primitive->as_elementwise() == nullptr || is_view;
}

/// Returns the computed inputs of `reader`, the largest first: these save the most.
std::vector<vertex> inputs_by_size(const array_graph& graph, vertex reader) {
  std::vector<vertex> computed;
  for (const vertex array : inputs_of(graph, reader)) {
    if (boost::in_degree(array, graph) == 0) continue;
    if (may_be_merged(operation_at(graph, producer_of(graph, array)))) computed.push_back(array);
  }
  std::ranges::stable_sort(computed, std::greater(),
                           [&](vertex array) { return array_at(graph, array).size(); });
  return computed;
}

/// Puts `merged` in the place of both.
void replace(array_graph& graph, const merged_pair& pair, merged_operation merged) {
  for (const vertex input : merged.fused.inputs) {
    planned_array& array = array_at(graph, input);
    const bool is_open = std::holds_alternative<open_placement>(array.placement);
    array.is_for_memory |= merged.needs_memory && is_open;
  }
  put(graph, pair.reader, std::move(merged.fused));
  const small_vector<vertex> outputs = outputs_of(graph, pair.reader);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    array_at(graph, outputs[i]).chunks = merged.outputs[i].chunks;
  }
  remove(graph, pair.array);
  remove(graph, pair.producer);
}

/// Merges the producer of one input of `reader`. Returns false if none is merged.
bool merge_one(array_graph& graph, vertex reader, const pass_context& context) {
  std::vector<partner_refusal> refusals;
  for (const vertex array : inputs_by_size(graph, reader)) {
    const merged_pair pair{producer_of(graph, array), array, reader};
    reason refusal;
    std::optional<merged_operation> merged = admitted(graph, pair, context, refusal);
    if (!merged) {
      // `fuse_producers` has told its reason for an elementwise producer.
      const primitive& producer = *operation_at(graph, pair.producer).primitive;
      if (producer.as_elementwise() == nullptr) refusals.push_back({pair.producer, refusal});
      continue;
    }
    context.tell(graph, reader, [&] {
      return fmt::format("computes its operand, the output of '{}', step by step",
                         operation_at(graph, pair.producer).name);
    });
    replace(graph, pair, *std::move(merged));
    return true;
  }
  for (const auto& [producer, refusal] : refusals) context.leave(graph, reader, refusal, producer);
  return false;
}

}  // namespace

void merge_producers(plan_graph& plan, const pass_context& context) {
  for (const vertex reader : operations_in_order(plan.graph)) {
    while (merge_one(plan.graph, reader, context)) continue;
  }
}

}  // namespace tessera
