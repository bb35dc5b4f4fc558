// SPDX-License-Identifier: Apache-2.0
/// \file
/// Chooses the placement of each computed array: memory or storage.
///
/// Each intermediate array lives from its producer to its last reader, in the order of the plan's
/// operations. In memory it saves writes and reads, and occupies its size for that time:
///     memory ^      +------------+       x in memory from operation 1 to 3
///            |  +---+   tasks    +---+
///            +--1-----2------3-----4--> operations
/// Arrays are chosen greedily by seconds saved per byte and operation. An array is placed in memory
/// if the peak during its life, tasks of all workers included, stays below the host's limit.
/// Task memory depends on placements, and placements on task memory. All arrays start in memory,
/// and placements are chosen anew until they fit: at most `tuning.most_placements` times, then none
/// is in memory. Invariant: the host never holds more than its limit, whatever the workers do, as
/// the peak counts each operation with all workers.

#include "core/api/array_kinds.hpp"
#include "plan/api/library_memory.hpp"
#include "plan/build.hpp"
#include "plan/lifetimes.hpp"
#include "plan/order.hpp"
#include "plan/overwriting.hpp"
#include "plan/range_peaks.hpp"
#include "plan/tuning.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>

namespace tessera {

namespace {

/// Tells whether the plan chooses the placement of an array: it is computed, and has no
/// destination.
bool awaits_placement(const planned_array& array) {
  const auto* stored = std::get_if<stored_placement>(&array.placement);
  return array.is_computed() && (stored == nullptr || stored->is_intermediate);
}

/// Returns, by array, whether a pass has placed it in storage.
std::vector<bool> arrays_put_to_storage(const bounded_plan::implementation& plan) {
  std::vector<bool> is_stored;
  for (const planned_array& array : plan.arrays) {
    const auto* stored = std::get_if<stored_placement>(&array.placement);
    is_stored.push_back(stored != nullptr && stored->is_intermediate);
  }
  return is_stored;
}

/// Tells whether results may be in memory while tasks run. If several processes receive them, each
/// reads its own copy from storage.
bool may_hold_results(const plan_workers& workers) {
  return !workers.are_processes || workers.num_receivers <= 1;
}

/// The choice of the intermediates that are in memory, among those that are not `stored` already.
///
/// Operations run one after the other, each with all workers. An array in memory never has to leave
/// it before its last reader has run.
///
/// If workers share this process's memory, results are in memory. If they are other processes, all
/// results are in memory, or all in storage, from which they are read back.
class memory_tier {
 public:
  memory_tier(bounded_plan::implementation& plan, const std::vector<bool>& stored)
      : plan_(plan),
        stored_(stored),
        are_outputs_(outputs_among_arrays(plan)),
        are_kept_(kept_among_arrays(plan)),
        may_store_results_(plan.workers.are_processes),
        holds_results_(may_hold_results(plan.workers)),
        producers_(plan.arrays.size(), 0),
        num_readers_(plan.arrays.size(), 0),
        tasks_(plan.operations.size(), 0) {
    for (std::size_t i = 0; i < plan.operations.size(); ++i) {
      for (const planned_result& output : plan.operations[i].outputs) producers_[output.array] = i;
      for (const planned_operand& input : plan.operations[i].inputs) ++num_readers_[input.array];
    }
    ends_ = ends_of_lifetimes(plan);
  }

  /// Chooses placements by the largest task memory so far. Returns, by array, whether it is in
  /// memory.
  [[nodiscard]] std::vector<bool> choose() {
    measure_tasks();
    const std::uint64_t limit = limit_of_host();
    range_peaks memory_in_use = memory_besides_intermediates();
    if (may_store_results_ && memory_in_use.peak(0, plan_.operations.size()) > limit) {
      holds_results_ = false;
      memory_in_use = memory_besides_intermediates();
    }
    std::vector<bool> in_memory = only_results_in_memory();
    for (const std::size_t array : candidates_by_saving()) {
      const std::uint64_t size = plan_.arrays[array].size().count();
      const std::size_t first = producers_[array];
      const std::uint64_t needed = memory_in_use.peak(first, ends_[first]) + size;
      if (needed > limit) {
        plan_.arrays[array].shortage = {bytes{needed}, bytes{limit}};
        continue;
      }
      plan_.arrays[array].shortage.reset();
      memory_in_use.add(first, ends_[first], size);
      in_memory[array] = true;
    }
    return in_memory;
  }

  /// Tells whether the present placements fit, with the present memory of tasks.
  [[nodiscard]] bool fits() {
    measure_tasks();
    range_peaks memory_in_use = memory_besides_intermediates();
    const std::uint64_t limit = limit_of_host();
    bool has_any = may_store_results_ && holds_results_;
    for (const std::size_t array : candidates()) {
      if (!plan_.arrays[array].is_in_memory()) continue;
      const std::uint64_t size = plan_.arrays[array].size().count();
      if (size > limit) return false;
      memory_in_use.add(producers_[array], ends_[producers_[array]], size);
      has_any = true;
    }
    return !has_any || memory_in_use.peak(0, plan_.operations.size()) <= limit;
  }

  /// Places every array in storage that may be there. Returns, by array, whether it is in memory.
  [[nodiscard]] std::vector<bool> choose_none() {
    holds_results_ = !may_store_results_;
    return only_results_in_memory();
  }

 private:
  [[nodiscard]] std::vector<bool> only_results_in_memory() const {
    std::vector<bool> in_memory(plan_.arrays.size(), false);
    for (std::size_t i = 0; i < in_memory.size() && holds_results_; ++i) {
      in_memory[i] = are_outputs_[i] && !stored_[i];
    }
    return in_memory;
  }

  /// Returns the intermediates that may be in memory or in storage.
  [[nodiscard]] std::vector<std::size_t> candidates() const {
    std::vector<std::size_t> arrays;
    for (std::size_t i = 0; i < plan_.arrays.size(); ++i) {
      if (awaits_placement(plan_.arrays[i]) && !stored_[i] && !are_outputs_[i]) arrays.push_back(i);
    }
    return arrays;
  }

  void measure_tasks() {
    for (std::size_t i = 0; i < plan_.operations.size(); ++i) {
      const planned_operation& planned = plan_.operations[i];
      const auto count = std::min<std::uint64_t>(plan_.workers.count,
                                                 static_cast<std::uint64_t>(planned.num_tasks));
      tasks_[i] = std::max<std::uint64_t>(tasks_[i], count * planned.buffers.arena_bytes());
      libraries_ = std::max(libraries_, library_memory(planned.buffers));
      largest_ = std::max(largest_, bytes{planned.buffers.arena_bytes()});
    }
  }

  /// Returns the memory in use at each operation, without intermediates.
  [[nodiscard]] range_peaks memory_besides_intermediates() const {
    const std::size_t size = plan_.operations.size();
    range_peaks memory_in_use(size);
    memory_in_use.add(
        0, size,
        (reserved_on_host(plan_.spec, plan_.workers) + libraries_ * plan_.workers.count).count());
    for (std::size_t i = 0; i < size; ++i) {
      memory_in_use.add(i, i + 1, std::max(tasks_[i], largest_.count()));
      for (const planned_result& output : plan_.operations[i].outputs) {
        const planned_array& array = plan_.arrays[output.array];
        if (holds_results_ && are_outputs_[output.array] && awaits_placement(array)) {
          memory_in_use.add(i, size, array.size().count());
        }
      }
    }
    return memory_in_use;
  }

  [[nodiscard]] std::uint64_t limit_of_host() const {
    bytes results;
    for (std::size_t i = 0; i < plan_.arrays.size(); ++i) {
      if (are_outputs_[i] && awaits_placement(plan_.arrays[i])) results += plan_.arrays[i].size();
    }
    return host_limit(plan_.spec, plan_.workers, largest_ + libraries_, results,
                      plan_.graph->graph[boost::graph_bundle].installed_memory)
        .count();
  }

  /// Returns the candidates by descending seconds saved per byte and operation of their life.
  [[nodiscard]] std::vector<std::size_t> candidates_by_saving() const {
    const costs figures = costs_on(plan_.spec, plan_.workers);
    std::vector<std::pair<double, std::size_t>> ranked;
    for (const std::size_t i : candidates()) {
      const planned_array& array = plan_.arrays[i];
      const auto size = static_cast<double>(array.size().count());
      const auto length = static_cast<double>(ends_[producers_[i]] - producers_[i]);
      const double saved = saved_in_memory(array, num_readers_[i], are_kept_[i], figures).count();
      ranked.emplace_back(-saved / (std::max(size, 1.0) * length), i);
    }
    std::sort(ranked.begin(), ranked.end());
    std::vector<std::size_t> order;
    for (const auto& [cost, i] : ranked) order.push_back(i);
    return order;
  }

  bounded_plan::implementation& plan_;
  const std::vector<bool>& stored_;
  std::vector<bool> are_outputs_;
  std::vector<bool> are_kept_;
  bool may_store_results_;
  bool holds_results_;
  /// By computed array: its producer.
  std::vector<std::size_t> producers_;
  std::vector<std::size_t> num_readers_;
  std::vector<std::size_t> ends_;
  /// By operation: the memory of its tasks that run at once, without that of libraries.
  std::vector<std::uint64_t> tasks_;
  bytes libraries_;
  bytes largest_;
};

/// Applies placements to a plan, and plans the operations anew whose arrays move.
class placement {
 public:
  placement(bounded_plan::implementation& plan, const std::vector<vertex>& order)
      : plan_(plan), is_open_(plan.arrays.size(), true) {
    for (const vertex v : order) {
      if (is_operation(plan.graph->graph, v)) operations_.push_back(v);
    }
  }

  void put(const std::vector<bool>& is_in_memory) {
    std::vector<bool> is_changed(plan_.arrays.size(), false);
    for (std::size_t i = 0; i < plan_.arrays.size(); ++i) {
      planned_array& array = plan_.arrays[i];
      if (!awaits_placement(array)) continue;
      const bool was_in_memory = array.is_in_memory();
      is_changed[i] = is_open_[i] || was_in_memory != is_in_memory[i];
      if (is_in_memory[i]) {
        array.placement = memory_placement{};
      } else {
        array.placement = stored_placement{
            make_intermediate(0, array.type, array.shape, array.chunks, plan_.spec), true};
      }
    }
    for (const vertex v : operations_) {
      if (is_first_ || uses_any(v, is_changed)) complete(plan_, v);
    }
    is_first_ = false;
    is_open_.assign(is_open_.size(), false);
  }

 private:
  [[nodiscard]] bool uses_any(vertex v, const std::vector<bool>& arrays) const {
    const array_graph& graph = plan_.graph->graph;
    const auto is_in = [&](vertex array) { return arrays[graph[array].number]; };
    const small_vector<vertex> inputs = inputs_of(graph, v);
    const small_vector<vertex> outputs = outputs_of(graph, v);
    return std::any_of(inputs.begin(), inputs.end(), is_in) ||
           std::any_of(outputs.begin(), outputs.end(), is_in);
  }

  bounded_plan::implementation& plan_;
  std::vector<vertex> operations_;
  std::vector<bool> is_open_;
  bool is_first_ = true;
};

/// Chooses the placements of arrays, and plans the operations. All arrays start in memory.
void place_arrays(bounded_plan::implementation& plan, const std::vector<vertex>& order,
                  bool has_memory_tier) {
  placement placement_of_arrays(plan, order);
  const std::vector<bool> stored = arrays_put_to_storage(plan);
  const std::vector<bool> are_outputs = outputs_among_arrays(plan);
  std::vector<bool> in_memory(plan.arrays.size(), false);
  for (std::size_t i = 0; i < in_memory.size() && has_memory_tier; ++i) {
    in_memory[i] = !stored[i] && (!are_outputs[i] || may_hold_results(plan.workers));
  }
  placement_of_arrays.put(in_memory);
  if (!has_memory_tier) return;
  memory_tier tier(plan, stored);
  for (int round = 0; !tier.fits(); ++round) {
    placement_of_arrays.put(round < tuning.most_placements ? tier.choose() : tier.choose_none());
  }
}

}  // namespace

bounded_plan::implementation place(std::shared_ptr<plan_graph> graph, const spec& limits,
                                   const plan_workers& workers, bool has_memory_tier) {
  bounded_plan::implementation plan;
  plan.spec = limits;
  plan.workers = workers;
  plan.graph = std::move(graph);
  std::vector<vertex> order =
      has_memory_tier ? order_of_least_peak(plan.graph->graph) : in_order(plan.graph->graph);
  move_overwriting_back(*plan.graph, order);
  for (const vertex v : order) number(plan, v);
  for (const vertex v : plan.graph->outputs) {
    plan.outputs.push_back(plan.graph->graph[v].number);
  }
  place_arrays(plan, order, has_memory_tier);
  order_overwriting(plan);
  return plan;
}

}  // namespace tessera
