// SPDX-License-Identifier: Apache-2.0
/// \file
/// Inlining of elementwise producers, for the passes that fuse and that recompute.
///
/// f reads y through a view m, and y = g(x_1, ..., x_n) is elementwise, with views m_1, ..., m_n:
///     f(y o m)    becomes    f'(x_1 o m_1 o m, ..., x_n o m_n o m)
/// f' is the strip program of f with the program of g in place of operand y. Every use of y is
/// replaced; operands that the new program does not use are dropped.
/// Invariant: f' computes the same elements as f over the same schedule. Views must compose, and
/// elements that are generated from their positions cannot be read through a gather.

#include "plan/passes/inlining.hpp"

#include "plan/buffers.hpp"
#include "plan/passes/passes.hpp"
#include "plan/tuning.hpp"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {

namespace {

/// Returns `reader` with `producer` inlined as operand `operand`, or nullopt if views do not
/// compose or the primitive takes no such producer.
std::optional<candidate> inline_producer(const array_graph& graph, candidate reader,
                                         std::size_t operand, const candidate& producer) {
  const index_map view = reader.op.operands[operand];
  const bool is_gathered = view.gather() != nullptr;
  reader.op.primitive = reader.op.primitive->with_producer(
      operand, reader.inputs.size(), view, *producer.op.primitive->as_elementwise());
  if (reader.op.primitive == nullptr) return std::nullopt;
  for (std::size_t i = 0; i < producer.inputs.size(); ++i) {
    if (is_gathered && is_generated(graph, producer.inputs[i])) return std::nullopt;
    if (!can_compose(producer.op.operands[i], view)) return std::nullopt;
    reader.inputs.push_back(producer.inputs[i]);
    reader.op.operands.push_back(compose(producer.op.operands[i], view));
  }
  const auto at = static_cast<std::ptrdiff_t>(operand);
  reader.inputs.erase(reader.inputs.begin() + at);
  reader.op.operands.erase(reader.op.operands.begin() + at);
  return reader;
}

/// Returns an upper bound of the memory that a task of `fused` needs besides once arrays of open
/// placement are in storage: decoded and encoded chunks, and the codec's scratch.
bytes more_in_storage(const array_graph& graph, const candidate& fused,
                      const small_vector<vertex>& outputs) {
  bytes sum{};
  for (const small_vector<vertex>& arrays : {fused.inputs, outputs}) {
    for (const vertex v : arrays) {
      const planned_array& array = array_at(graph, v);
      if (array.is_open()) sum += array.size() * tuning.buffers_of_stored;
    }
  }
  return sum;
}

/// Tells whether a task of `fused`, planned as `planned`, needs too much memory although tasks of
/// `reader` and of the producer of `array` do not, once arrays of open placement are in storage.
bool is_too_large_stored(const array_graph& graph, const candidate& fused,
                         const planned_operation& planned, vertex array, vertex reader,
                         const spec& limits) {
  const small_vector<vertex> outputs = outputs_of(graph, reader);
  const bytes room = more_in_storage(graph, fused, outputs) + task_memory(planned, limits);
  if (room <= limits.allowed_memory) return false;
  spec in_storage = limits;
  in_storage.allowed_memory = bytes{0};
  return !fits(estimate(graph, fused.op, fused.inputs, outputs, in_storage), limits) &&
         fits(estimate(graph, reader, in_storage), limits) &&
         fits(estimate(graph, producer_of(graph, array), in_storage), limits);
}

}  // namespace

bool is_generated(const array_graph& graph, vertex array) {
  return std::holds_alternative<generated_source>(array_at(graph, array).placement);
}

reason check_inlining(const array_graph& graph, vertex array, vertex reader, const spec& limits) {
  const operation& op = operation_at(graph, reader);
  const vertex producer = producer_of(graph, array);
  const primitive& inner = *operation_at(graph, producer).primitive;
  if (!op.primitive->takes_producers()) {
    return "the primitive of {reader} takes no inlined producers, {producer} neither";
  }
  if (inner.as_elementwise() == nullptr) {
    return "{producer} is not elementwise; only elementwise producers are inlined into {reader}";
  }
  if (const std::size_t outputs = boost::out_degree(producer, graph); outputs != 1) {
    return has_other_outputs(outputs);
  }
  if (op.primitive->num_steps() + inner.num_steps() > tuning.most_program_steps)
    return {"{producer} and {reader} in one program would have more than 128 steps", "{} and {}",
            inner.num_steps(), op.primitive->num_steps()};
  if (inner.as_elementwise()->size() > 1 && is_scan_to_cut(graph, reader, limits)) {
    return {
        "the scan {reader} could not be cut into parallel parts if it computed the pieces of "
        "{producer}",
        "{} pieces", inner.as_elementwise()->size()};
  }
  const small_vector<vertex> inputs = inputs_of(graph, reader);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    // A producer that only moves elements may move them several times.
    if (inputs[i] == array && inner.num_steps() > 0 &&
        !op.operands[i].is_injective(op.schedule.domain)) {
      return "{reader} reads elements of {producer} several times, and would compute each as often";
    }
  }
  return nullptr;
}

std::optional<candidate> inlined(const array_graph& graph, vertex array, vertex reader) {
  const candidate inner = candidate_at(graph, producer_of(graph, array));
  std::optional<candidate> fused = candidate_at(graph, reader);
  while (fused) {
    const auto use = std::find(fused->inputs.begin(), fused->inputs.end(), array);
    if (use == fused->inputs.end()) return without_unused(unified(*std::move(fused)));
    const auto operand = static_cast<std::size_t>(use - fused->inputs.begin());
    fused = inline_producer(graph, std::move(*fused), operand, inner);
  }
  return std::nullopt;
}

reason check_pieces(const candidate& fused) {
  const std::size_t pieces = fused.op.primitive->most_pieces(fused.op.schedule);
  if (pieces <= tuning.most_pieces) return nullptr;
  return {"a task of both {reader} and {producer} would cross more than 512 pieces", "{}", pieces};
}

reason check_fused_memory(const array_graph& graph, const candidate& fused,
                          const planned_operation& planned, vertex array, vertex reader,
                          const spec& limits) {
  if (!fits(planned, limits) && fits(estimate(graph, reader, limits), limits) &&
      fits(estimate(graph, producer_of(graph, array), limits), limits)) {
    return too_large(planned, limits);
  }
  if (is_too_large_stored(graph, fused, planned, array, reader, limits)) {
    return {
        "a task of both {op} and {partner} would need too much memory if their arrays were in "
        "storage",
        "more than the allowed {} (spec.allowed_memory)", limits.allowed_memory};
  }
  return nullptr;
}

}  // namespace tessera
