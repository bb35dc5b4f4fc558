// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/array_kinds.hpp"

#include "plan/buffers.hpp"
#include "plan/build.hpp"

#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <variant>

namespace tessera {

namespace {

/// Tells whether the plan chooses where an array goes: it is computed, and nobody else has.
bool is_to_be_placed(const planned_array& array) {
  const auto* stored = std::get_if<stored_place>(&array.place);
  return array.is_computed() && (stored == nullptr || stored->is_intermediate);
}

/// Chooses the places of arrays, while all that are to be chosen are open.
class placement {
 public:
  placement(const plan_graph& plan, const spec& limits, const plan_workers& workers,
            bool has_memory_tier, bool keeps_intermediates)
      : plan_(plan),
        limits_(limits),
        workers_(workers),
        has_memory_tier_(has_memory_tier),
        keeps_intermediates_(keeps_intermediates) {}

  /// Returns whether `array`, the next of those to be placed, stays in memory.
  [[nodiscard]] bool stays_in_memory(const planned_array& array) {
    return has_memory_tier_ && (array.is_requested || take_memory(array));
  }

 private:
  /// Takes room for an intermediate out of the budget; false where it does not fit.
  bool take_memory(const planned_array& array) {
    if (!keeps_intermediates_) return false;
    if (!left_) left_ = budget();
    const bytes size = array.size();
    if (size > *left_) return false;
    left_ = *left_ - size;
    return true;
  }

  /// Returns what all intermediates in memory may hold together: what the host's limit leaves
  /// beside the results and a task of each worker, so that none of them has to wait for memory.
  [[nodiscard]] bytes budget() const {
    bytes results;
    for (const vertex v : std::set(plan_.outputs.begin(), plan_.outputs.end())) {
      const planned_array& result = array_at(plan_.graph, v);
      if (is_to_be_placed(result)) results += result.size();
    }
    const bytes task = largest_tasks();
    const bytes limit = host_limit(limits_, workers_, task, results);
    const bytes others = results + reserved_on_host(limits_, workers_) + task * workers_.count;
    return limit > others ? limit - others : bytes{0};
  }

  /// Returns what a worker uses for tasks, intermediates being where passes assume them to be.
  [[nodiscard]] bytes largest_tasks() const {
    std::vector<planned_operation> planned;
    for (const vertex v : operations_in_order(plan_.graph)) {
      planned.push_back(estimate(plan_.graph, v, limits_));
    }
    std::vector<const buffer_schedule*> schedules;
    for (const planned_operation& each : planned) schedules.push_back(&each.buffers);
    return memory_of_tasks(schedules);
  }

  const plan_graph& plan_;
  const spec& limits_;
  const plan_workers& workers_;
  bool has_memory_tier_;
  bool keeps_intermediates_;
  std::optional<bytes> left_;
};

/// Places the arrays of a plan, and works out its operations.
void place_arrays(bounded_plan::implementation& plan, const std::vector<vertex>& order,
                  bool has_memory_tier, bool keeps_intermediates) {
  array_graph& graph = plan.graph->graph;
  for (planned_array& array : plan.arrays) {
    if (is_to_be_placed(array)) array.place = open_place{};
  }
  placement chosen(*plan.graph, plan.spec, plan.workers, has_memory_tier, keeps_intermediates);
  // Estimates are of places that are open, so that all are chosen before any is taken.
  std::vector<bool> in_memory;
  for (const planned_array& array : plan.arrays) {
    in_memory.push_back(is_to_be_placed(array) && chosen.stays_in_memory(array));
  }
  std::size_t num_intermediates = 0;
  for (std::size_t i = 0; i < plan.arrays.size(); ++i) {
    planned_array& array = plan.arrays[i];
    if (!is_to_be_placed(array)) continue;
    if (in_memory[i]) {
      array.place = memory_place{};
    } else {
      array.place = stored_place{
          make_intermediate(num_intermediates++, array.type, array.shape, array.chunks, plan.spec),
          true};
    }
  }
  for (const vertex v : order) {
    if (is_operation(graph, v)) complete(plan, v);
  }
}

}  // namespace

bounded_plan::implementation place(std::shared_ptr<plan_graph> graph, const spec& limits,
                                   const plan_workers& workers, bool has_memory_tier) {
  bounded_plan::implementation plan;
  plan.spec = limits;
  plan.workers = workers;
  plan.graph = std::move(graph);
  const std::vector<vertex> order = in_order(plan.graph->graph);
  for (const vertex v : order) number(plan, v);
  for (const vertex v : plan.graph->outputs) {
    plan.outputs.push_back(plan.graph->graph[v].number);
  }
  place_arrays(plan, order, has_memory_tier, true);
  const memory_bound bound = bound_of(plan);
  // A task that finds an intermediate in memory may need more scratch than one that reads it.
  if (bound.intermediates == bytes{0} || sum_of_parts(bound) <= bound.limit) return plan;
  place_arrays(plan, order, has_memory_tier, false);
  return plan;
}

}  // namespace tessera
