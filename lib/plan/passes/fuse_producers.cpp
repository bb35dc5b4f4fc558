// SPDX-License-Identifier: Apache-2.0
#include "plan/buffers.hpp"
#include "plan/passes/passes.hpp"
#include "plan/programs.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// A longer program needs more registers than the caches hold, and longer to be put together.
constexpr std::size_t most_steps = 64;

/// Returns the one program of a map that computes its whole domain; null for other operations.
const piece* whole_piece(const operation& what) {
  const auto* map = std::get_if<map_body>(&what.body);
  if (map == nullptr || map->pieces.size() != 1) return nullptr;
  return &map->pieces.front();
}

/// Replaces operand `operand` of `part` by the operands of `inner`, which stand from `first` on.
void inline_into_piece(piece& part, std::size_t operand, const piece& inner, std::size_t first) {
  while (true) {
    const auto found = std::find(part.operands.begin(), part.operands.end(), operand);
    if (found == part.operands.end()) return;
    const auto position = static_cast<std::size_t>(found - part.operands.begin());
    part.program = inline_operand(part.program, position, inner.program);
    part.operands.erase(found);
    for (const std::size_t inner_operand : inner.operands) {
      part.operands.push_back(first + inner_operand);
    }
  }
}

/// An operation with its inputs, before it is put into the graph.
struct candidate {
  operation what;
  std::vector<vertex> inputs;
};

/// Returns `reader` with operand `operand` computed by `producer`.
candidate inline_producer(candidate reader, std::size_t operand, const candidate& producer) {
  const piece& inner = *whole_piece(producer.what);
  const index_map seen = reader.what.operands[operand];
  const std::size_t first = reader.inputs.size();
  for (std::size_t i = 0; i < producer.inputs.size(); ++i) {
    reader.inputs.push_back(producer.inputs[i]);
    reader.what.operands.push_back(compose(producer.what.operands[i], seen));
  }
  if (auto* map = std::get_if<map_body>(&reader.what.body)) {
    for (piece& part : map->pieces) inline_into_piece(part, operand, inner, first);
    for (piece& part : map->pieces) {
      for (std::size_t& other : part.operands) other -= other > operand ? 1 : 0;
    }
  } else {
    // A fold's program has the operation's operands, in order.
    auto& fold = std::get<fold_body>(reader.what.body);
    std::vector<std::size_t> order(inner.operands.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = inner.operands[i];
    fold.program = inline_operand(fold.program, operand,
                                  with_operands(inner.program, order, producer.inputs.size()));
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

std::size_t num_steps(const operation& what) {
  if (const auto* fold = std::get_if<fold_body>(&what.body)) return fold->program.steps.size();
  std::size_t most = 0;
  if (const auto* map = std::get_if<map_body>(&what.body)) {
    for (const piece& part : map->pieces) most = std::max(most, part.program.steps.size());
  }
  return most;
}

/// Tells whether `reader` may compute `array` by itself, element by element.
bool may_inline(const array_graph& graph, vertex array, vertex producer, vertex reader) {
  const operation& what = operation_at(graph, reader);
  if (std::holds_alternative<contraction_body>(what.body)) return false;
  if (whole_piece(operation_at(graph, producer)) == nullptr) return false;
  if (boost::out_degree(producer, graph) != 1) return false;
  if (num_steps(what) + num_steps(operation_at(graph, producer)) > most_steps) return false;
  const std::vector<vertex> inputs = inputs_of(graph, reader);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == array && !what.operands[i].is_injective(what.domain)) return false;
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
