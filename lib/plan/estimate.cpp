// SPDX-License-Identifier: Apache-2.0
/// \file
/// Estimates of operations for passes, before arrays are placed.

#include "plan/buffers.hpp"
#include "plan/shards.hpp"
#include "plan/stored_reads.hpp"
#include "plan/tuning.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace tessera {

index_vector clipped(const index_vector& extents, const index_vector& limit) {
  index_vector result = extents;
  for (std::size_t axis = 0; axis < result.size(); ++axis) {
    result[axis] = std::min(extents[axis], std::max<index_t>(1, limit[axis]));
  }
  return result;
}

planned_operation estimate(const array_graph& graph, operation op,
                           const small_vector<vertex>& inputs, const small_vector<vertex>& outputs,
                           const spec& limits) {
  count_price(graph[boost::graph_bundle], inputs.size());
  std::vector<array_storage> sources;
  sources.reserve(inputs.size());
  for (const vertex input : inputs) {
    sources.push_back(storage_of(array_at(graph, input), array_use::read, limits));
    sources.back().array = input;
  }
  std::vector<array_storage> targets;
  targets.reserve(outputs.size());
  for (const vertex output : outputs) {
    targets.push_back(storage_of(array_at(graph, output), array_use::write, limits));
  }
  planned_operation planned = with_buffers(std::move(op), sources, targets);
  count_shard_requests(graph, as_span(inputs), planned);
  return planned;
}

planned_operation estimate(const array_graph& graph, vertex v, const spec& limits) {
  return estimate(graph, operation_at(graph, v), inputs_of(graph, v), outputs_of(graph, v), limits);
}

bool is_search_over(const array_graph& graph) {
  const graph_counts& counts = graph[boost::graph_bundle];
  return counts.priced_operands > tuning.base_budget + tuning.budget_per_vertex * counts.vertices;
}

bool may_read_chunks(const array_graph& graph, vertex v, const spec& limits) {
  const std::vector<index_map>& maps = operation_at(graph, v).operands;
  // Gathers are counted in chunks, also from arrays in memory.
  if (std::any_of(maps.begin(), maps.end(),
                  [](const auto& map) { return map.gather() != nullptr; }))
    return true;
  for (auto [edge, last] = boost::in_edges(v, graph); edge != last; ++edge) {
    const planned_array& array = array_at(graph, boost::source(*edge, graph));
    if (storage_of(array, array_use::read, limits).medium == array_storage::kind::chunks)
      return true;
  }
  return false;
}

bytes task_memory(const planned_operation& planned, const spec& limits) {
  return limits.reserved_memory + bytes{planned.buffers.peak_bytes()};
}

bool fits(const planned_operation& planned, const spec& limits) {
  return task_memory(planned, limits) <= limits.allowed_memory;
}

}  // namespace tessera
