// SPDX-License-Identifier: Apache-2.0
/// \file
/// Improves a plan by single choices. Each is tried by a whole plan.
///
/// A pass improves the plan by its own price, but may spoil it for later passes: a fused operation
/// has fewer tasks, needs more memory, or reads its inputs in blocks that overlap.
///     recompute_arrays    let each reader compute the arrays that were meant for memory, and that
///                         memory has no room for
///     switch_passes       leave out each pass that has changed the plan, or take it back
///     materialize_arrays  keep each array that passes have fused away, while the plan moves
///                         clearly more than its inputs and results, or leaves workers idle
/// A choice may spoil another: if passes were left out and the plan is not good, arrays are
/// materialized before passes are left out, from the first plan on, and the better one is taken.
/// Invariant: the merit never gets worse, and the plan keeps to the memory.

#include "plan/attempts.hpp"
#include "plan/build.hpp"
#include "plan/cost.hpp"
#include "plan/explained_reads.hpp"
#include "plan/passes/passes.hpp"
#include "plan/tuning.hpp"

#include <algorithm>
#include <boost/graph/iteration_macros.hpp>
#include <cstddef>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {

namespace {

/// Returns the rows of passes without which a plan may be better, in the order of passes.
std::vector<named_pass> optional_passes() {
  std::vector<named_pass> passes;
  std::ranges::copy_if(
      all_passes, std::back_inserter(passes),
      [](const pass_choice& choice) { return choice.least_saving.has_value(); },
      &named_pass::choice);
  return passes;
}

/// Returns the reason for which a plan of cost `lost` lost to one of cost `won`.
std::string cost_refusal(const plan_cost& lost, const plan_cost& won) {
  return fmt::format("{} of work, {} on {} workers, in place of {} and {}", format_time(lost.work),
                     format_time(lost.wall), lost.num_workers, format_time(won.work),
                     format_time(won.wall));
}

/// Returns the bytes of the elements that the operations of `plan` need of arrays that it does not
/// compute, and the bytes of its results. It moves at least about as many.
double least_moved(const bounded_plan::implementation& plan) {
  std::vector<double> needed(plan.arrays.size(), 0);
  for (const planned_operation& planned : plan.operations) {
    for (const planned_window& window : planned.windows) {
      const std::size_t number = planned.inputs[window.operands.front()].array;
      const planned_array& array = plan.arrays[number];
      if (array.is_computed()) continue;
      const auto read = static_cast<double>(std::min(window.bytes_read, array.size()).count());
      const double through = needed_through(window, planned.op, array);
      needed[number] = std::max(needed[number], through > 0 ? std::min(through, read) : read);
    }
    for (const planned_result& output : planned.outputs) {
      if (!plan.arrays[output.array].is_requested) continue;
      needed[output.array] += static_cast<double>(output.bytes_written.count());
    }
  }
  return std::accumulate(needed.begin(), needed.end(), 0.0);
}

/// Returns the bytes that the tasks of `plan` read and write.
double moved(const bounded_plan::implementation& plan) {
  bytes sum{};
  for (const planned_operation& planned : plan.operations) {
    sum += planned.bytes_read + planned.bytes_written;
  }
  return static_cast<double>(sum.count());
}

/// Returns the sizes of the arrays of `graph` by their serial numbers.
std::map<std::size_t, bytes> sizes_of_arrays(const array_graph& graph) {
  std::map<std::size_t, bytes> sizes;
  BGL_FORALL_VERTICES(v, graph, array_graph) {
    if (!is_operation(graph, v)) sizes[graph[v].serial] = array_at(graph, v).size();
  }
  return sizes;
}

/// Returns the serial numbers of the arrays of the program that `plan` does not have, or has in
/// parts alone. Arrays of several readers come first, as fewer reads may pay for them; of these and
/// of the rest, the smallest come first.
std::vector<std::size_t> missing_arrays(const bounded_plan::implementation& plan) {
  const std::map<std::size_t, bytes> present = sizes_of_arrays(plan.graph->graph);
  const auto program = collect(plan.graph->origin->requests);
  array_graph& graph = program->graph;
  std::vector<vertex> arrays;
  for (const vertex v : in_order(graph)) {
    if (is_operation(graph, v) || boost::in_degree(v, graph) == 0) continue;
    const planned_array& array = array_at(graph, v);
    const auto same = present.find(graph[v].serial);
    const bool is_whole = same != present.end() && same->second == array.size();
    if (is_whole || array.is_requested) continue;
    arrays.push_back(v);
  }
  std::ranges::stable_sort(arrays, {}, [&](vertex v) {
    return std::pair(has_one_reader(graph, v), array_at(graph, v).size());
  });
  std::vector<std::size_t> serials;
  for (const vertex v : arrays) serials.push_back(graph[v].serial);
  return serials;
}

/// Returns the serial numbers of the arrays of `plan` that lie in storage, and that `duplicate`
/// left to be computed once in memory.
std::vector<std::size_t> arrays_without_room(const bounded_plan::implementation& plan) {
  std::vector<std::size_t> serials;
  const array_graph& graph = plan.graph->graph;
  const std::vector<std::size_t>& left = plan.graph->left_for_memory;
  if (left.empty()) return serials;
  BGL_FORALL_VERTICES(v, graph, array_graph) {
    if (is_operation(graph, v) || std::ranges::find(left, graph[v].serial) == left.end()) continue;
    const bool is_stored =
        std::holds_alternative<stored_placement>(plan.arrays[graph[v].number].placement);
    if (is_stored) serials.push_back(graph[v].serial);
  }
  return serials;
}

/// A plan that is improved step by step.
class improvement {
 public:
  improvement(bounded_plan::implementation plan, plan_search& search, const plan_maker& make)
      : best_(std::move(plan)),
        least_(cost_when_planned(best_)),
        left_out_(best_.graph->origin->left_out),
        search_(search),
        make_(make) {}

  /// Lets each reader compute the arrays that memory has no room for, if that is better.
  void recompute_arrays() {
    const std::vector<std::size_t> arrays = arrays_without_room(best_);
    if (arrays.empty()) return;
    plan_choices choices = best_.graph->origin->choices;
    choices.recomputed = arrays;
    takes(choices, any_saving);
  }

  /// Tells whether the run is long enough for a search.
  [[nodiscard]] bool is_worth_more() const { return least_.wall >= tuning.least_replanned; }

  /// Leaves out the passes that make the merit worse, and takes passes back that make it better.
  void switch_passes() {
    // Round robin, until every pass was tried since the last change.
    const std::vector<named_pass> passes = optional_passes();
    for (std::size_t tried = 0, i = 0; tried < passes.size();
         ++tried, i = (i + 1) % passes.size()) {
      if (takes_other(passes[i])) tried = 0;
    }
  }

  /// Materializes the arrays without which the merit is worse, while the plan is not good: each
  /// alone, then beside the best of them.
  void materialize_arrays() {
    if (is_good()) return;
    std::vector<std::size_t> arrays = missing_arrays(best_);
    if (arrays.size() > tuning.most_materialized) arrays.resize(tuning.most_materialized);
    const plan_choices first = best_.graph->origin->choices;
    for (const std::size_t serial : arrays) materialize(serial, first);
    if (best_.graph->origin->choices.materialized == first.materialized) return;
    for (const std::size_t serial : arrays) {
      const plan_choices present = best_.graph->origin->choices;
      if (std::ranges::find(present.materialized, serial) != present.materialized.end()) continue;
      materialize(serial, present);
    }
  }

  /// Tells whether the plan moves little more than its inputs and results, and keeps workers busy.
  [[nodiscard]] bool is_good() const {
    const auto num_workers = static_cast<double>(least_.num_workers);
    return moved(best_) <= tuning.good_excess * least_moved(best_) &&
           least_.wall * num_workers <= least_.work * tuning.good_excess;
  }

  [[nodiscard]] const plan_choices& choices() const { return best_.graph->origin->choices; }

  /// Tells whether passes were left out.
  [[nodiscard]] bool has_switched() const { return !left_out_.empty(); }

  /// Takes the plan of `other`, if its merit is better.
  void take_better(improvement other) {
    const bool is_better = other.least_.merit() < least_.merit();
    if (is_better) {
      std::swap(best_, other.best_);
      std::swap(least_, other.least_);
      std::swap(left_out_, other.left_out_);
    }
    lose(search_, other.best_, cost_refusal(other.least_, least_));
  }

  [[nodiscard]] bounded_plan::implementation result() && {
    best_.graph->origin->left_out = std::move(left_out_);
    return std::move(best_);
  }

 private:
  /// Tries the plan without `pass`, or with it if it was left out; tells whether that is better.
  bool takes_other(const named_pass& pass) {
    plan_choices choices = best_.graph->origin->choices;
    bool& is_on = choices.passes.*pass.is_on;
    const bool is_asked_for = search_.attempts.front().choices.passes.*pass.is_on;
    if (is_on ? !has_changed(best_, pass.is_on) : !is_asked_for) return false;
    is_on = !is_on;
    const plan_cost with = least_;
    if (!takes(choices, is_on ? any_saving : *pass.choice.least_saving)) return false;
    if (is_on) {
      std::erase_if(left_out_, [&](const left_out_pass& off) { return off.pass == pass.is_on; });
    } else {
      left_out_.push_back({pass.is_on, with, least_});
    }
    return true;
  }

  /// Tries the plan with `choices` and one array more, unless the present one is good.
  void materialize(std::size_t serial, plan_choices choices) {
    if (is_good()) return;
    choices.materialized.push_back(serial);
    takes(choices, any_saving);
  }

  /// Makes the plan with `choices`, and takes it if it saves more than `saving` of the merit.
  bool takes(const plan_choices& choices, double saving) {
    bounded_plan::implementation alternative = make_(choices);
    const plan_cost cost = cost_when_planned(alternative);
    if (cost.merit() * (1 + saving) >= least_.merit()) {
      lose(search_, alternative, cost_refusal(cost, least_));
      return false;
    }
    if (!keeps_to_memory(alternative)) {
      lose(search_, alternative, memory_refusal(alternative));
      return false;
    }
    lose(search_, best_, cost_refusal(least_, cost));
    best_ = std::move(alternative);
    least_ = cost;
    return true;
  }

  bounded_plan::implementation best_;
  plan_cost least_;
  std::vector<left_out_pass> left_out_;
  plan_search& search_;
  const plan_maker& make_;
};

}  // namespace

bounded_plan::implementation improve_plan(bounded_plan::implementation plan, plan_search& search,
                                          const plan_maker& make) {
  improvement improved(std::move(plan), search, make);
  improved.recompute_arrays();
  if (improved.is_worth_more()) {
    const plan_choices first = improved.choices();
    improved.switch_passes();
    improved.materialize_arrays();
    if (!improved.is_good() && improved.has_switched()) {
      improvement other(make(first), search, make);
      other.materialize_arrays();
      other.switch_passes();
      improved.take_better(std::move(other));
    }
  }
  return std::move(improved).result();
}

}  // namespace tessera
