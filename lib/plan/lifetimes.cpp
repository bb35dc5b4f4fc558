// SPDX-License-Identifier: Apache-2.0
#include "plan/lifetimes.hpp"

#include "tessera/core/chunk_grid.hpp"

#include "plan/graph.hpp"

#include <algorithm>
#include <unordered_set>

namespace tessera {

std::vector<std::size_t> ends_of_lifetimes(const bounded_plan::implementation& plan) {
  std::vector<std::size_t> ends(plan.operations.size(), 0);
  for (std::size_t i = 0; i < plan.operations.size(); ++i) {
    for (const std::size_t producer : plan.operations[i].after) ends[producer] = i + 1;
  }
  for (std::size_t& end : ends) {
    if (end == 0) end = plan.operations.size();
  }
  return ends;
}

costs::seconds saved_in_memory(const planned_array& array, std::size_t num_readers, bool is_kept,
                               const costs& figures) {
  const auto size = static_cast<double>(array.size().count());
  const auto chunks = static_cast<double>(chunk_grid(array.shape, array.chunks).size());
  const auto readers = static_cast<double>(num_readers);
  const costs::seconds read = figures.to_read(size * readers, chunks * readers);
  return is_kept ? read : figures.to_write(size, chunks) + read;
}

std::vector<bool> kept_among_arrays(const bounded_plan::implementation& plan) {
  std::vector<bool> are_kept(plan.arrays.size(), false);
  const plan_graph& graph = *plan.graph;
  if (graph.kept.empty()) return are_kept;
  const std::unordered_set<std::size_t> kept(graph.kept.begin(), graph.kept.end());
  for (auto [v, last] = boost::vertices(graph.graph); v != last; ++v) {
    if (kept.contains(graph.graph[*v].serial)) are_kept[graph.graph[*v].number] = true;
  }
  return are_kept;
}

std::vector<bool> outputs_among_arrays(const bounded_plan::implementation& plan) {
  std::vector<bool> are_outputs(plan.arrays.size(), false);
  for (const std::size_t output : plan.outputs) are_outputs[output] = true;
  return are_outputs;
}

std::vector<memory_in_use> find_memory_in_use(const bounded_plan::implementation& plan) {
  const std::size_t size = plan.operations.size();
  const std::vector<std::size_t> ends = ends_of_lifetimes(plan);
  const std::vector<bool> are_outputs = outputs_among_arrays(plan);
  std::vector<bytes> freed_at(size + 1);
  std::vector<memory_in_use> by_operation;
  by_operation.reserve(size);
  memory_in_use now;
  for (std::size_t i = 0; i < size; ++i) {
    now.intermediates = now.intermediates - freed_at[i];
    now.new_intermediates = {};
    now.new_results = {};
    for (const planned_result& output : plan.operations[i].outputs) {
      const planned_array& array = plan.arrays[output.array];
      if (!array.is_in_memory()) continue;
      if (are_outputs[output.array]) {
        now.results += array.size();
        now.new_results += array.size();
      } else {
        now.intermediates += array.size();
        now.new_intermediates += array.size();
        freed_at[ends[i]] += array.size();
      }
    }
    by_operation.push_back(now);
  }
  return by_operation;
}

}  // namespace tessera
