// SPDX-License-Identifier: Apache-2.0
/// \file
/// Appends elementwise functions to the operation that produces their operand.
///
/// Problem: f(y, z) for y = g(x), with g a fold, a scan or a function of blocks. g cannot be
/// inlined into f, as f would recompute whole lines. But f can follow g in the task that holds the
/// block of y:
///     x -> [g] -> y -> [f] -> w        becomes        x, z -> [g ; f] -> w
///                 z ----^
/// y never leaves a task. The other operands of f are read in the blocks of y. g may have several
/// outputs that f reads, as five moving means of one correlation. An elementwise g is treated alike
/// if no task holds the operands of both operations at once: g and f then take their operands one
/// after the other.
/// Legality (`check_applicable`): an epilogue may follow the primitive of g; f is the only reader
/// of each output of g, which is not requested; f maps the outputs to its domain by the identity;
/// the outputs of f have the chunks of y, unless g may grow its blocks.
/// Price (`check_cost`): the fused operation reads no more bytes than both operations do, and its
/// task keeps to the allowed memory if the tasks of both did.
/// Several sums of windows are left to `merge_producers`: each is computed in the tasks of f.
/// Invariant: the fused operation keeps the domain and steps of g, so that folds and scans keep
/// their bits.
/// Reference: epilogue fusion as in CUTLASS, where a matrix product applies bias and activation
/// before it stores its tile.

#include "plan/buffers.hpp"
#include "plan/passes/candidate.hpp"
#include "plan/passes/fusion_estimate.hpp"
#include "plan/passes/inlining.hpp"
#include "plan/passes/merged_views.hpp"
#include "plan/passes/passes.hpp"
#include "primitive/api/build.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// An operation, and a reader of its outputs.
struct epilogue_pair {
  vertex producer;
  vertex reader;
  /// The outputs of the producer.
  small_vector<vertex> arrays;
  /// The output that each operand of the reader is; nullopt: another array.
  std::vector<std::optional<std::size_t>> outputs;
};

epilogue_pair pair_of(const array_graph& graph, vertex producer, vertex reader) {
  epilogue_pair pair{producer, reader, outputs_of(graph, producer), {}};
  for (const vertex input : inputs_of(graph, reader)) {
    const auto match = std::ranges::find(pair.arrays, input);
    pair.outputs.emplace_back();
    if (match == pair.arrays.end()) continue;
    pair.outputs.back() = static_cast<std::size_t>(match - pair.arrays.begin());
  }
  return pair;
}

/// Tells whether an elementwise function may follow the outputs of `producer` in its tasks.
bool takes_epilogue(const operation& producer) {
  const primitive& body = *producer.primitive;
  const bool has_several =
      producer.outputs.size() > 1 && body.is_passive() && body.as_elementwise() == nullptr;
  return (has_several ? leave_at_once(producer) : body.takes_epilogue()) &&
         takes_stages(body, producer.schedule, producer.operands.size());
}

/// Returns a refusal if an output of the producer is needed besides by the reader.
reason check_outputs(const array_graph& graph, const epilogue_pair& pair) {
  const std::vector<output>& specs = operation_at(graph, pair.producer).outputs;
  for (std::size_t i = 0; i < pair.arrays.size(); ++i) {
    const planned_array& array = array_at(graph, pair.arrays[i]);
    if (std::ranges::find(pair.outputs, std::optional(i)) == pair.outputs.end()) {
      return has_other_outputs(pair.arrays.size());
    }
    if (const reason refusal = check_internal(array)) return refusal;
    if (!has_one_reader(graph, pair.arrays[i])) return operand_has_other_readers;
    if (std::ranges::find(array.shape, index_t{0}) != array.shape.end()) {
      return "the output of {producer} has no elements";
    }
    if (specs[i].axes != specs.front().axes ||
        array.chunks != array_at(graph, pair.arrays.front()).chunks) {
      return "the outputs of {producer}, which {reader} reads, have other axes or chunks";
    }
  }
  return nullptr;
}

/// Returns a refusal if the reader cannot be an epilogue of the producer.
reason check_applicable(const array_graph& graph, const epilogue_pair& pair) {
  const operation& producer = operation_at(graph, pair.producer);
  const operation& reader = operation_at(graph, pair.reader);
  if (!takes_epilogue(producer))
    return "the primitive of {producer} takes no epilogue such as {reader}";
  if (const reason refusal = check_outputs(graph, pair)) return refusal;
  const planned_array& array = array_at(graph, pair.arrays.front());
  for (std::size_t i = 0; i < pair.outputs.size(); ++i) {
    if (!pair.outputs[i]) continue;
    if (!reader.operands[i].is_identity() || reader.schedule.domain != array.shape) {
      return "{reader} does not read the elements of {producer} one by one, at their own positions";
    }
  }
  // An elementwise producer can take the chunks of its reader; a plain copy into other chunks is
  // left to `stage_rechunks`.
  if (producer.primitive->may_grow() && reader.primitive->num_steps() > 0) return nullptr;
  for (const vertex output : outputs_of(graph, pair.reader)) {
    if (array_at(graph, output).chunks != array.chunks) {
      return "the output of {reader} has other chunks than the output of {producer}";
    }
  }
  return nullptr;
}

/// Returns a refusal if the producer is elementwise and one task can hold the operands of both:
/// inlining is better then.
reason check_against_inlining(const array_graph& graph, const epilogue_pair& pair,
                              const spec& limits) {
  if (operation_at(graph, pair.producer).primitive->as_elementwise() == nullptr) return nullptr;
  const std::optional<candidate> merged = inlined(graph, {&pair.arrays.front(), 1}, pair.reader);
  if (!merged) return views_cannot_be_composed;
  const planned_operation planned =
      estimate(graph, merged->op, merged->inputs, outputs_of(graph, pair.reader), limits);
  if (check_fused_memory(graph, *merged, planned, {&pair.arrays.front(), 1}, pair.reader, limits)) {
    return nullptr;
  }
  return {
      "a task can hold the operands of both {reader} and {producer}, so that inlining is better",
      "{} of {}", task_memory(planned, limits), limits.allowed_memory};
}

/// Returns the producer with the reader as its epilogue, or nullopt if another operand of the
/// reader has no map from the producer's domain.
std::optional<candidate> append(const array_graph& graph, const epilogue_pair& pair) {
  const operation& producer = operation_at(graph, pair.producer);
  const operation& reader = operation_at(graph, pair.reader);
  const output& operand = producer.outputs.front();
  const index_map domain_to_operand = to_output(producer.schedule.rank(), operand);
  candidate fused = candidate_at(graph, pair.producer);
  fused.op.name = reader.name;
  if (producer.primitive->may_grow()) fused.op.schedule = reader.schedule;
  const small_vector<vertex> inputs = inputs_of(graph, pair.reader);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (pair.outputs[i]) continue;
    const index_map& map = reader.operands[i];
    if (!is_seen_from_domain(map, operand) || !can_compose(map, domain_to_operand)) {
      return std::nullopt;
    }
    fused.inputs.push_back(inputs[i]);
    fused.op.operands.push_back(compose(map, domain_to_operand));
  }
  fused.op.primitive = append_epilogue(producer.primitive, producer.operands.size(),
                                       reader.primitive, pair.outputs, fused.op.schedule);
  fused.op.outputs = fused.op.primitive->outputs(fused.op.schedule);
  return fused;
}

/// Returns a refusal if `fused` reads more than both operations, or needs too much memory.
reason check_cost(const array_graph& graph, const candidate& fused, const epilogue_pair& pair,
                  const spec& limits) {
  const auto [producer, reader, planned] =
      estimate_fusion(graph, fused, pair.producer, pair.reader, limits);
  const bytes apart = producer.bytes_read + reader.bytes_read;
  if (planned.bytes_read > apart) return reads_more(planned.bytes_read, apart);
  return check_fused_memory(graph, fused, planned, {&pair.arrays.front(), 1}, pair.reader, limits);
}

/// Tells whether several operands of `reader` are sums of windows that `merge_producers` can merge
/// into it. As an epilogue of one sum, `reader` would read the rest from memory or storage.
bool merges_windows(const array_graph& graph, vertex reader, const spec& limits) {
  const auto can_be_merged = [&](vertex producer) {
    const operation& op = operation_at(graph, producer);
    const small_vector<vertex> outputs = outputs_of(graph, producer);
    if (op.primitive->as_elementwise() != nullptr || outputs.size() != 1) return false;
    if (check_internal(array_at(graph, outputs.front()))) return false;
    if (!has_one_reader(graph, outputs.front()) || !reads_windows(op)) return false;
    reason refusal;
    return merged(graph, {producer, outputs.front(), reader}, limits, refusal).has_value();
  };
  const std::vector<vertex> producers = producers_of(graph, reader);
  return producers.size() > 1 && std::ranges::count_if(producers, can_be_merged) > 1;
}

/// Makes `reader` the epilogue of one of its producers. Returns false if none takes it, and sets
/// `refusals` to one reason for each producer.
bool append_to_producer(array_graph& graph, vertex reader, const pass_context& context,
                        std::vector<partner_refusal>& refusals) {
  const piece_list* const pieces = operation_at(graph, reader).primitive->as_elementwise();
  if (pieces == nullptr || pieces->size() != 1) return false;
  if (merges_windows(graph, reader, context.limits)) {
    refusals.push_back({producers_of(graph, reader).front(),
                        "{reader} reads several sums of windows, which merge_producers merges"});
    return false;
  }
  for (const vertex producer : producers_of(graph, reader)) {
    const epilogue_pair pair = pair_of(graph, producer, reader);
    reason refusal = check_applicable(graph, pair);
    if (refusal == nullptr) refusal = check_against_inlining(graph, pair, context.limits);
    std::optional<candidate> fused;
    if (refusal == nullptr) {
      fused = append(graph, pair);
      refusal =
          fused ? check_cost(graph, *fused, pair, context.limits)
                : reason("another operand of {reader} has no map from the domain of {producer}");
    }
    if (refusal != nullptr) {
      refusals.push_back({producer, refusal});
      continue;
    }
    put(graph, reader, std::move(*fused));
    context.tell(graph, reader, [&] {
      return "is an epilogue of '" + operation_at(graph, producer).name +
             "', which computes its operand";
    });
    for (const vertex array : pair.arrays) remove(graph, array);
    remove(graph, producer);
    return true;
  }
  return false;
}

}  // namespace

void fuse_epilogues(plan_graph& plan, const pass_context& context) {
  std::vector<partner_refusal> refusals;
  for (const vertex reader : operations_in_order(plan.graph)) {
    refusals.clear();
    if (append_to_producer(plan.graph, reader, context, refusals)) continue;
    for (const auto& [producer, refusal] : refusals) {
      context.leave(plan.graph, reader, refusal, producer);
    }
  }
}

}  // namespace tessera
