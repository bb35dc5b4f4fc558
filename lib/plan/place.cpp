// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/array_kinds.hpp"

#include "plan/array_storage.hpp"
#include "plan/buffers.hpp"
#include "plan/build.hpp"

#include <map>
#include <optional>
#include <set>
#include <utility>

namespace tessera {

namespace {

bytes size_of_array(const array_vertex& array) {
  return memory_for_elements(array.shape, array.type);
}

/// Puts arrays and operations in order.
class placement {
 public:
  placement(const plan_graph& plan, const spec& limits, const plan_workers& workers,
            bool has_memory_tier, bool keeps_intermediates)
      : plan_(plan), has_memory_tier_(has_memory_tier), keeps_intermediates_(keeps_intermediates) {
    placed_.spec = limits;
    placed_.workers = workers;
  }

  bounded_plan::implementation run() && {
    const std::vector<vertex> order = in_order(plan_.graph);
    for (const vertex v : order) {
      if (!is_operation(plan_.graph, v)) add_array(v);
    }
    for (const vertex v : order) {
      if (is_operation(plan_.graph, v)) add_operation(v);
    }
    for (const vertex v : plan_.outputs) placed_.outputs.push_back(arrays_.at(v));
    return std::move(placed_);
  }

 private:
  void add_array(vertex v) {
    const array_vertex& array = array_at(plan_.graph, v);
    planned_array placed{array.type, array.shape, array.chunks, array.name, memory_place{}};
    if (const auto* from = std::get_if<stored_source>(&array.source)) {
      placed.place = *from;
    } else if (const auto* memory = std::get_if<memory_source>(&array.source)) {
      placed.place = *memory;
    } else if (const auto* generated = std::get_if<generated_source>(&array.source)) {
      placed.place = *generated;
    } else if (array.destination != nullptr) {
      placed.place = stored_place{array.destination, false};
    } else if (!has_memory_tier_ || (!array.is_requested && !take_memory(array))) {
      placed.place = intermediate(array);
    }
    arrays_[v] = placed_.arrays.size();
    placed_.arrays.push_back(std::move(placed));
  }

  /// Takes room for an intermediate out of the budget; false where it does not fit.
  bool take_memory(const array_vertex& array) {
    if (!keeps_intermediates_) return false;
    if (!left_) left_ = budget();
    const bytes size = size_of_array(array);
    if (size > *left_) return false;
    left_ = *left_ - size;
    return true;
  }

  /// Returns what all intermediates in memory may hold together: what the host's limit leaves
  /// beside the results and a task of each worker, so that none of them has to wait for memory.
  [[nodiscard]] bytes budget() const {
    bytes results;
    for (const vertex v : std::set(plan_.outputs.begin(), plan_.outputs.end())) {
      const array_vertex& result = array_at(plan_.graph, v);
      if (result.destination == nullptr) results += size_of_array(result);
    }
    const plan_workers& workers = placed_.workers;
    const bytes task = largest_tasks();
    const bytes limit = host_limit(placed_.spec, workers, task, results);
    const bytes others = results + reserved_on_host(placed_.spec, workers) + task * workers.count;
    return limit > others ? limit - others : bytes{0};
  }

  /// Returns what a worker uses for tasks, intermediates being where passes assume them to be.
  [[nodiscard]] bytes largest_tasks() const {
    std::vector<planned_operation> planned;
    for (const vertex v : operations_in_order(plan_.graph)) {
      planned.push_back(estimate(plan_.graph, v, placed_.spec));
    }
    std::vector<const buffer_schedule*> schedules;
    for (const planned_operation& each : planned) schedules.push_back(&each.buffers);
    return memory_of_tasks(schedules);
  }

  stored_place intermediate(const array_vertex& array) {
    return {make_intermediate(num_intermediates_++, array.type, array.shape, array.chunks,
                              placed_.spec),
            true};
  }

  void add_operation(vertex v) {
    std::vector<std::size_t> inputs;
    std::vector<std::size_t> outputs;
    for (const vertex input : inputs_of(plan_.graph, v)) inputs.push_back(arrays_.at(input));
    for (const vertex output : outputs_of(plan_.graph, v)) outputs.push_back(arrays_.at(output));
    append_operation(placed_, operation_at(plan_.graph, v), inputs, outputs, makers_);
  }

  const plan_graph& plan_;
  bounded_plan::implementation placed_;
  std::map<vertex, std::size_t> arrays_;
  std::map<std::size_t, std::size_t> makers_;
  bool has_memory_tier_;
  bool keeps_intermediates_;
  std::optional<bytes> left_;
  std::size_t num_intermediates_ = 0;
};

}  // namespace

bounded_plan::implementation place(const plan_graph& plan, const spec& limits,
                                   const plan_workers& workers, bool has_memory_tier) {
  const auto placed = [&](bool keeps_intermediates) {
    return placement(plan, limits, workers, has_memory_tier, keeps_intermediates).run();
  };
  bounded_plan::implementation kept = placed(true);
  const memory_bound bound = bound_of(kept);
  // A task that finds an intermediate in memory may need more scratch than one that reads it.
  if (bound.intermediates == bytes{0} || sum_of_parts(bound) <= bound.limit) return kept;
  return placed(false);
}

}  // namespace tessera
