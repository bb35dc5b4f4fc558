// SPDX-License-Identifier: Apache-2.0
#include "plan/buffers.hpp"
#include "plan/passes/passes.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// A longer program needs more registers than the caches hold, and longer to be put together.
constexpr std::size_t most_steps = 64;

/// An operation with its inputs, before it is put into the graph.
struct candidate {
  operation what;
  std::vector<vertex> inputs;
};

/// Returns `reader` with operand `operand` computed by `producer`.
candidate inline_producer(candidate reader, std::size_t operand, const candidate& producer) {
  const index_map seen = reader.what.operands[operand];
  reader.what.body = reader.what.body->with_producer(
      operand, reader.inputs.size(), *producer.what.body->as_elementwise(), producer.inputs.size());
  for (std::size_t i = 0; i < producer.inputs.size(); ++i) {
    reader.inputs.push_back(producer.inputs[i]);
    reader.what.operands.push_back(compose(producer.what.operands[i], seen));
  }
  const auto at = static_cast<std::ptrdiff_t>(operand);
  reader.inputs.erase(reader.inputs.begin() + at);
  reader.what.operands.erase(reader.what.operands.begin() + at);
  return reader;
}

/// Puts `changed` in the place of operation `v`.
void put(array_graph& graph, vertex v, candidate changed) {
  operation_at(graph, v) = std::move(changed.what);
  set_inputs(graph, v, changed.inputs);
  unify_operands(graph, v);
}

/// Tells whether `reader` may compute `array` by itself, element by element.
bool may_inline(const array_graph& graph, vertex array, vertex producer, vertex reader) {
  const operation& what = operation_at(graph, reader);
  const primitive& inner = *operation_at(graph, producer).body;
  if (!what.body->takes_producers() || inner.as_elementwise() == nullptr) return false;
  if (boost::out_degree(producer, graph) != 1) return false;
  if (what.body->num_steps() + inner.num_steps() > most_steps) return false;
  const std::vector<vertex> inputs = inputs_of(graph, reader);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == array && !what.operands[i].is_injective(what.how.domain)) return false;
  }
  return true;
}

candidate candidate_at(const array_graph& graph, vertex v) {
  return {operation_at(graph, v), inputs_of(graph, v)};
}

/// Returns `reader` with every use of `array` computed in place, if that costs no more.
std::optional<candidate> inlined(const array_graph& graph, vertex array, vertex producer,
                                 vertex reader, const spec& limits) {
  const candidate before = candidate_at(graph, reader);
  const candidate inner = candidate_at(graph, producer);
  candidate after = before;
  while (true) {
    const auto found = std::find(after.inputs.begin(), after.inputs.end(), array);
    if (found == after.inputs.end()) break;
    after = inline_producer(std::move(after),
                            static_cast<std::size_t>(found - after.inputs.begin()), inner);
  }
  const planned_operation old_reader = estimate(graph, reader, limits);
  const planned_operation old_producer = estimate(graph, producer, limits);
  const planned_operation fused =
      estimate(graph, after.what, after.inputs, outputs_of(graph, reader), limits);
  const bytes moved_before =
      old_reader.bytes_read + old_producer.bytes_read + old_producer.bytes_written;
  if (fused.bytes_read > moved_before) return std::nullopt;
  if (!fits(fused, limits) && fits(old_reader, limits) && fits(old_producer, limits)) {
    return std::nullopt;
  }
  return after;
}

}  // namespace

void fuse_producers(plan_graph& plan, const spec& limits) {
  // Readers come after what they read, so that a chain collapses into its last operation.
  for (const vertex reader : operations_in_order(plan.graph)) {
    bool has_changed = true;
    while (has_changed) {
      has_changed = false;
      for (const vertex array : inputs_of(plan.graph, reader)) {
        if (array_at(plan.graph, array).is_requested) continue;
        if (boost::in_degree(array, plan.graph) == 0) continue;
        if (readers_of(plan.graph, array).size() != 1) continue;
        const vertex producer =
            boost::source(*boost::in_edges(array, plan.graph).first, plan.graph);
        if (!may_inline(plan.graph, array, producer, reader)) continue;
        auto fused = inlined(plan.graph, array, producer, reader, limits);
        if (!fused) continue;
        put(plan.graph, reader, std::move(*fused));
        remove(plan.graph, array);
        remove(plan.graph, producer);
        has_changed = true;
        break;
      }
    }
  }
}

}  // namespace tessera
