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
#include <cstddef>
#include <iterator>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {

namespace {

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

/// Tells whether tasks of `reader` and of the producers of `arrays` fit, with arrays of open
/// placement as `limits` have them.
bool fit_apart(const array_graph& graph, std::span<const vertex> arrays, vertex reader,
               const spec& placing, const spec& limits) {
  return fits(estimate(graph, reader, placing), limits) &&
         std::ranges::all_of(arrays, [&](vertex array) {
           return fits(estimate(graph, producer_of(graph, array), placing), limits);
         });
}

/// Tells whether a task of `fused`, planned as `planned`, needs too much memory although tasks of
/// `reader` and of the producers of `arrays` do not, once arrays of open placement are in storage.
bool is_too_large_stored(const array_graph& graph, const candidate& fused,
                         const planned_operation& planned, std::span<const vertex> arrays,
                         vertex reader, const spec& limits) {
  const small_vector<vertex> outputs = outputs_of(graph, reader);
  const bytes room = more_in_storage(graph, fused, outputs) + task_memory(planned, limits);
  if (room <= limits.allowed_memory) return false;
  spec in_storage = limits;
  in_storage.allowed_memory = bytes{0};
  return !fits(estimate(graph, fused.op, fused.inputs, outputs, in_storage), limits) &&
         fit_apart(graph, arrays, reader, in_storage, limits);
}

/// Tells whether `op` reads elements of operand `i` several times. `is_read_once`: no other operand
/// is the same array, as in a stack or a concatenation, which read an array in a part of the
/// domain. Borders of an array would be inlined as well: chains of them have programs for each
/// border.
bool repeats_elements(const operation& op, std::size_t i, bool is_read_once) {
  if (op.operands[i].is_injective(op.schedule.domain)) return false;
  if (!is_read_once) return true;
  const task_demand demand = op.primitive->demand(op.schedule, op.operands.size());
  const std::optional<region>& part = demand.operands[i].domain;
  return !part || !op.operands[i].is_injective(part->shape());
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
  const bool is_read_once = std::ranges::count(inputs, array) == 1;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    // A producer that only moves elements may move them several times.
    if (inputs[i] == array && inner.num_steps() > 0 && repeats_elements(op, i, is_read_once)) {
      return "{reader} reads elements of {producer} several times, and would compute each as often";
    }
  }
  return nullptr;
}

std::optional<candidate> inlined(const array_graph& graph, std::span<const vertex> arrays,
                                 vertex reader) {
  const candidate original = candidate_at(graph, reader);
  candidate fused{original.op, {}};
  fused.op.operands.clear();
  const std::unordered_set<vertex> computed(arrays.begin(), arrays.end());
  std::vector<inlined_operand> operands;
  small_vector<vertex> added;
  std::vector<index_map> added_maps;
  for (std::size_t i = 0; i < original.inputs.size(); ++i) {
    const vertex array = original.inputs[i];
    const index_map& view = original.op.operands[i];
    if (!computed.contains(array)) {
      fused.inputs.push_back(array);
      fused.op.operands.push_back(view);
      continue;
    }
    const vertex producer = producer_of(graph, array);
    const operation& inner = operation_at(graph, producer);
    operands.push_back(
        {i, &view, inner.primitive->as_elementwise(), original.inputs.size() + added.size()});
    const small_vector<vertex> inputs = inputs_of(graph, producer);
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      if (view.gather() != nullptr && is_generated(graph, inputs[k])) return std::nullopt;
      if (!can_compose(inner.operands[k], view)) return std::nullopt;
      added.push_back(inputs[k]);
      added_maps.push_back(compose(inner.operands[k], view));
    }
  }
  fused.op.primitive = original.op.primitive->with_producers(operands);
  if (fused.op.primitive == nullptr) return std::nullopt;
  fused.inputs.insert(fused.inputs.end(), added.begin(), added.end());
  std::ranges::move(added_maps, std::back_inserter(fused.op.operands));
  return without_unused(unified(std::move(fused)));
}

reason check_pieces(const candidate& fused) {
  const std::size_t pieces = fused.op.primitive->most_pieces(fused.op.schedule);
  if (pieces <= tuning.most_pieces) return nullptr;
  return {"a task of both {op} and {partner} would cross more than 8,192 pieces", "{}", pieces};
}

reason check_fused_memory(const array_graph& graph, const candidate& fused,
                          const planned_operation& planned, std::span<const vertex> arrays,
                          vertex reader, const spec& limits) {
  if (!fits(planned, limits) && fit_apart(graph, arrays, reader, limits, limits)) {
    return too_large(planned, limits);
  }
  if (is_too_large_stored(graph, fused, planned, arrays, reader, limits)) {
    return {
        "a task of both {op} and {partner} would need too much memory if their arrays were in "
        "storage",
        "more than the allowed {} (spec.allowed_memory)", limits.allowed_memory};
  }
  return nullptr;
}

}  // namespace tessera
