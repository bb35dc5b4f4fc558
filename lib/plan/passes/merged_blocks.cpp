// SPDX-License-Identifier: Apache-2.0
#include "plan/passes/merged_blocks.hpp"

#include "plan/array_storage.hpp"
#include "plan/buffers.hpp"
#include "plan/passes/cut_operation.hpp"
#include "plan/passes/whole_chunks.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// Lengthens the blocks of `merged`, of `reader`, along the axes that the producer does not have.
void take_whole(const operation& reader, merged_domain& merged) {
  if (!may_take_larger_blocks(reader)) return;
  const axis_set reduced = reader.primitive->reduced();
  for (std::size_t axis = 0; axis < reader.schedule.rank(); ++axis) {
    const bool is_shared = std::ranges::find(merged.axes, axis) != merged.axes.end();
    if (is_shared || reduced[axis]) continue;
    if (merged.schedule.step[axis] >= merged.schedule.domain[axis]) continue;
    lengthen(merged.schedule, *reader.primitive, axis, merged.schedule.domain[axis]);
    merged.whole.set(axis);
  }
}

/// Returns `op` in half the blocks along its longest kept axis but `whole`, in whole units, or
/// nullopt if no block can be cut.
std::optional<operation> halved(operation op, axis_set whole) {
  loop_schedule& schedule = op.schedule;
  const axis_set fixed = op.primitive->reduced() | schedule.ordered | whole;
  const index_vector units = units_of(op);
  schedule.block = clipped(schedule.block, schedule.domain);
  schedule.step = clipped(schedule.step, schedule.domain);
  std::size_t longest = no_axis;
  for (std::size_t axis = 0; axis < schedule.rank(); ++axis) {
    const index_t block = schedule.block[axis];
    if (fixed[axis] || block <= units[axis] || schedule.step[axis] < block) continue;
    if (longest == no_axis || block > schedule.block[longest]) longest = axis;
  }
  if (longest == no_axis) return std::nullopt;
  const index_t unit = units[longest];
  schedule.block[longest] = ceil_divide(ceil_divide(schedule.block[longest], 2), unit) * unit;
  schedule.step[longest] = schedule.block[longest];
  return op;
}

/// Gives `outputs` of open placement chunks of a block of `op`. Returns false if a block holds
/// parts of chunks of a requested output.
bool take_blocks(const operation& op, std::vector<planned_array>& outputs) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    planned_array& output = outputs[i];
    const index_vector block = computed_extents(op, i, op.schedule, output);
    if (holds_whole_chunks(block, output.shape, output.chunks)) continue;
    if (!output.is_open()) return false;
    output.chunks = block;
  }
  return true;
}

}  // namespace

merged_domain merge_domains(const operation& producer, const operation& reader,
                            std::vector<std::size_t> axes) {
  merged_domain merged{reader.schedule, std::move(axes)};
  take_whole(reader, merged);
  for (std::size_t axis = 0; axis < merged.axes.size(); ++axis) {
    if (merged.axes[axis] != no_axis) continue;
    const index_t extent = producer.schedule.domain[axis];
    merged.axes[axis] = merged.schedule.rank();
    merged.schedule.domain.push_back(extent);
    merged.schedule.block.push_back(extent);
    merged.schedule.step.push_back(extent);
  }
  return merged;
}

planned_operation estimate(const array_graph& graph, const merged_operation& merged,
                           const spec& limits, const spec& limits_of_outputs) {
  count_price(graph[boost::graph_bundle], merged.fused.inputs.size());
  std::vector<array_storage> sources;
  for (const vertex input : merged.fused.inputs) {
    sources.push_back(storage_of(array_at(graph, input), array_use::read, limits));
    sources.back().array = input;
  }
  std::vector<array_storage> targets;
  for (const planned_array& output : merged.outputs) {
    targets.push_back(storage_of(output, array_use::write, limits_of_outputs));
  }
  return with_buffers(merged.fused.op, sources, targets);
}

void cut_to_fit(const array_graph& graph, merged_operation& merged, axis_set whole,
                const spec& limits) {
  if (!merged.fused.op.primitive->may_shrink()) return;
  merged_operation cut = merged;
  while (!fits(estimate(graph, cut, limits), limits)) {
    std::optional<operation> smaller = halved(cut.fused.op, whole);
    if (!smaller || !take_blocks(*smaller, cut.outputs)) return;
    cut.fused.op = *std::move(smaller);
    cut.fused.op.outputs = cut.fused.op.primitive->outputs(cut.fused.op.schedule);
  }
  merged = std::move(cut);
}

}  // namespace tessera
