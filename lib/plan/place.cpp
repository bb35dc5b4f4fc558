// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/host_memory.hpp"

#include "plan/array_storage.hpp"
#include "plan/build.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {

bytes size_of_array(const array_vertex& array) {
  return memory_for_elements(array.shape, array.type);
}

/// Returns what all arrays in memory may hold together.
///
/// Where the host's memory is not set, half of it is left to others: to the page cache that files
/// are read through, before all.
bytes budget(const spec& limits) {
  const bytes all =
      limits.host_memory ? *limits.host_memory : bytes{host_limit(limits).count() / 2};
  return all > limits.allowed_memory ? all - limits.allowed_memory : bytes{0};
}

/// Puts arrays and operations in order.
class placement {
 public:
  placement(const plan_graph& plan, const destinations& stored, const spec& limits,
            bool has_memory_tier)
      : plan_(plan), stored_(stored), has_memory_tier_(has_memory_tier) {
    placed_.spec = limits;
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
    } else if (const auto found = stored_.find(v); found != stored_.end()) {
      placed.place = zarr_place{found->second, false};
    } else if (!has_memory_tier_ || (!array.is_requested && !take_memory(array))) {
      placed.place = intermediate(array);
    }
    arrays_[v] = placed_.arrays.size();
    placed_.arrays.push_back(std::move(placed));
  }

  /// Takes room for an intermediate out of the budget; false where it does not fit.
  bool take_memory(const array_vertex& array) {
    if (!is_budget_known_) {
      left_ = budget(placed_.spec);
      for (const vertex v : plan_.outputs) {
        if (stored_.contains(v)) continue;
        const bytes size = size_of_array(array_at(plan_.graph, v));
        left_ = left_ > size ? left_ - size : bytes{0};
      }
      is_budget_known_ = true;
    }
    const bytes size = size_of_array(array);
    if (size > left_) return false;
    left_ = left_ - size;
    return true;
  }

  zarr_place intermediate(const array_vertex& array) {
    return {{nullptr,
             intermediate_path(num_intermediates_++),
             intermediate_metadata(array.type, array.shape, array.chunks, placed_.spec),
             {}},
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
  const destinations& stored_;
  bounded_plan::implementation placed_;
  std::map<vertex, std::size_t> arrays_;
  std::map<std::size_t, std::size_t> makers_;
  bool has_memory_tier_;
  bytes left_;
  bool is_budget_known_ = false;
  std::size_t num_intermediates_ = 0;
};

}  // namespace

std::string intermediate_path(std::size_t number) {
  return "intermediate-" + std::to_string(number);
}

bytes host_limit(const spec& limits) {
  return limits.host_memory ? *limits.host_memory : host_memory();
}

bounded_plan::implementation place(const plan_graph& plan, const destinations& stored,
                                   const spec& limits, bool has_memory_tier) {
  return placement(plan, stored, limits, has_memory_tier).run();
}

bytes resident_memory_of(const bounded_plan::implementation& plan) {
  bytes total;
  for (const planned_array& array : plan.arrays) {
    if (std::holds_alternative<memory_place>(array.place)) total += array.size();
  }
  return total;
}

}  // namespace tessera
