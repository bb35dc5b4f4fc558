// SPDX-License-Identifier: Apache-2.0
/// \file
/// Lets an operation adopt the coarser chunks in which a copy of its output is stored.
///
/// Problem: y is computed in small chunks, a copy z of y in coarser chunks is requested, and other
/// operations read y, such as the next level of a pyramid. Computed in the chunks of z, the copy is
/// not needed, and the readers can become levels of z (`fuse_levels`):
///     x -> [g] -> y -> [copy] -> z           x -> [g] -> z -> [f] -> w
///                 y -> [f] -> w
/// Legality: y is not requested; z is all of y; chunks of z consist of whole chunks of y; g and all
/// readers of y can take larger blocks; the task of g still fits.
/// Price: the merit of g, the copy and the readers does not get worse. Readers that can become
/// levels of z are left out of both sums, as they will read nothing.
/// Invariant: operations are visited readers first, as a reader in larger blocks reads larger
/// chunks once.

#include "plan/buffers.hpp"
#include "plan/cost.hpp"
#include "plan/passes/candidate.hpp"
#include "plan/passes/passes.hpp"
#include "plan/passes/whole_chunks.hpp"
#include "primitive/api/build.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// Tells whether `producer` can compute `array` in `chunks` that consist of whole present chunks.
bool can_adopt_chunks(const array_graph& graph, vertex producer, vertex array,
                      const index_vector& chunks) {
  const operation& op = operation_at(graph, producer);
  const planned_array& planned = array_at(graph, array);
  if (op.outputs.size() != 1 || !may_take_larger_blocks(op)) return false;
  const std::vector<output_axis>& axes = op.outputs.front().axes;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const bool has_one_chunk =
        axes[k].is_of_domain() && op.schedule.block[axes[k].axis] == planned.chunks[k];
    if (!has_one_chunk) return false;
  }
  return chunks != planned.chunks && holds_whole_chunks(chunks, planned.shape, planned.chunks);
}

/// Returns `producer` with blocks of one chunk of `chunks`, rounded up to whole present blocks, as
/// functions of blocks are called with these.
operation with_chunks(operation producer, const index_vector& chunks) {
  const std::vector<output_axis>& axes = producer.outputs.front().axes;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const std::size_t axis = axes[k].axis;
    const index_t block = producer.schedule.block[axis];
    lengthen(producer.schedule, *producer.primitive, axis, ceil_divide(chunks[k], block) * block);
  }
  return producer;
}

/// Tells whether `reader` may become a level of its operand, so that it reads nothing.
bool may_be_level(const array_graph& graph, vertex reader) {
  const small_vector<vertex> inputs = inputs_of(graph, reader);
  const operation& op = operation_at(graph, reader);
  const bool is_alone = std::ranges::all_of(inputs, [&](vertex v) { return v == inputs.front(); });
  return is_alone &&
         coarser_axes({op.primitive, 0, op.schedule.domain, op.schedule.step, op.operands, {}})
             .has_value();
}

/// Returns the cost of the producer, the copy and the readers as they are if `larger` is null; else
/// with `larger` as the producer of `copy`, which all readers read. Levels are left out of both.
plan_cost cost_of_all(const array_graph& graph, vertex copy_op, vertex copy,
                      const operation* larger, const spec& limits) {
  const vertex array = inputs_of(graph, copy_op).front();
  const vertex producer = producer_of(graph, array);
  plan_cost_sum sum(limits.costs, limits.costs.num_workers());
  sum.add_behind(larger == nullptr
                     ? estimate(graph, producer, limits)
                     : estimate(graph, *larger, inputs_of(graph, producer), {copy}, limits),
                 {});
  for (const vertex reader : readers_of(graph, array)) {
    if (reader != copy_op && may_be_level(graph, reader)) continue;
    if (larger == nullptr) {
      sum.add_behind(estimate(graph, reader, limits), {0});
    } else if (reader != copy_op) {
      small_vector<vertex> inputs = inputs_of(graph, reader);
      std::ranges::replace(inputs, array, copy);
      sum.add_behind(
          estimate(graph, operation_at(graph, reader), inputs, outputs_of(graph, reader), limits),
          {0});
    }
  }
  return sum.total();
}

/// Returns a refusal if `larger` must not compute `copy` in place of the operation `copy_op`.
reason check_cost(const array_graph& graph, vertex copy_op, vertex copy, const operation& larger,
                  const spec& limits) {
  const vertex producer = producer_of(graph, inputs_of(graph, copy_op).front());
  if (reads_distributed(graph, producer)) return input_of_producer_is_distributed;
  const planned_operation planned =
      estimate(graph, larger, inputs_of(graph, producer), {copy}, limits);
  if (!fits(planned, limits)) {
    return too_large("a task of {producer} for whole chunks of {reader} would need too much memory",
                     planned, limits);
  }
  const plan_cost with_copy = cost_of_all(graph, copy_op, copy, nullptr, limits);
  const plan_cost without_copy = cost_of_all(graph, copy_op, copy, &larger, limits);
  if (without_copy.merit() <= with_copy.merit()) return nullptr;
  return {
      "a copy costs less than {producer} in the chunks of {reader}, which would read chunks "
      "twice or leave workers without a task",
      "{} on all workers in place of {}", without_copy.wall, with_copy.wall};
}

/// Replaces the source of `copy` by `copy` itself, if that is legal and costs no more: its producer
/// computes the chunks of `copy`, and its readers read `copy`.
void adopt_chunks(plan_graph& plan, vertex copy, const pass_context& context) {
  array_graph& graph = plan.graph;
  const vertex copy_op = producer_of(graph, copy);
  if (copy_op == nullptr) return;
  const operation& copying_op = operation_at(graph, copy_op);
  if (!is_copy(*copying_op.primitive) || !copying_op.operands.front().is_identity()) return;
  const vertex array = inputs_of(graph, copy_op).front();
  const vertex producer = producer_of(graph, array);
  const bool is_requested = array_at(graph, array).is_requested;
  const index_vector chunks = array_at(graph, copy).chunks;
  // A part that begins at the first element has the identity as its map, too.
  const bool is_whole = array_at(graph, array).shape == array_at(graph, copy).shape;
  if (producer == nullptr || is_requested || !is_whole) return;
  if (!can_adopt_chunks(graph, producer, array, chunks)) return;
  const std::vector<use_of_array> uses = uses_of(graph, array);
  for (const auto& [reader, position] : uses) {
    if (reader != copy_op && !may_take_larger_blocks(operation_at(graph, reader))) return;
  }
  operation larger = with_chunks(operation_at(graph, producer), chunks);
  if (const reason refusal = check_cost(graph, copy_op, copy, larger, context.limits)) {
    return context.leave(graph, copy_op, refusal, producer);
  }
  operation_at(graph, producer) = std::move(larger);
  for (const auto& [reader, position] : uses) {
    if (reader == copy_op) continue;
    small_vector<vertex> inputs = inputs_of(graph, reader);
    inputs[position] = copy;
    set_inputs(graph, reader, inputs);
  }
  array_at(graph, copy).name = array_at(graph, array).name;
  context.tell(graph, producer, [&] {
    return fmt::format("computes the requested chunks of {} directly", format_shape(chunks));
  });
  remove(graph, copy_op);
  remove(graph, array);
  add_output(graph, producer, copy, 0);
}

}  // namespace

void adopt_consumer_chunks(plan_graph& plan, const pass_context& context) {
  std::vector<vertex> order = operations_in_order(plan.graph);
  std::reverse(order.begin(), order.end());
  for (const vertex v : order) {
    const vertex array = outputs_of(plan.graph, v).front();
    if (array_at(plan.graph, array).is_requested) adopt_chunks(plan, array, context);
  }
}

}  // namespace tessera
