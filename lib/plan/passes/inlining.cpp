// SPDX-License-Identifier: Apache-2.0
#include "plan/passes/inlining.hpp"

#include "plan/buffers.hpp"
#include "plan/passes/passes.hpp"

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {

namespace {

/// A longer program takes longer to be put together: each step is, when one more is added.
constexpr std::size_t most_steps = 128;

/// A task goes through so many pieces of an assembly at most.
constexpr std::size_t most_pieces = 512;

/// Returns `reader` with operand `operand` computed by `producer`; nothing where it cannot be.
std::optional<candidate> inline_producer(const array_graph& graph, candidate reader,
                                         std::size_t operand, const candidate& producer) {
  const index_map seen = reader.what.operands[operand];
  const bool is_gathered = seen.behind() != nullptr;
  reader.what.body = reader.what.body->with_producer(operand, reader.inputs.size(), seen,
                                                     *producer.what.body->as_elementwise());
  if (reader.what.body == nullptr) return std::nullopt;
  for (std::size_t i = 0; i < producer.inputs.size(); ++i) {
    if (is_gathered && is_generated(graph, producer.inputs[i])) return std::nullopt;
    if (!can_compose(producer.what.operands[i], seen)) return std::nullopt;
    reader.inputs.push_back(producer.inputs[i]);
    reader.what.operands.push_back(compose(producer.what.operands[i], seen));
  }
  const auto at = static_cast<std::ptrdiff_t>(operand);
  reader.inputs.erase(reader.inputs.begin() + at);
  reader.what.operands.erase(reader.what.operands.begin() + at);
  return reader;
}

/// Returns more than what a task of `after` has beside once arrays whose place is open are in
/// storage: of each array an element decoded, one encoded, and what it takes to do that.
bytes more_in_storage(const array_graph& graph, const candidate& after, const few<vertex>& made) {
  constexpr std::size_t times = 4;
  bytes more{};
  for (const few<vertex>& arrays : {after.inputs, made}) {
    for (const vertex v : arrays) {
      const planned_array& array = array_at(graph, v);
      if (std::holds_alternative<open_place>(array.place)) more += array.size() * times;
    }
  }
  return more;
}

/// Tells whether `after`, of which `fused` is the plan, needs too much memory where `reader` and
/// what makes `array` do not, once arrays whose place is open are in storage.
bool is_too_large_stored(const array_graph& graph, const candidate& after,
                         const planned_operation& fused, vertex array, vertex reader,
                         const spec& limits) {
  const few<vertex> made = outputs_of(graph, reader);
  const bytes room = more_in_storage(graph, after, made) + task_memory(fused, limits);
  if (room <= limits.allowed_memory) return false;
  spec in_storage = limits;
  in_storage.allowed_memory = bytes{0};
  return !fits(estimate(graph, after.what, after.inputs, made, in_storage), limits) &&
         fits(estimate(graph, reader, in_storage), limits) &&
         fits(estimate(graph, maker_of(graph, array), in_storage), limits);
}

}  // namespace

bool is_generated(const array_graph& graph, vertex array) {
  return std::holds_alternative<generated_source>(array_at(graph, array).place);
}

reason why_not_inline(const array_graph& graph, vertex array, vertex reader, const spec& limits) {
  const operation& what = operation_at(graph, reader);
  const vertex producer = maker_of(graph, array);
  const primitive& inner = *operation_at(graph, producer).body;
  if (!what.body->takes_producers()) return "its primitive computes nothing on the way";
  if (inner.as_elementwise() == nullptr) return "what it reads is not made element by element";
  if (boost::out_degree(producer, graph) != 1) return "what it reads is made with other arrays";
  if (what.body->num_steps() + inner.num_steps() > most_steps) return "the program would be long";
  if (inner.as_elementwise()->size() > 1 && is_scan_to_cut(graph, reader, limits)) {
    return "a scan of pieces has fewer tasks";
  }
  const few<vertex> inputs = inputs_of(graph, reader);
  const task_demand needs = what.body->demand(what.how, inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == array && needs.operands[i].is_whole) {
      if (inner.num_steps() == 0 && inner.as_elementwise()->size() == 1) {
        return "it is a copy in chunks that suit";
      }
      continue;
    }
    // Elements that are only handed on may be handed on again.
    if (inputs[i] == array && inner.num_steps() > 0 &&
        !what.operands[i].is_injective(what.how.domain)) {
      return "elements would be computed several times";
    }
  }
  return nullptr;
}

std::optional<candidate> inlined(const array_graph& graph, vertex array, vertex reader) {
  const candidate inner = candidate_at(graph, maker_of(graph, array));
  std::optional<candidate> after = candidate_at(graph, reader);
  while (after) {
    const auto found = std::find(after->inputs.begin(), after->inputs.end(), array);
    if (found == after->inputs.end()) return without_unused(std::move(*after));
    const auto operand = static_cast<std::size_t>(found - after->inputs.begin());
    after = inline_producer(graph, std::move(*after), operand, inner);
  }
  return std::nullopt;
}

reason why_in_pieces(const candidate& one) {
  const bool is_too_many = one.what.body->most_pieces(one.what.how) > most_pieces;
  return is_too_many ? "a task would meet too many pieces" : nullptr;
}

reason why_too_large(const array_graph& graph, const candidate& after,
                     const planned_operation& fused, vertex array, vertex reader,
                     const spec& limits) {
  if (!fits(fused, limits) && fits(estimate(graph, reader, limits), limits) &&
      fits(estimate(graph, maker_of(graph, array), limits), limits)) {
    return too_large(fused, limits);
  }
  if (is_too_large_stored(graph, after, fused, array, reader, limits)) {
    return "a task would need too much memory where what it makes is in storage";
  }
  return nullptr;
}

double times_computed(const operation& what, std::size_t i) {
  const index_map& map = what.operands[i];
  const auto blocks_along = [&what](std::size_t axis) {
    return static_cast<double>(ceil_divide(what.how.domain[axis], what.how.stream[axis]));
  };
  double times = 1;
  for (std::size_t axis = 0; axis < what.how.rank(); ++axis) {
    if (!map.depends_on(axis)) times *= blocks_along(axis);
  }
  for (const axis_map& along : map.axes()) {
    if (along.terms().size() < 2) continue;
    double seen = 1;
    double all = 1;
    for (const axis_term& term : along.terms()) {
      const index_t step = std::min(what.how.stream[term.axis], what.how.domain[term.axis]);
      seen += static_cast<double>(step - 1);
      all += static_cast<double>(what.how.domain[term.axis] - 1);
      times *= blocks_along(term.axis);
    }
    times *= seen / all;
  }
  return times;
}

}  // namespace tessera
