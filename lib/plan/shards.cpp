// SPDX-License-Identifier: Apache-2.0
#include "plan/shards.hpp"

#include "core/api/text.hpp"
#include "plan/array_storage.hpp"
#include "plan/saturating.hpp"
#include "plan/window.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <variant>
#include <vector>

namespace tessera {

namespace {

template <class Port>
indexed_shards shards_of_port(const Port& port) {
  const auto* const array = dynamic_cast<const array_in_shards*>(&port);
  return array == nullptr ? indexed_shards{} : array->shards_with_indexes();
}

std::vector<window_view> views_of(const planned_window& window, const operation& op) {
  std::vector<window_view> views;
  for (std::size_t i = 0; i < window.operands.size(); ++i) {
    const std::size_t operand = window.operands[i];
    views.push_back({.operand = operand,
                     .map = &op.operands[operand],
                     .where = window.where[i],
                     .at_start = window.at_start[i]});
  }
  return views;
}

}  // namespace

indexed_shards shards_of(const planned_array& array) {
  if (const auto* stored = std::get_if<stored_source>(&array.placement)) {
    return shards_of_port(*stored->array);
  }
  const auto* const placement = std::get_if<stored_placement>(&array.placement);
  return placement == nullptr ? indexed_shards{} : shards_of_port(*placement->to);
}

index_t index_reads(const planned_window& window, const operation& op, const planned_array& array) {
  const indexed_shards shards = shards_of(array);
  if (shards.extents.empty()) return 0;
  const array_storage in_shards{.type = array.type, .shape = array.shape, .chunks = shards.extents};
  const std::vector<window_view> views = views_of(window, op);
  loop_schedule tasks = op.schedule;
  tasks.step = tasks.block;
  const index_t reads = measure(tasks, {}, views, in_shards).chunk_reads;
  const index_t num_tasks = std::max<index_t>(1, tasks.tasks().size());
  if (ceil_divide(reads, num_tasks) <= shards.num_kept_indexes) return reads;
  return measure(op.schedule, op.primitive->reduced(), views, in_shards).chunk_reads;
}

std::string describe_index_reads(index_t count) {
  if (count == 0) return "";
  return fmt::format(" with {} read{} of an index", with_commas(count), count == 1 ? "" : "s");
}

void add_index_reads(const array_graph& graph, std::span<const vertex> inputs,
                     planned_operation& planned) {
  for (planned_window& window : planned.windows) {
    const planned_array& array = array_at(graph, inputs[window.operands.front()]);
    const index_t reads = index_reads(window, planned.op, array);
    window.chunk_reads = saturating_add(window.chunk_reads, reads);
    planned.chunk_reads = saturating_add(planned.chunk_reads, reads);
  }
}

}  // namespace tessera
