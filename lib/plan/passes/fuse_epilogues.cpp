// SPDX-License-Identifier: Apache-2.0
/// \file
/// Appends elementwise functions to the operation that produces their operand.
///
/// Problem: f(y, z) for y = g(x), with g a fold, a scan or a function of blocks. g cannot be
/// inlined into f, as f would recompute whole lines. But f can follow g in the task that holds the
/// block of y:
///     x -> [g] -> y -> [f] -> w        becomes        x, z -> [g ; f] -> w
///                 z ----^
/// y never leaves a task. The other operands of f are read in the blocks of y. An elementwise g is
/// treated alike if no task holds the operands of both operations at once: g and f then take their
/// operands one after the other.
/// Legality (`check_applicable`): the primitive of g takes an epilogue; y is its only output, is
/// not requested, and f is its only reader; f maps y to its domain by the identity; the outputs of
/// f have the chunks of y, unless g may grow its blocks.
/// Price (`check_cost`): the fused operation reads no more bytes than both operations do, and its
/// task keeps to the allowed memory if the tasks of both did.
/// Invariant: the fused operation keeps the domain and steps of g, so that folds and scans keep
/// their bits.
/// Reference: epilogue fusion as in CUTLASS, where a matrix product applies bias and activation
/// before it stores its tile.

#include "plan/buffers.hpp"
#include "plan/passes/candidate.hpp"
#include "plan/passes/fusion_estimate.hpp"
#include "plan/passes/inlining.hpp"
#include "plan/passes/passes.hpp"
#include "primitive/api/build.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// An array between two operations: its producer, and the reader that has it as operand `operand`.
struct epilogue_pair {
  vertex producer;
  vertex array;
  vertex reader;
  std::size_t operand;
};

/// Returns a refusal if the reader cannot be an epilogue of the producer.
reason check_applicable(const array_graph& graph, const epilogue_pair& pair) {
  const operation& producer = operation_at(graph, pair.producer);
  const operation& reader = operation_at(graph, pair.reader);
  const planned_array& array = array_at(graph, pair.array);
  if (!producer.primitive->takes_epilogue() ||
      !takes_stages(*producer.primitive, producer.schedule, producer.operands.size()))
    return "the primitive of {producer} takes no epilogue such as {reader}";
  if (const reason refusal = check_internal(array)) return refusal;
  if (std::ranges::find(array.shape, index_t{0}) != array.shape.end()) {
    return "the output of {producer} has no elements";
  }
  if (const std::size_t outputs = boost::out_degree(pair.producer, graph); outputs != 1) {
    return has_other_outputs(outputs);
  }
  if (boost::out_degree(pair.array, graph) != 1) return operand_has_other_readers;
  if (!reader.operands[pair.operand].is_identity() || reader.schedule.domain != array.shape) {
    return "{reader} does not read the elements of {producer} one by one, at their own positions";
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
  const std::optional<candidate> merged = inlined(graph, pair.array, pair.reader);
  if (!merged) return views_cannot_be_composed;
  const planned_operation planned =
      estimate(graph, merged->op, merged->inputs, outputs_of(graph, pair.reader), limits);
  if (check_fused_memory(graph, *merged, planned, pair.array, pair.reader, limits)) return nullptr;
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
    if (i == pair.operand) continue;
    const index_map& map = reader.operands[i];
    if (!is_seen_from_domain(map, operand) || !can_compose(map, domain_to_operand)) {
      return std::nullopt;
    }
    fused.inputs.push_back(inputs[i]);
    fused.op.operands.push_back(compose(map, domain_to_operand));
  }
  fused.op.primitive =
      append_epilogue(producer.primitive, producer.operands.size(), reader.primitive, pair.operand,
                      inputs.size(), fused.op.schedule);
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
  return check_fused_memory(graph, fused, planned, pair.array, pair.reader, limits);
}

/// Makes `reader` the epilogue of one of its producers. Returns false if none takes it, and sets
/// `refusals` to one reason for each computed input.
bool append_to_producer(array_graph& graph, vertex reader, const pass_context& context,
                        std::vector<partner_refusal>& refusals) {
  const piece_list* const pieces = operation_at(graph, reader).primitive->as_elementwise();
  if (pieces == nullptr || pieces->size() != 1) return false;
  const small_vector<vertex> inputs = inputs_of(graph, reader);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (boost::in_degree(inputs[i], graph) == 0) continue;
    const epilogue_pair pair{producer_of(graph, inputs[i]), inputs[i], reader, i};
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
      refusals.push_back({pair.producer, refusal});
      continue;
    }
    put(graph, reader, std::move(*fused));
    context.tell(graph, reader, [&] {
      return "is an epilogue of '" + operation_at(graph, pair.producer).name +
             "', which computes its operand";
    });
    remove(graph, pair.array);
    remove(graph, pair.producer);
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
