// SPDX-License-Identifier: Apache-2.0
#include "plan/buffers.hpp"
#include "plan/passes/passes.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// A larger block must save at least this share of the reads, or it is not worth its memory.
constexpr double least_saving = 0.1;

/// Returns `what` with blocks of `length` along `axis`.
operation with_length(const operation& what, std::size_t axis, index_t length) {
  operation larger = what;
  larger.how.block[axis] = length;
  larger.how.stream[axis] = length;
  return larger;
}

/// Returns the lengths along `axis` that are worth a try, in ascending order: multiples of the
/// block that double, and those at which blocks and the chunks of an operand end together.
std::vector<index_t> lengths_to_try(const array_graph& graph, const std::vector<vertex>& inputs,
                                    const operation& what, std::size_t axis) {
  const index_t block = what.how.block[axis];
  const index_t longest = ceil_divide(what.how.domain[axis], block) * block;
  std::vector<index_t> lengths;
  for (index_t length = block; length < longest; length *= 2) lengths.push_back(length);
  lengths.push_back(longest);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const index_vector& chunks = array_at(graph, inputs[i]).chunks;
    for (std::size_t k = 0; k < chunks.size(); ++k) {
      const axis_map& m = what.operands[i][k];
      if (m.axis != axis || chunks[k] > longest) continue;
      const index_t common = std::lcm(block, chunks[k]);
      for (index_t length = common; length < longest; length *= 2) lengths.push_back(length);
    }
  }
  std::sort(lengths.begin(), lengths.end());
  std::erase_if(lengths, [block](index_t length) { return length <= block; });
  return lengths;
}

/// Returns the enlarged operation that reads clearly least among those that keep to the memory;
/// none if no axis helps.
std::optional<operation> better(const array_graph& graph, vertex v, const spec& limits) {
  const operation& what = operation_at(graph, v);
  const std::vector<vertex> inputs = inputs_of(graph, v);
  const std::vector<vertex> outputs = outputs_of(graph, v);
  const auto reads = [&](const planned_operation& planned) {
    return static_cast<double>(planned.bytes_read.count());
  };
  std::optional<operation> best;
  double least = reads(estimate(graph, what, inputs, outputs, limits)) * (1 - least_saving);
  for (std::size_t axis = 0; axis < what.how.domain.size(); ++axis) {
    for (const index_t length : lengths_to_try(graph, inputs, what, axis)) {
      operation larger = with_length(what, axis, length);
      const planned_operation planned = estimate(graph, larger, inputs, outputs, limits);
      if (!fits(planned, limits)) break;
      if (reads(planned) >= least) continue;
      least = reads(planned) * (1 - least_saving);
      best = std::move(larger);
    }
  }
  return best;
}

reason why_not_larger(const array_graph& graph, vertex v, const spec& limits) {
  if (!operation_at(graph, v).body->may_grow()) return "larger blocks would make something else";
  if (!fits(estimate(graph, v, limits), limits)) return "a task needs too much memory as it is";
  return nullptr;
}

}  // namespace

void size_blocks(plan_graph& plan, const pass_context& context) {
  for (const vertex v : operations_in_order(plan.graph)) {
    if (const reason why_not = why_not_larger(plan.graph, v, context.limits)) {
      context.leave(operation_at(plan.graph, v), why_not);
      continue;
    }
    while (std::optional<operation> larger = better(plan.graph, v, context.limits)) {
      operation_at(plan.graph, v) = std::move(*larger);
    }
  }
}

}  // namespace tessera
