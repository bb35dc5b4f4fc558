// SPDX-License-Identifier: Apache-2.0
/// \file
/// Assembles the explanation of a plan: costs, placements, and the decisions of passes.

#include "core/api/text.hpp"
#include "plan/api/rings.hpp"
#include "plan/buffers.hpp"
#include "plan/build.hpp"
#include "plan/cost.hpp"
#include "plan/explained_attempts.hpp"
#include "plan/explained_merges.hpp"
#include "plan/explained_reads.hpp"
#include "plan/explained_rows.hpp"
#include "plan/labels.hpp"
#include "plan/lifetimes.hpp"
#include "plan/passes/passes.hpp"
#include "plan/shards.hpp"
#include "primitive/api/described_stages.hpp"

#include <algorithm>
#include <boost/graph/iteration_macros.hpp>
#include <fmt/format.h>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tessera {

namespace {

using explained = plan_explanation;

/// Runs the passes again, and returns their trace.
pass_trace trace_of(const bounded_plan::implementation& plan) {
  const plan_origin& origin = *plan.graph->origin;
  const auto graph = collect(origin.requests, origin.choices.materialized);
  graph->may_keep = plan.graph->may_keep;
  graph->recomputed = origin.choices.recomputed;
  graph->rechunked = origin.choices.rechunked;
  graph->stores_all = plan.graph->stores_all;
  pass_trace trace;
  run_passes(*graph, limits_of_passes(plan.spec, plan.workers, origin.allowed_memory),
             origin.choices.passes, &trace, origin.uses_memory ? &plan.workers : nullptr);
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
        figures_(costs_on(plan.spec, plan.workers)),
        ends_(ends_of_lifetimes(plan)),
        are_outputs_(outputs_among_arrays(plan)),
        are_kept_(kept_among_arrays(plan)),
        notes_(plan.operations.size()),
        refused_merges_(plan.arrays.size()) {}

  void run(explained& explanation) {
    if (plan_.graph->origin) {
      explanation.passes = passes();
      explanation.attempts = attempts_of(*plan_.graph->origin, plan_.spec.allowed_memory);
    }
    explanation.operations = operations(explanation.cost.work);
    explanation.sources = sources();
    explanation.arrays = arrays();
  }

 private:
  /// Returns the passes with the notes of operations that were removed. Notes of present operations
  /// go to `notes_`.
  [[nodiscard]] std::vector<explained::pass> passes() {
    std::unordered_map<std::size_t, std::size_t> numbers;
    const array_graph& graph = plan_.graph->graph;
    BGL_FORALL_VERTICES(v, graph, array_graph) {
      if (is_operation(graph, v)) numbers[graph[v].serial] = graph[v].number;
    }
    const auto note = [&](explained::pass& pass, std::size_t serial, explained::note added) {
      const auto number = numbers.find(serial);
      if (number == numbers.end()) return add_note(pass.notes, added);
      added.operation = plan_.operations[number->second].label;
      notes_[number->second].push_back(std::move(added));
    };
    const pass_trace trace = trace_of(plan_);
    refused_merges_ = refused_merges(plan_, trace);
    std::vector<explained::pass> passes;
    const std::vector<left_out_pass>& left_out = plan_.graph->origin->left_out;
    for (auto entry = trace.begin(); entry != trace.end(); ++entry) {
      explained::pass& pass = passes.emplace_back();
      const std::string name(entry->pass);
      pass = {name, entry->is_on, entry->before, entry->after};
      for (const pass_rewrite& rewrite : entry->rewrites) {
        note(pass, rewrite.serial, {name, rewrite.operation, rewrite.text, true});
      }
      // A later run of the same pass may have rewritten an operation that the first run refused.
      const bool is_last = std::none_of(entry + 1, trace.end(), [&](const pass_entry& later) {
        return later.pass == entry->pass;
      });
      if (!is_last) continue;
      for (const left_out_pass& off : left_out) {
        if (switch_of(name) != off.pass) continue;
        add_note(pass.notes, {name, "the plan", why_left_out(off), false});
      }
      for (const pass_refusal& refusal : entry->refusals) {
        note(pass, refusal.serial, {name, refusal.operation, refusal.text, false});
      }
    }
    return passes;
  }

  [[nodiscard]] std::vector<explained::operation> operations(costs::seconds all_work) {
    std::vector<explained::operation> rows;
    std::map<std::string, std::size_t> row_of_key;
    for (std::size_t i = 0; i < plan_.operations.size(); ++i) {
      const planned_operation& planned = plan_.operations[i];
      const std::string key =
          fmt::format("{}|{}|{}|{}|{}|{}", pattern_of(planned.label), planned.num_tasks,
                      planned.buffers.peak_bytes(), planned.bytes_read.count(),
                      planned.bytes_written.count(), format_shape(planned.op.schedule.block));
      const auto [entry, is_new] = row_of_key.emplace(key, rows.size());
      const plan_cost cost = cost_of(planned, figures_, num_workers_);
      if (is_new) rows.push_back(row_of(planned));
      explained::operation& row = rows[entry->second];
      row.numbers.push_back(i);
      if (!is_new) {
        ++row.count;
        row.are_equal = row.are_equal && row.label == planned.label;
      }
      add_to(row.cost, cost);
      add_accesses(row, planned);
      for (const explained::note& note : notes_[i]) add_note(row.notes, note);
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
    row.domain = planned.op.schedule.domain;
    row.block = clipped(planned.op.schedule.block, row.domain);
    row.step = clipped(schedule_in_legs(planned).step, row.domain);
    row.blocks_per_task = planned.op.schedule.blocks_per_task;
    for (const described_stage& stage :
         describe_stages(*planned.op.primitive, planned.op.name, planned.op.schedule,
                         operand_words_of(planned, plan_.arrays))) {
      row.stages.push_back({stage.label, std::string(name_of_scope(stage.at)), stage.buffers});
    }
    return row;
  }

  void add_to(plan_cost& sum, const plan_cost& added) const {
    sum.num_operations += added.num_operations;
    sum.num_tasks += added.num_tasks;
    sum.bytes_read += added.bytes_read;
    sum.bytes_written += added.bytes_written;
    sum.num_requests += added.num_requests;
    sum.memory_moved += added.memory_moved;
    sum.element_steps += added.element_steps;
    sum.task = plan_.spec.reserved_memory + added.task;
    sum.work += added.work;
    sum.wall += added.wall;
  }

  [[nodiscard]] explained::access access_to(std::size_t number) const {
    const planned_array& array = plan_.arrays[number];
    return {shortened(words_for(array)), describe_placement(array)};
  }

  /// The access to an array, by its number, and the bytes that an operation needs of it.
  using access_by_array = std::map<std::size_t, std::pair<explained::access, double>>;

  /// Returns the reads of each array through the windows of an operation.
  [[nodiscard]] access_by_array reads_of_windows(const planned_operation& planned) const {
    // Several windows of an array need at most all of it.
    access_by_array read;
    std::map<std::size_t, shard_reads> of_shards;
    for (const planned_window& window : planned.windows) {
      const std::size_t number = planned.inputs[window.operands.front()].array;
      const auto [position, is_new] = read.try_emplace(number, access_to(number), 0);
      auto& [access, needed] = position->second;
      access.moved += window.bytes_read;
      access.num_requests += window.chunk_reads;
      const planned_array& array = plan_.arrays[number];
      access.place += describe_ring(planned, window.ring);
      of_shards[number] += find_shard_reads(planned, window, array);
      needed = std::min(needed + needed_through(window, planned.op, array),
                        static_cast<double>(array.size().count()));
    }
    for (auto& [number, access_and_need] : read) {
      auto& [access, needed] = access_and_need;
      access.place += describe(of_shards[number]);
      const auto moved = static_cast<double>(access.moved.count());
      access.amplification = needed > 0 ? moved / needed : 0;
    }
    return read;
  }

  void add_reads_in_place(access_by_array& read, const planned_operation& planned) const {
    std::vector<operand_demand> needs;
    for (std::size_t i = 0; i < planned.inputs.size(); ++i) {
      const planned_operand& operand = planned.inputs[i];
      if (operand.access != operand_access::in_place) continue;
      if (needs.empty()) needs = demand_on_operands(planned.op);
      explained::access& access =
          read.try_emplace(operand.array, access_to(operand.array), 0).first->second.first;
      access.moved +=
          read_in_place(planned.op, i, needs[i].domain, plan_.arrays[operand.array].type);
    }
  }

  void add_accesses(explained::operation& row, const planned_operation& planned) const {
    access_by_array read = reads_of_windows(planned);
    add_reads_in_place(read, planned);
    std::vector<std::size_t> listed;
    for (const planned_operand& operand : planned.inputs) {
      if (std::find(listed.begin(), listed.end(), operand.array) != listed.end()) continue;
      listed.push_back(operand.array);
      const auto known = read.find(operand.array);
      add_access(row.reads, known == read.end() ? access_to(operand.array) : known->second.first);
    }
    for (const planned_result& result : planned.outputs) {
      explained::access access = access_to(result.array);
      const planned_array& array = plan_.arrays[result.array];
      const bool is_held = array.is_in_memory();
      access.moved = is_held ? array.size() : result.bytes_written;
      access.num_requests = result.chunk_writes;
      if (result.access == output_access::streamed) access.place += " step by step";
      access.place += describe_ring(planned, result.ring);
      add_access(row.writes, access);
    }
  }

  /// Returns a row for each array by its number. The rows of computed arrays are empty.
  [[nodiscard]] std::vector<explained::source> source_of_each_array() const {
    std::vector<explained::source> by_array(plan_.arrays.size());
    for (std::size_t i = 0; i < by_array.size(); ++i) {
      const planned_array& array = plan_.arrays[i];
      if (array.is_computed()) continue;
      by_array[i] = {
          .name = words_for(array), .place = describe_placement(array), .size = array.size()};
    }
    for (const planned_operation& planned : plan_.operations) {
      for (const planned_window& window : planned.windows) {
        const std::size_t number = planned.inputs[window.operands.front()].array;
        by_array[number].bytes_read += window.bytes_read;
      }
      std::vector<std::size_t> read;
      for (const planned_operand& operand : planned.inputs) read.push_back(operand.array);
      std::sort(read.begin(), read.end());
      read.erase(std::unique(read.begin(), read.end()), read.end());
      for (const std::size_t number : read) ++by_array[number].num_readers;
    }
    return by_array;
  }

  /// Returns the rows of sources; sources that differ in a number of their name alone have one.
  [[nodiscard]] std::vector<explained::source> sources() const {
    const std::vector<explained::source> by_array = source_of_each_array();
    std::map<std::string, std::size_t> row_of_key;
    std::vector<explained::source> rows;
    for (std::size_t i = 0; i < by_array.size(); ++i) {
      const explained::source& source = by_array[i];
      if (plan_.arrays[i].is_computed()) continue;
      const auto [entry, is_new] = row_of_key.emplace(
          fmt::format("{}|{}|{}|{}|{}", pattern_of(source.name), pattern_of(source.place),
                      source.size.count(), source.bytes_read.count(), source.num_readers),
          rows.size());
      if (is_new) {
        rows.push_back(source);
        continue;
      }
      explained::source& row = rows[entry->second];
      ++row.count;
      row.size += source.size;
      row.bytes_read += source.bytes_read;
      row.num_readers += source.num_readers;
    }
    for (explained::source& row : rows) {
      const auto size = static_cast<double>(row.size.count());
      row.times_read = size > 0 ? static_cast<double>(row.bytes_read.count()) / size : 0;
    }
    return rows;
  }

  /// Returns the reason for the placement of array `i`, an output of `producer`.
  [[nodiscard]] std::string placement_reason(std::size_t i, std::size_t num_readers,
                                             const std::string& producer) const {
    const planned_array& array = plan_.arrays[i];
    if (are_outputs_[i]) return asked_for(array, figures_);
    if (array.is_in_memory()) {
      const std::string saved =
          "saves " + format_time(saved_in_memory(array, num_readers, are_kept_[i], figures_)) +
          " of work";
      if (are_kept_[i]) {
        return fmt::format("cached there by '{}' for later readers: {}", producer, saved);
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
    const bool is_off = plan_.graph->origin && !plan_.graph->origin->choices.passes.memory_tier;
    return is_off ? "the memory tier is off" : "";
  }

  [[nodiscard]] std::vector<explained::computed_array> arrays() const {
    std::vector<std::size_t> num_readers(plan_.arrays.size(), 0);
    for (const planned_operation& planned : plan_.operations) {
      for (const planned_operand& read : planned.inputs) ++num_readers[read.array];
    }
    std::vector<explained::computed_array> rows;
    std::map<std::string, std::size_t> row_of_key;
    for (std::size_t i = 0; i < plan_.operations.size(); ++i) {
      for (const planned_result& output : plan_.operations[i].outputs) {
        const planned_array& array = plan_.arrays[output.array];
        const std::string placed =
            placement_reason(output.array, num_readers[output.array], plan_.operations[i].op.name);
        explained::computed_array row{
            .name = words_for(array),
            .place = describe_placement(array),
            .size = array.size(),
            .is_result = are_outputs_[output.array],
            .first_operation = i,
            .last_operation = ends_[i] - 1,
            .reason = with_refused_merge(placed, refused_merges_[output.array])};
        const auto [entry, is_new] = row_of_key.emplace(
            fmt::format("{}|{}|{}|{}", pattern_of(row.name), pattern_of(row.place),
                        row.size.count(), pattern_of(row.reason)),
            rows.size());
        if (is_new) {
          rows.push_back(std::move(row));
        } else {
          ++rows[entry->second].count;
          rows[entry->second].size += row.size;
        }
      }
    }
    return rows;
  }

  const bounded_plan::implementation& plan_;
  std::size_t num_workers_;
  costs figures_;
  std::vector<std::size_t> ends_;
  std::vector<bool> are_outputs_;
  std::vector<bool> are_kept_;
  /// By operation.
  std::vector<std::vector<explained::note>> notes_;
  /// By array: the best refused merge of its producer and a reader.
  std::vector<std::string> refused_merges_;
};

}  // namespace

plan_explanation bounded_plan::explain() const {
  plan_explanation explanation;
  explanation.cost = cost();
  explanation.task_memory = projected_memory();
  explanation.allowed_memory = spec().allowed_memory;
  explanation.bound = bound();
  explainer(*implementation_).run(explanation);
  return explanation;
}

}  // namespace tessera
