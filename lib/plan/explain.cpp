// SPDX-License-Identifier: Apache-2.0
/// \file
/// Puts together what a plan, its cost, its places and its passes know.

#include "tessera/core/text.hpp"

#include "plan/buffers.hpp"
#include "plan/build.hpp"
#include "plan/cost.hpp"
#include "plan/explained_reads.hpp"
#include "plan/lifetimes.hpp"
#include "plan/passes/passes.hpp"
#include "plan/words.hpp"

#include <algorithm>
#include <boost/graph/iteration_macros.hpp>
#include <fmt/format.h>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {

namespace {

using explained = plan_explanation;

/// Adds an access to those of an operation, or of several that are alike.
void add(std::vector<explained::access>& all, const explained::access& one) {
  const auto key = [](const explained::access& access) {
    return std::pair(pattern_of(access.array), pattern_of(access.place));
  };
  const auto found = std::find_if(
      all.begin(), all.end(),
      [&, wanted = key(one)](const explained::access& other) { return key(other) == wanted; });
  if (found == all.end()) return all.push_back(one);
  const auto needed = [](const explained::access& access) {
    const auto moved = static_cast<double>(access.moved.count());
    return access.amplification > 0 ? moved / access.amplification : 0;
  };
  const bool is_known = found->amplification > 0 && one.amplification > 0;
  const double together = needed(*found) + needed(one);
  found->moved += one.moved;
  found->num_requests += one.num_requests;
  found->count += one.count;
  found->amplification = is_known ? static_cast<double>(found->moved.count()) / together : 0;
}

void add(std::vector<explained::note>& all, const explained::note& one) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const explained::note& other) {
    return other.pass == one.pass && other.is_done == one.is_done &&
           pattern_of(other.text) == pattern_of(one.text) &&
           pattern_of(other.operation) == pattern_of(one.operation);
  });
  if (found == all.end()) {
    all.push_back(one);
  } else {
    found->count += one.count;
  }
}

/// Returns what passes have done, and left, when the plan was made.
pass_trace trace_of(const bounded_plan::implementation& plan) {
  const plan_origin& origin = *plan.graph->origin;
  const auto graph = collect(origin.requests);
  graph->may_keep = plan.graph->may_keep;
  pass_trace trace;
  run_passes(*graph, limits_of_passes(plan.spec, plan.workers, origin.allowed_memory),
             origin.passes, &trace, origin.uses_memory ? &plan.workers : nullptr);
  return trace;
}

/// Returns the switch of a pass.
bool pass_switches::*switch_of(std::string_view name) {
  for (const named_pass& pass : all_passes) {
    if (pass.name == name) return pass.is_on;
  }
  return nullptr;
}

class explainer {
 public:
  explicit explainer(const bounded_plan::implementation& plan)
      : plan_(plan),
        num_workers_(num_workers_of(plan.workers)),
        ends_(ends_of_lifetimes(plan)),
        are_outputs_(outputs_among_arrays(plan)),
        are_kept_(kept_among_arrays(plan)),
        notes_(plan.operations.size()) {}

  void run(explained& all) {
    if (plan_.graph->origin) all.passes = passes();
    all.operations = operations(all.cost.work);
    all.sources = sources();
    all.arrays = arrays();
  }

 private:
  /// Returns the passes, with notes of operations that are no more; the others are kept.
  [[nodiscard]] std::vector<explained::pass> passes() {
    std::unordered_map<std::size_t, std::size_t> numbers;
    const array_graph& graph = plan_.graph->graph;
    BGL_FORALL_VERTICES(v, graph, array_graph) {
      if (is_operation(graph, v)) numbers[graph[v].serial] = graph[v].number;
    }
    const auto note = [&](explained::pass& pass, std::size_t serial, explained::note one) {
      const auto found = numbers.find(serial);
      if (found == numbers.end()) return add(pass.notes, one);
      one.operation = plan_.operations[found->second].label;
      notes_[found->second].push_back(std::move(one));
    };
    const pass_trace trace = trace_of(plan_);
    std::vector<explained::pass> found;
    const std::vector<left_out_pass>& left_out = plan_.graph->origin->left_out;
    for (auto entry = trace.begin(); entry != trace.end(); ++entry) {
      explained::pass& pass = found.emplace_back();
      const std::string name(entry->pass);
      pass = {name, entry->is_on, entry->before, entry->after};
      for (const pass_rewrite& one : entry->rewrites) {
        note(pass, one.serial, {name, one.operation, one.text, true});
      }
      // What the first run of a pass has left, a later one may have done.
      const bool is_last = std::none_of(entry + 1, trace.end(), [&](const pass_entry& later) {
        return later.pass == entry->pass;
      });
      if (!is_last) continue;
      for (const left_out_pass& one : left_out) {
        if (switch_of(name) != one.pass) continue;
        add(pass.notes, {name, "the plan", why_left_out(one), false});
      }
      for (const pass_refusal& one : entry->refusals) {
        note(pass, one.serial, {name, one.operation, one.text, false});
      }
    }
    return found;
  }

  [[nodiscard]] std::vector<explained::operation> operations(costs::seconds all_work) {
    std::vector<explained::operation> rows;
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < plan_.operations.size(); ++i) {
      const planned_operation& planned = plan_.operations[i];
      const std::string key =
          fmt::format("{}|{}|{}|{}|{}|{}", pattern_of(planned.label), planned.num_tasks,
                      planned.buffers.peak_bytes(), planned.bytes_read.count(),
                      planned.bytes_written.count(), format_shape(planned.what.how.block));
      const auto [place, is_new] = places.emplace(key, rows.size());
      const plan_cost cost = cost_of(planned, plan_.spec.costs, num_workers_);
      if (is_new) rows.push_back(row_of(planned));
      explained::operation& row = rows[place->second];
      if (!is_new) {
        ++row.count;
        row.are_equal = row.are_equal && row.label == planned.label;
      }
      add_to(row.cost, cost);
      add_accesses(row, planned);
      for (const explained::note& note : notes_[i]) add(row.notes, note);
    }
    for (explained::operation& row : rows) {
      row.share = all_work.count() > 0 ? row.cost.work / all_work : 0;
    }
    return rows;
  }

  [[nodiscard]] explained::operation row_of(const planned_operation& planned) const {
    explained::operation row;
    row.label = planned.label;
    row.cost.num_workers = num_workers_;
    row.num_rounds = ceil_divide(planned.num_tasks, static_cast<index_t>(num_workers_));
    row.domain = planned.what.how.domain;
    row.block = clipped(planned.what.how.block, row.domain);
    row.step = clipped(planned.what.how.stream, row.domain);
    return row;
  }

  void add_to(plan_cost& sum, const plan_cost& one) const {
    sum.num_operations += one.num_operations;
    sum.num_tasks += one.num_tasks;
    sum.bytes_read += one.bytes_read;
    sum.bytes_written += one.bytes_written;
    sum.num_requests += one.num_requests;
    sum.memory_moved += one.memory_moved;
    sum.element_steps += one.element_steps;
    sum.task = plan_.spec.reserved_memory + one.task;
    sum.work += one.work;
    sum.wall += one.wall;
  }

  [[nodiscard]] explained::access access_to(std::size_t number) const {
    const planned_array& array = plan_.arrays[number];
    return {shortened(words_for(array)), place_of(array)};
  }

  void add_accesses(explained::operation& row, const planned_operation& planned) const {
    // Of an array that is seen through several windows, all of it is needed at most.
    std::map<std::size_t, std::pair<explained::access, double>> read;
    for (const planned_window& window : planned.windows) {
      const std::size_t number = planned.inputs[window.operands.front()].array;
      const auto [found, is_new] = read.try_emplace(number, access_to(number), 0);
      auto& [access, needed] = found->second;
      access.moved += window.bytes_read;
      access.num_requests += window.chunk_reads;
      const planned_array& array = plan_.arrays[number];
      needed = std::min(needed + needed_through(window, planned.what, array),
                        static_cast<double>(array.size().count()));
    }
    for (auto& [number, found] : read) {
      auto& [access, needed] = found;
      const auto moved = static_cast<double>(access.moved.count());
      access.amplification = needed > 0 ? moved / needed : 0;
    }
    std::vector<operand_demand> needs;
    for (std::size_t i = 0; i < planned.inputs.size(); ++i) {
      const planned_operand& operand = planned.inputs[i];
      if (operand.access != operand_access::in_place) continue;
      if (needs.empty()) needs = demand_on_operands(planned.what);
      explained::access& access =
          read.try_emplace(operand.array, access_to(operand.array), 0).first->second.first;
      access.moved +=
          read_in_place(planned.what, i, needs[i].where, plan_.arrays[operand.array].type);
    }
    std::vector<std::size_t> seen;
    for (const planned_operand& operand : planned.inputs) {
      if (std::find(seen.begin(), seen.end(), operand.array) != seen.end()) continue;
      seen.push_back(operand.array);
      const auto found = read.find(operand.array);
      add(row.reads, found == read.end() ? access_to(operand.array) : found->second.first);
    }
    for (const planned_result& result : planned.outputs) {
      explained::access access = access_to(result.array);
      const planned_array& array = plan_.arrays[result.array];
      const bool is_held = std::holds_alternative<memory_place>(array.place);
      access.moved = is_held ? array.size() : result.bytes_written;
      access.num_requests = result.chunk_writes;
      add(row.writes, access);
    }
  }

  [[nodiscard]] std::vector<explained::source> sources() const {
    std::vector<explained::source> all(plan_.arrays.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const planned_array& array = plan_.arrays[i];
      if (array.is_computed()) continue;
      all[i] = {.name = words_for(array), .place = place_of(array), .size = array.size()};
    }
    for (const planned_operation& planned : plan_.operations) {
      for (const planned_window& window : planned.windows) {
        const std::size_t number = planned.inputs[window.operands.front()].array;
        all[number].bytes_read += window.bytes_read;
      }
      std::vector<std::size_t> read;
      for (const planned_operand& operand : planned.inputs) read.push_back(operand.array);
      std::sort(read.begin(), read.end());
      read.erase(std::unique(read.begin(), read.end()), read.end());
      for (const std::size_t number : read) ++all[number].num_readers;
    }
    std::map<std::string, std::size_t> places;
    std::vector<explained::source> rows;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const explained::source& one = all[i];
      if (plan_.arrays[i].is_computed()) continue;
      const auto [place, is_new] =
          places.emplace(fmt::format("{}|{}|{}|{}|{}", pattern_of(one.name), pattern_of(one.place),
                                     one.size.count(), one.bytes_read.count(), one.num_readers),
                         rows.size());
      if (is_new) {
        rows.push_back(one);
        continue;
      }
      explained::source& row = rows[place->second];
      ++row.count;
      row.size += one.size;
      row.bytes_read += one.bytes_read;
      row.num_readers += one.num_readers;
    }
    for (explained::source& row : rows) {
      const auto size = static_cast<double>(row.size.count());
      row.times_read = size > 0 ? static_cast<double>(row.bytes_read.count()) / size : 0;
    }
    return rows;
  }

  /// Returns why array `i`, which `maker` makes, is where it is.
  [[nodiscard]] std::string why_placed(std::size_t i, std::size_t num_readers,
                                       const std::string& maker) const {
    const planned_array& array = plan_.arrays[i];
    if (are_outputs_[i]) return asked_for(array, plan_.spec.costs);
    if (std::holds_alternative<memory_place>(array.place)) {
      const std::string saved =
          "saves " +
          format_time(saved_in_memory(array, num_readers, are_kept_[i], plan_.spec.costs)) +
          " of work";
      if (are_kept_[i]) {
        return fmt::format("kept there by '{}' for what reads it again: {}", maker, saved);
      }
      return array.is_for_memory ? "put there to be read in other chunks: " + saved : saved;
    }
    if (array.shortage) {
      const std::string needed = format_short(array.shortage->needed);
      return fmt::format(
          "in memory, {} would be held at once where {} may be; a host memory of {} "
          "would hold it (spec.host_memory)",
          needed, format_short(array.shortage->limit), needed);
    }
    const bool is_off = plan_.graph->origin && !plan_.graph->origin->passes.memory_tier;
    return is_off ? "the memory tier is off" : "";
  }

  [[nodiscard]] std::vector<explained::made> arrays() const {
    std::vector<std::size_t> num_readers(plan_.arrays.size(), 0);
    for (const planned_operation& planned : plan_.operations) {
      for (const planned_operand& read : planned.inputs) ++num_readers[read.array];
    }
    std::vector<explained::made> rows;
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < plan_.operations.size(); ++i) {
      for (const planned_result& made : plan_.operations[i].outputs) {
        const planned_array& array = plan_.arrays[made.array];
        explained::made row{
            .name = words_for(array),
            .place = place_of(array),
            .size = array.size(),
            .is_result = are_outputs_[made.array],
            .first_operation = i + 1,
            .last_operation = ends_[i],
            .why = why_placed(made.array, num_readers[made.array], plan_.operations[i].what.name)};
        const auto [place, is_new] =
            places.emplace(fmt::format("{}|{}|{}|{}", pattern_of(row.name), pattern_of(row.place),
                                       row.size.count(), pattern_of(row.why)),
                           rows.size());
        if (is_new) {
          rows.push_back(std::move(row));
        } else {
          ++rows[place->second].count;
          rows[place->second].size += row.size;
        }
      }
    }
    return rows;
  }

  const bounded_plan::implementation& plan_;
  std::size_t num_workers_;
  std::vector<std::size_t> ends_;
  std::vector<bool> are_outputs_;
  std::vector<bool> are_kept_;
  /// Of each operation.
  std::vector<std::vector<explained::note>> notes_;
};

}  // namespace

plan_explanation bounded_plan::explain() const {
  plan_explanation all;
  all.cost = cost();
  all.task_memory = projected_memory();
  all.allowed_memory = spec().allowed_memory;
  all.bound = bound();
  explainer(*implementation_).run(all);
  return all;
}

}  // namespace tessera
