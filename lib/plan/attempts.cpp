// SPDX-License-Identifier: Apache-2.0
#include "plan/attempts.hpp"

#include "plan/build.hpp"
#include "plan/explained_reads.hpp"
#include "plan/tuning.hpp"

#include <algorithm>
#include <boost/graph/iteration_macros.hpp>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <utility>
#include <variant>

namespace tessera {

namespace {

/// Returns the sizes of the arrays of `graph` by their serial numbers.
std::map<std::size_t, bytes> sizes_of_arrays(const array_graph& graph) {
  std::map<std::size_t, bytes> sizes;
  BGL_FORALL_VERTICES(v, graph, array_graph) {
    if (!is_operation(graph, v)) sizes[graph[v].serial] = array_at(graph, v).size();
  }
  return sizes;
}

}  // namespace

void lose(plan_search& search, const bounded_plan::implementation& plan, std::string why) {
  search.attempts[plan.graph->origin->attempt].why_lost = std::move(why);
}

bytes excess_memory(const bounded_plan::implementation& plan) {
  const auto excess = [](bytes memory, bytes limit) {
    return memory > limit ? memory - limit : bytes{0};
  };
  const memory_bound bound = bound_of(plan);
  return excess(task_memory(plan), plan.spec.allowed_memory) + excess(bound.least(), bound.limit);
}

bool keeps_to_memory(const bounded_plan::implementation& plan) {
  return excess_memory(plan) == bytes{0};
}

std::string memory_refusal(const bounded_plan::implementation& plan) {
  if (const bytes task = task_memory(plan); task > plan.spec.allowed_memory) {
    return fmt::format("a task needs {}, and {} are allowed (spec.allowed_memory)",
                       format_short(task), format_short(plan.spec.allowed_memory));
  }
  const memory_bound bound = bound_of(plan);
  return fmt::format("the host needs {}, and {} are allowed (spec.host_memory)",
                     format_short(bound.least()), format_short(bound.limit));
}

bool has_changed(const bounded_plan::implementation& plan, bool pass_switches::*pass) {
  const std::vector<bool pass_switches::*>& changed_by = plan.graph->changed_by;
  return std::ranges::find(changed_by, pass) != changed_by.end();
}

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

std::vector<std::size_t> gathered_often(const bounded_plan::implementation& plan) {
  std::vector<bool> is_often(plan.arrays.size(), false);
  for (const planned_operation& planned : plan.operations) {
    for (const planned_window& window : planned.windows) {
      const std::size_t operand = window.operands.front();
      const std::size_t number = planned.inputs[operand].array;
      const planned_array& array = plan.arrays[number];
      const bool is_gathered = planned.op.operands[operand].gather() != nullptr;
      if (!is_gathered || !std::holds_alternative<stored_placement>(array.placement)) continue;
      is_often[number] = is_often[number] || window.bytes_read.count() >
                                                 tuning.most_reads_of_chunk * array.size().count();
    }
  }
  std::vector<std::size_t> serials;
  const array_graph& graph = plan.graph->graph;
  BGL_FORALL_VERTICES(v, graph, array_graph) {
    if (!is_operation(graph, v) && is_often[graph[v].number]) serials.push_back(graph[v].serial);
  }
  return serials;
}

}  // namespace tessera
