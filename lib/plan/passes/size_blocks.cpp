// SPDX-License-Identifier: Apache-2.0
#include "plan/buffers.hpp"
#include "plan/passes/passes.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// A larger block must save at least this share of the reads, or it is not worth its memory.
constexpr double least_saving = 0.1;

/// Returns `what` with its blocks twice as long along `axis`, if they do not span it already.
std::optional<operation> doubled(const operation& what, std::size_t axis) {
  if (what.block[axis] >= what.domain[axis]) return std::nullopt;
  operation larger = what;
  const index_t chunk = what.stream[axis];
  const index_t length =
      std::min(2 * what.block[axis], ceil_divide(what.domain[axis], chunk) * chunk);
  larger.block[axis] = length;
  larger.stream[axis] = length;
  return larger;
}

/// Returns the enlarged operation that reads least among those that keep to the memory; none if no
/// axis helps.
std::optional<operation> better(const array_graph& graph, vertex v, const operation& what,
                                const spec& limits) {
  const std::vector<vertex> inputs = inputs_of(graph, v);
  const std::vector<vertex> outputs = outputs_of(graph, v);
  const bytes reads_now = estimate(graph, what, inputs, outputs, limits).bytes_read;
  const auto bound = static_cast<double>(reads_now.count()) * (1 - least_saving);
  std::optional<operation> best;
  bytes least = reads_now;
  for (std::size_t axis = 0; axis < what.domain.size(); ++axis) {
    std::optional<operation> larger = doubled(what, axis);
    // A doubling may save nothing where the next one does, so a few are tried in a row.
    for (int doublings = 0; larger && doublings < 12; ++doublings) {
      const planned_operation planned = estimate(graph, *larger, inputs, outputs, limits);
      if (!fits(planned, limits)) break;
      if (planned.bytes_read < least && static_cast<double>(planned.bytes_read.count()) < bound) {
        least = planned.bytes_read;
        best = larger;
      }
      larger = doubled(*larger, axis);
    }
  }
  return best;
}

}  // namespace

void size_blocks(plan_graph& plan, const spec& limits) {
  for (const vertex v : operations_in_order(plan.graph)) {
    const operation& what = operation_at(plan.graph, v);
    if (!std::holds_alternative<map_body>(what.body)) continue;
    if (!fits(estimate(plan.graph, v, limits), limits)) continue;
    while (std::optional<operation> larger =
               better(plan.graph, v, operation_at(plan.graph, v), limits)) {
      operation_at(plan.graph, v) = std::move(*larger);
    }
  }
}

}  // namespace tessera
