// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/array_kinds.hpp"
#include "tessera/plan/library_memory.hpp"

#include "plan/build.hpp"
#include "plan/lifetimes.hpp"
#include "plan/order.hpp"
#include "plan/range_peaks.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>

namespace tessera {

namespace {

/// Tells whether the plan chooses where an array goes: it is computed, and nobody else has.
bool is_to_be_placed(const planned_array& array) {
  const auto* stored = std::get_if<stored_place>(&array.place);
  return array.is_computed() && (stored == nullptr || stored->is_intermediate);
}

/// Returns which arrays a pass has put into storage.
std::vector<bool> arrays_put_to_storage(const bounded_plan::implementation& plan) {
  std::vector<bool> found;
  for (const planned_array& array : plan.arrays) {
    const auto* stored = std::get_if<stored_place>(&array.place);
    found.push_back(stored != nullptr && stored->is_intermediate);
  }
  return found;
}

/// Tells whether results may be in memory while tasks run: of several processes that receive them
/// each has its own, which it reads from storage.
bool may_hold_results(const plan_workers& workers) {
  return !workers.are_processes || workers.num_receivers <= 1;
}

/// Chooses which intermediates stay in memory, of those that are not `stored` already.
///
/// Operations are run one after the other in the plan's order, each by as many workers as have a
/// task of it. What all hold together then may never be more than the host's limit: so each of them
/// can be run with all workers, and nothing that is in memory ever has to leave it.
///
/// Where workers share this process's memory, results have no choice. Those of other processes come
/// before all else: in memory all of them, or all in storage, from where they are read back.
class memory_tier {
 public:
  memory_tier(bounded_plan::implementation& plan, const std::vector<bool>& stored)
      : plan_(plan),
        stored_(stored),
        are_outputs_(outputs_among_arrays(plan)),
        are_kept_(kept_among_arrays(plan)),
        may_store_results_(plan.workers.are_processes),
        holds_results_(may_hold_results(plan.workers)),
        made_by_(plan.arrays.size(), 0),
        num_readers_(plan.arrays.size(), 0),
        tasks_(plan.operations.size(), 0) {
    for (std::size_t i = 0; i < plan.operations.size(); ++i) {
      for (const planned_result& made : plan.operations[i].outputs) made_by_[made.array] = i;
      for (const planned_operand& read : plan.operations[i].inputs) ++num_readers_[read.array];
    }
    ends_ = ends_of_lifetimes(plan);
  }

  /// Chooses anew, by what tasks take in the places that arrays have now, or have had before.
  /// Returns for each array whether it stays.
  [[nodiscard]] std::vector<bool> choose() {
    look_at_tasks();
    const std::uint64_t limit = limit_of_host();
    range_peaks held = held_besides();
    if (may_store_results_ && held.peak(0, plan_.operations.size()) > limit) {
      holds_results_ = false;
      held = held_besides();
    }
    std::vector<bool> stays = where_only_results_stay();
    for (const std::size_t array : by_what_is_saved()) {
      const std::uint64_t size = plan_.arrays[array].size().count();
      const std::size_t first = made_by_[array];
      const std::uint64_t needed = held.peak(first, ends_[first]) + size;
      if (needed > limit) {
        plan_.arrays[array].shortage = {bytes{needed}, bytes{limit}};
        continue;
      }
      plan_.arrays[array].shortage.reset();
      held.add(first, ends_[first], size);
      stays[array] = true;
    }
    return stays;
  }

  /// Tells whether all that is in memory now fits, by what tasks take now.
  [[nodiscard]] bool fits() {
    look_at_tasks();
    range_peaks held = held_besides();
    const std::uint64_t limit = limit_of_host();
    bool has_any = may_store_results_ && holds_results_;
    for (const std::size_t array : candidates()) {
      if (!std::holds_alternative<memory_place>(plan_.arrays[array].place)) continue;
      const std::uint64_t size = plan_.arrays[array].size().count();
      if (size > limit) return false;
      held.add(made_by_[array], ends_[made_by_[array]], size);
      has_any = true;
    }
    return !has_any || held.peak(0, plan_.operations.size()) <= limit;
  }

  /// Returns for each array whether it is in memory where nothing is that may be in storage.
  [[nodiscard]] std::vector<bool> none() {
    holds_results_ = !may_store_results_;
    return where_only_results_stay();
  }

 private:
  [[nodiscard]] std::vector<bool> where_only_results_stay() const {
    return holds_results_ ? are_outputs_ : std::vector<bool>(plan_.arrays.size(), false);
  }

  /// Returns the arrays that may be in memory or in storage.
  [[nodiscard]] std::vector<std::size_t> candidates() const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < plan_.arrays.size(); ++i) {
      if (is_to_be_placed(plan_.arrays[i]) && !stored_[i] && !are_outputs_[i]) found.push_back(i);
    }
    return found;
  }

  void look_at_tasks() {
    for (std::size_t i = 0; i < plan_.operations.size(); ++i) {
      const planned_operation& planned = plan_.operations[i];
      const auto count = std::min<std::uint64_t>(plan_.workers.count,
                                                 static_cast<std::uint64_t>(planned.num_tasks));
      tasks_[i] = std::max<std::uint64_t>(tasks_[i], count * planned.buffers.arena_bytes());
      libraries_ = std::max(libraries_, library_memory(planned.buffers));
      largest_ = std::max(largest_, bytes{planned.buffers.arena_bytes()});
    }
  }

  /// Returns what is held at each operation besides intermediates.
  [[nodiscard]] range_peaks held_besides() const {
    const std::size_t size = plan_.operations.size();
    range_peaks held(size);
    held.add(
        0, size,
        (reserved_on_host(plan_.spec, plan_.workers) + libraries_ * plan_.workers.count).count());
    for (std::size_t i = 0; i < size; ++i) {
      held.add(i, i + 1, std::max(tasks_[i], largest_.count()));
      for (const planned_result& made : plan_.operations[i].outputs) {
        const planned_array& array = plan_.arrays[made.array];
        if (holds_results_ && are_outputs_[made.array] && is_to_be_placed(array)) {
          held.add(i, size, array.size().count());
        }
      }
    }
    return held;
  }

  [[nodiscard]] std::uint64_t limit_of_host() const {
    bytes results;
    for (std::size_t i = 0; i < plan_.arrays.size(); ++i) {
      if (are_outputs_[i] && is_to_be_placed(plan_.arrays[i])) results += plan_.arrays[i].size();
    }
    return host_limit(plan_.spec, plan_.workers, largest_ + libraries_, results).count();
  }

  /// Returns the candidates, those first that save most seconds for what they hold and how long.
  [[nodiscard]] std::vector<std::size_t> by_what_is_saved() const {
    std::vector<std::pair<double, std::size_t>> found;
    for (const std::size_t i : candidates()) {
      const planned_array& array = plan_.arrays[i];
      const auto size = static_cast<double>(array.size().count());
      const auto length = static_cast<double>(ends_[made_by_[i]] - made_by_[i]);
      const double saved =
          saved_in_memory(array, num_readers_[i], are_kept_[i], plan_.spec.costs).count();
      found.emplace_back(-saved / (std::max(size, 1.0) * length), i);
    }
    std::sort(found.begin(), found.end());
    std::vector<std::size_t> order;
    for (const auto& [cost, i] : found) order.push_back(i);
    return order;
  }

  bounded_plan::implementation& plan_;
  const std::vector<bool>& stored_;
  std::vector<bool> are_outputs_;
  std::vector<bool> are_kept_;
  bool may_store_results_;
  bool holds_results_;
  /// For each array that is computed, the operation that makes it.
  std::vector<std::size_t> made_by_;
  std::vector<std::size_t> num_readers_;
  std::vector<std::size_t> ends_;
  /// What the tasks of each operation take that run at once, libraries left out.
  std::vector<std::uint64_t> tasks_;
  bytes libraries_;
  bytes largest_;
};

/// Puts the arrays of a plan where `is_in_memory` says, and works out the operations that changes.
class placing {
 public:
  placing(bounded_plan::implementation& plan, const std::vector<vertex>& order)
      : plan_(plan), is_open_(plan.arrays.size(), true) {
    for (const vertex v : order) {
      if (is_operation(plan.graph->graph, v)) operations_.push_back(v);
    }
  }

  void put(const std::vector<bool>& is_in_memory) {
    std::vector<bool> is_changed(plan_.arrays.size(), false);
    for (std::size_t i = 0; i < plan_.arrays.size(); ++i) {
      planned_array& array = plan_.arrays[i];
      if (!is_to_be_placed(array)) continue;
      const bool was_in_memory = std::holds_alternative<memory_place>(array.place);
      is_changed[i] = is_open_[i] || was_in_memory != is_in_memory[i];
      if (is_in_memory[i]) {
        array.place = memory_place{};
      } else {
        array.place = stored_place{
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
    const few<vertex> read = inputs_of(graph, v);
    const few<vertex> made = outputs_of(graph, v);
    return std::any_of(read.begin(), read.end(), is_in) ||
           std::any_of(made.begin(), made.end(), is_in);
  }

  bounded_plan::implementation& plan_;
  std::vector<vertex> operations_;
  std::vector<bool> is_open_;
  bool is_first_ = true;
};

/// Chooses the places of arrays, and works out the operations. At first all are taken to stay in
/// memory: what tasks take depends on it, and who may stay on that.
void place_arrays(bounded_plan::implementation& plan, const std::vector<vertex>& order,
                  bool has_memory_tier) {
  constexpr int most_rounds = 4;
  placing places(plan, order);
  const std::vector<bool> stored = arrays_put_to_storage(plan);
  const std::vector<bool> are_outputs = outputs_among_arrays(plan);
  std::vector<bool> stays(plan.arrays.size(), false);
  for (std::size_t i = 0; i < stays.size() && has_memory_tier; ++i) {
    stays[i] = !stored[i] && (!are_outputs[i] || may_hold_results(plan.workers));
  }
  places.put(stays);
  if (!has_memory_tier) return;
  memory_tier tier(plan, stored);
  for (int round = 0; !tier.fits(); ++round) {
    places.put(round < most_rounds ? tier.choose() : tier.none());
  }
}

}  // namespace

bounded_plan::implementation place(std::shared_ptr<plan_graph> graph, const spec& limits,
                                   const plan_workers& workers, bool has_memory_tier) {
  bounded_plan::implementation plan;
  plan.spec = limits;
  plan.workers = workers;
  plan.graph = std::move(graph);
  const std::vector<vertex> order =
      has_memory_tier ? order_of_least_peak(plan.graph->graph) : in_order(plan.graph->graph);
  for (const vertex v : order) number(plan, v);
  for (const vertex v : plan.graph->outputs) {
    plan.outputs.push_back(plan.graph->graph[v].number);
  }
  place_arrays(plan, order, has_memory_tier);
  return plan;
}

}  // namespace tessera
