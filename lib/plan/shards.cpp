// SPDX-License-Identifier: Apache-2.0
#include "plan/shards.hpp"

#include "core/api/shard_runs.hpp"
#include "core/api/text.hpp"
#include "plan/buffers.hpp"
#include "plan/saturating.hpp"
#include "plan/task_windows.hpp"

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
                     .may_be_kept = window.overlap_axis != no_axis,
                     .at_start = window.at_start[i]});
  }
  return views;
}

/// Returns how often the steps of `schedule` read a value of `extents` through a window.
index_t count_reads(const loop_schedule& schedule, axis_set reduced, const planned_window& window,
                    const operation& op, const planned_array& array, const index_vector& extents) {
  const array_storage in_values{.type = array.type, .shape = array.shape, .chunks = extents};
  return measure(schedule, reduced, views_of(window, op), in_values).chunk_reads;
}

index_t count_index_reads(const planned_window& window, const planned_operation& planned,
                          const planned_array& array, const indexed_shards& shards) {
  const operation& op = planned.op;
  const loop_schedule legs = schedule_in_legs(planned);
  loop_schedule at_once = legs;
  at_once.step = at_once.block;
  const index_t reads = count_reads(at_once, {}, window, op, array, shards.extents);
  const index_t num_blocks = std::max<index_t>(1, at_once.blocks().size());
  if (ceil_divide(reads, num_blocks) <= shards.num_kept_indexes) return reads;
  return count_reads(legs, op.primitive->reduced(), window, op, array, shards.extents);
}

/// Returns the most bytes of a stored chunk.
std::size_t stored_bound(const planned_array& array) {
  const auto* const stored = std::get_if<stored_source>(&array.placement);
  const chunk_cost cost = stored != nullptr
                              ? stored->array->read_cost()
                              : std::get<stored_placement>(array.placement).to->read_cost();
  return cost.encoded > 0 ? cost.encoded : cost.decoded;
}

/// Returns the greatest divisor of `number` that is at most `limit`.
index_t divisor_within(index_t number, index_t limit) {
  index_t divisor = std::min(number, limit);
  while (number % divisor != 0) --divisor;
  return divisor;
}

/// Returns the extents of the chunks that one request reads into `room` bytes, of a shard whose
/// chunks lie row by row and have `bound` bytes each. A step of a task that walks along an axis
/// reads one chunk along it.
index_vector extents_of_run(const planned_array& array, const indexed_shards& shards,
                            std::size_t overlap_axis, std::size_t bound, std::size_t room) {
  index_vector extents = array.chunks;
  // The distance of neighbours along an axis, and the bytes from the first to the last chunk.
  std::size_t distance = bound;
  std::size_t span = bound;
  std::size_t most = most_chunks_in_run;
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    if (distance - span > largest_gap_in_run) break;
    const index_t in_shard = shards.extents[axis] / array.chunks[axis];
    const std::size_t fitting = std::min(most, 1 + (room - span) / distance);
    const index_t in_run =
        axis == overlap_axis ? 1 : divisor_within(in_shard, static_cast<index_t>(fitting));
    extents[axis] *= in_run;
    most /= static_cast<std::size_t>(in_run);
    span += static_cast<std::size_t>(in_run - 1) * distance;
    distance *= static_cast<std::size_t>(in_shard);
  }
  return extents;
}

}  // namespace

indexed_shards shards_of(const planned_array& array) {
  if (const auto* stored = std::get_if<stored_source>(&array.placement)) {
    return shards_of_port(*stored->array);
  }
  const auto* const placement = std::get_if<stored_placement>(&array.placement);
  return placement == nullptr ? indexed_shards{} : shards_of_port(*placement->to);
}

shard_reads& shard_reads::operator+=(const shard_reads& added) {
  num_indexes = saturating_add(num_indexes, added.num_indexes);
  room = std::max(room, added.room);
  return *this;
}

shard_reads find_shard_reads(const planned_operation& planned, const planned_window& window,
                             const planned_array& array) {
  const indexed_shards shards = shards_of(array);
  if (shards.extents.empty()) return {};
  const std::size_t room =
      window.encoded == no_buffer ? 0 : planned.buffers.buffers()[window.encoded].size;
  return {count_index_reads(window, planned, array, shards),
          room < 2 * stored_bound(array) ? 0 : room};
}

std::string describe(const shard_reads& reads) {
  if (reads.num_indexes == 0) return "";
  std::string text = fmt::format(" with {} read{} of an index", with_commas(reads.num_indexes),
                                 reads.num_indexes == 1 ? "" : "s");
  if (reads.room > 0) {
    text +=
        fmt::format(" and neighbouring chunks at once, up to {}", format_short(bytes{reads.room}));
  }
  return text;
}

void count_shard_requests(const array_graph& graph, std::span<const vertex> inputs,
                          planned_operation& planned) {
  for (planned_window& window : planned.windows) {
    const planned_array& array = array_at(graph, inputs[window.operands.front()]);
    const shard_reads reads = find_shard_reads(planned, window, array);
    if (reads.num_indexes == 0) continue;
    index_t requests = window.chunk_reads;
    if (reads.room > 0) {
      const index_vector run = extents_of_run(array, shards_of(array), window.overlap_axis,
                                              stored_bound(array), reads.room);
      requests =
          std::min(requests, count_reads(schedule_in_legs(planned), planned.op.primitive->reduced(),
                                         window, planned.op, array, run));
    }
    requests = saturating_add(requests, reads.num_indexes);
    planned.chunk_reads = saturating_add(planned.chunk_reads - window.chunk_reads, requests);
    window.chunk_reads = requests;
    window.index_reads = reads.num_indexes;
  }
}

planned_operation with_room_for_neighbours(planned_operation planned, const array_graph& graph,
                                           std::span<const vertex> inputs,
                                           std::vector<array_storage> sources,
                                           const std::vector<array_storage>& targets,
                                           const spec& limits) {
  bool is_any_larger = false;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const std::size_t room = shards_of(array_at(graph, inputs[i])).run_bytes;
    is_any_larger |= room > sources[i].cost.encoded;
    sources[i].cost.encoded = std::max(sources[i].cost.encoded, room);
  }
  if (!is_any_larger) return planned;
  const planned_operation roomy = with_buffers(planned.op, sources, targets);
  const auto requests = [&](planned_operation counted) {
    count_shard_requests(graph, inputs, counted);
    return counted.chunk_reads;
  };
  return fits(roomy, limits) && requests(roomy) < requests(planned) ? roomy : planned;
}

}  // namespace tessera
