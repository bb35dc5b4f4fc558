// SPDX-License-Identifier: Apache-2.0
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

/// Returns `maker`, which makes one array, in blocks that are `chunks` of that.
operation in_chunks(operation maker, const index_vector& chunks) {
  const std::vector<output_axis>& axes = maker.outputs.front().axes;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    maker.how.block[axes[k].axis] = maker.how.stream[axes[k].axis] = chunks[k];
  }
  return maker;
}

/// Where `copy` holds, in coarser chunks, what nobody asked for in others, and all who read that
/// can take larger blocks, lets it be made in those chunks, and be read there: levels of a pyramid,
/// each stored in equal chunks, are made of one another.
void make_in_its_chunks(plan_graph& plan, vertex copy, const pass_context& context) {
  array_graph& graph = plan.graph;
  const vertex copier = maker_of(graph, copy);
  const operation& copying = operation_at(graph, copier);
  if (copying.body->kind() != "copy" || !copying.operands.front().is_identity()) return;
  const vertex array = inputs_of(graph, copier).front();
  const vertex maker = maker_of(graph, array);
  const bool is_asked_for = std::ranges::find(plan.outputs, array) != plan.outputs.end();
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
  if (!fits(estimate(graph, larger, inputs_of(graph, maker), {copy}, context.limits),
            context.limits)) {
    return context.leave(graph, copier, "a task that makes its chunks would need too much memory");
  }
  operation_at(graph, maker) = std::move(larger);
  for (const auto& [reader, position] : uses) {
    if (reader == copier) continue;
    std::vector<vertex> inputs = inputs_of(graph, reader);
    inputs[position] = copy;
    set_inputs(graph, reader, inputs);
  }
  array_at(graph, copy).name = array_at(graph, array).name;
  context.tell(graph, maker, [&] {
    return fmt::format("makes chunks of {}, as they are stored", format_shape(chunks));
  });
  remove(graph, copier);
  remove(graph, array);
  add_output(graph, maker, copy, 0);
}

}  // namespace

void take_chunks(plan_graph& plan, const pass_context& context) {
  for (const vertex array : plan.outputs) {
    if (maker_of(plan.graph, array) != nullptr) make_in_its_chunks(plan, array, context);
  }
}

}  // namespace tessera
