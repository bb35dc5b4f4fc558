// SPDX-License-Identifier: Apache-2.0
#include "tessera/primitive/cascade.hpp"

#include "plan/buffers.hpp"
#include "plan/cost.hpp"
#include "plan/parts.hpp"
#include "plan/passes/candidate.hpp"
#include "plan/passes/passes.hpp"
#include "plan/passes/whole_chunks.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// Tells whether `maker`, which makes `array`, can make chunks that are made of some of its own.
bool can_make(const array_graph& graph, vertex maker, vertex array, const index_vector& chunks) {
  const operation& what = operation_at(graph, maker);
  const planned_array& made = array_at(graph, array);
  if (what.outputs.size() != 1 || !may_take_larger_blocks(what)) return false;
  const std::vector<output_axis>& axes = what.outputs.front().axes;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const bool is_own = axes[k].is_of_domain() && what.how.block[axes[k].axis] == made.chunks[k];
    if (!is_own) return false;
  }
  return chunks != made.chunks && holds_whole_chunks(chunks, made.shape, made.chunks);
}

/// Returns `maker`, which makes one array, in blocks that are `chunks` of that: those that reach
/// its end as whole blocks of before, which is how functions of blocks are called.
operation in_chunks(operation maker, const index_vector& chunks) {
  const std::vector<output_axis>& axes = maker.outputs.front().axes;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const std::size_t axis = axes[k].axis;
    const index_t block = maker.how.block[axis];
    lengthen(maker.how, *maker.body, axis, ceil_divide(chunks[k], block) * block);
  }
  return maker;
}

/// Tells whether `reader` may be made where what it reads is, so that it reads nothing.
bool may_be_level(const array_graph& graph, vertex reader) {
  const few<vertex> inputs = inputs_of(graph, reader);
  const operation& what = operation_at(graph, reader);
  const bool is_alone = std::ranges::all_of(inputs, [&](vertex v) { return v == inputs.front(); });
  return is_alone &&
         coarser_axes({what.body, 0, what.how.domain, what.how.stream, what.operands, {}})
             .has_value();
}

/// Returns what `maker`, `copier` and those that read what they make cost: with the copy, or, with
/// `larger` in the maker's place, where all read `copy`. Levels of that are left out of both.
plan_cost cost_of_all(const array_graph& graph, vertex copier, vertex copy, const operation* larger,
                      const spec& limits) {
  const vertex array = inputs_of(graph, copier).front();
  const vertex maker = maker_of(graph, array);
  plan_cost_sum sum(limits.costs, limits.costs.num_workers());
  sum.add_behind(larger == nullptr
                     ? estimate(graph, maker, limits)
                     : estimate(graph, *larger, inputs_of(graph, maker), {copy}, limits),
                 {});
  for (const vertex reader : readers_of(graph, array)) {
    if (reader != copier && may_be_level(graph, reader)) continue;
    if (larger == nullptr) {
      sum.add_behind(estimate(graph, reader, limits), {0});
    } else if (reader != copier) {
      few<vertex> inputs = inputs_of(graph, reader);
      std::ranges::replace(inputs, array, copy);
      sum.add_behind(
          estimate(graph, operation_at(graph, reader), inputs, outputs_of(graph, reader), limits),
          {0});
    }
  }
  return sum.total();
}

/// Returns why `larger` may not make `copy` in the place of what `copier` reads.
reason why_not_larger(const array_graph& graph, vertex copier, vertex copy, const operation& larger,
                      const spec& limits) {
  const vertex maker = maker_of(graph, inputs_of(graph, copier).front());
  for (const vertex input : inputs_of(graph, maker)) {
    if (parts_of(array_at(graph, input)) != nullptr) {
      return "what it reads lies in several processes";
    }
  }
  if (!fits(estimate(graph, larger, inputs_of(graph, maker), {copy}, limits), limits)) {
    return "a task that makes its chunks would need too much memory";
  }
  const double apart = cost_of_all(graph, copier, copy, nullptr, limits).merit();
  return cost_of_all(graph, copier, copy, &larger, limits).merit() > apart
             ? "a copy costs less: chunks would be read again, or fewer workers have a task"
             : nullptr;
}

/// Where `copy` holds, in coarser chunks, what nobody asked for in others, and all who read that
/// can take larger blocks, lets it be made in those chunks, and be read there: levels of a pyramid,
/// each stored in equal chunks, are made of one another.
void make_in_its_chunks(plan_graph& plan, vertex copy, const pass_context& context) {
  array_graph& graph = plan.graph;
  const vertex copier = maker_of(graph, copy);
  if (copier == nullptr) return;
  const operation& copying = operation_at(graph, copier);
  if (copying.body->kind() != "copy" || !copying.operands.front().is_identity()) return;
  const vertex array = inputs_of(graph, copier).front();
  const vertex maker = maker_of(graph, array);
  const bool is_asked_for = array_at(graph, array).is_requested;
  const index_vector chunks = array_at(graph, copy).chunks;
  // The first part of an array is seen through the identity as well.
  const bool is_whole = array_at(graph, array).shape == array_at(graph, copy).shape;
  if (maker == nullptr || is_asked_for || !is_whole) return;
  if (!can_make(graph, maker, array, chunks)) return;
  const std::vector<use_of_array> uses = uses_of(graph, array);
  for (const auto& [reader, position] : uses) {
    if (reader != copier && !may_take_larger_blocks(operation_at(graph, reader))) return;
  }
  operation larger = in_chunks(operation_at(graph, maker), chunks);
  if (const reason left = why_not_larger(graph, copier, copy, larger, context.limits)) {
    return context.leave(graph, copier, left);
  }
  operation_at(graph, maker) = std::move(larger);
  for (const auto& [reader, position] : uses) {
    if (reader == copier) continue;
    few<vertex> inputs = inputs_of(graph, reader);
    inputs[position] = copy;
    set_inputs(graph, reader, inputs);
  }
  array_at(graph, copy).name = array_at(graph, array).name;
  context.tell(graph, maker, [&] {
    return fmt::format("makes chunks of {}, which were asked for", format_shape(chunks));
  });
  remove(graph, copier);
  remove(graph, array);
  add_output(graph, maker, copy, 0);
}

}  // namespace

// Those who read others first: in larger blocks they read larger chunks once.
void take_chunks(plan_graph& plan, const pass_context& context) {
  std::vector<vertex> order = operations_in_order(plan.graph);
  std::reverse(order.begin(), order.end());
  for (const vertex v : order) {
    const vertex made = outputs_of(plan.graph, v).front();
    if (array_at(plan.graph, made).is_requested) make_in_its_chunks(plan, made, context);
  }
}

}  // namespace tessera
