// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The passes of the planner and their order.
///
/// A pass rewrites the graph of a plan. The new graph computes the same values for every requested
/// array, and costs no more by the cost model (`plan/cost.hpp`). `driver.cpp` runs the passes and
/// verifies the graph after each of them. The head of a pass's source file explains it.
///
/// A pass that may apply to an operation and does not, records a refusal (`pass_context::leave`).
/// A pass that rewrites an operation records that too (`pass_context::tell`). Both are collected
/// only for `plan.explain()`.

#include "tessera/core/spec.hpp"
#include "tessera/plan/memory_bound.hpp"
#include "tessera/plan/passes.hpp"

#include "plan/buffers.hpp"
#include "plan/graph.hpp"
#include "plan/passes/fold_runs.hpp"
#include "plan/passes/reason.hpp"
#include "plan/passes/trace.hpp"
#include "plan/tuning.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace tessera {

/// The input of a pass besides the graph, and the record of its decisions.
struct pass_context {
  const spec& limits;
  pass_entry* entry = nullptr;  ///< null: no explanation is asked for
  /// The workers in whose memory intermediate arrays may be; null: they go to storage.
  const plan_workers* workers = nullptr;
  bool* has_changed = nullptr;  ///< set when the pass rewrites an operation; may be null

  /// Records that the pass leaves operation `v` unchanged because of `refusal`, unless it is null.
  void leave(const array_graph& graph, vertex v, const reason& refusal) const {
    if (entry == nullptr || refusal == nullptr) return;
    record(graph, v, refusal, {.op = operation_at(graph, v).name});
  }

  /// As above, of a rewrite of operations `v` and `partner`. If one reads the other, `v` does.
  void leave(const array_graph& graph, vertex v, const reason& refusal, vertex partner) const {
    if (entry == nullptr || refusal == nullptr) return;
    const std::string& reader = operation_at(graph, v).name;
    const std::string& producer = operation_at(graph, partner).name;
    record(graph, v, refusal, {reader, producer, reader, producer}, graph[partner].serial);
  }

  /// As above, of the producer `v` and one of its readers.
  void leave_producer(const array_graph& graph, vertex v, const reason& refusal,
                      vertex reader) const {
    if (entry == nullptr || refusal == nullptr) return;
    const std::string& producer_name = operation_at(graph, v).name;
    const std::string& reader_name = operation_at(graph, reader).name;
    record(graph, v, refusal, {producer_name, reader_name, reader_name, producer_name},
           graph[reader].serial);
  }

  /// Records the refusal that `find_refusal()` returns, called only for an explanation.
  template <class FindRefusal>
  requires requires(FindRefusal find_refusal) { reason(find_refusal()); }
  void leave(const array_graph& graph, vertex v, FindRefusal find_refusal) const {
    if (entry != nullptr) leave(graph, v, reason(find_refusal()));
  }

  /// Records that the pass has changed the graph, without a text.
  void note_change() const {
    if (has_changed != nullptr) *has_changed = true;
  }

  /// Records that the pass has rewritten operation `v`; `text()` says how.
  template <class Text>
  void tell(const array_graph& graph, vertex v, Text text) const {
    note_change();
    if (entry == nullptr) return;
    entry->rewrites.push_back({operation_at(graph, v).name, text(), graph[v].serial});
  }

 private:
  void record(const array_graph& graph, vertex v, const reason& refusal, const refusal_names& names,
              std::optional<std::size_t> partner = std::nullopt) const {
    entry->refusals.push_back(
        {names.op, refusal.text(names), graph[v].serial, partner, refusal.has_figures()});
  }
};

/// Returns the refusal that a task of `planned` would exceed the allowed memory, by a rule that
/// names the operation.
[[nodiscard]] inline reason too_large(const char* rule, const planned_operation& planned,
                                      const spec& limits) {
  return {rule, "{}, and {} are allowed (spec.allowed_memory)", task_memory(planned, limits),
          limits.allowed_memory};
}

/// As above, of an operation that does the work of two.
[[nodiscard]] inline reason too_large(const planned_operation& planned, const spec& limits) {
  return too_large("a task of both {op} and {partner} would need too much memory", planned, limits);
}

/// Returns a refusal if `array`, the operand of a reader, may not be fused away.
[[nodiscard]] inline reason check_internal(const planned_array& array) {
  if (array.is_requested) return operand_is_requested;
  return array.is_materialized ? reason(operand_is_materialized) : reason();
}

/// A refusal to fuse an operation with `partner`.
struct partner_refusal {
  vertex partner;
  reason refusal;
};

/// Dead code: removes operations and arrays that no requested array depends on.
void cull(plan_graph& plan, const pass_context& context);

/// Common subexpressions: merges structurally equal vertices (hash-consing).
void share(plan_graph& plan, const pass_context& context);

/// Gives each requested output an array of its own, by copies if needed. Always runs.
void assign_outputs(plan_graph& plan, const pass_context& context);

/// Lets a producer adopt the coarser chunks of a stored copy: y, z = copy(y), f(y) -> z, f(z).
void adopt_consumer_chunks(plan_graph& plan, const pass_context& context);

/// Pushes regions down: computes only the box of each array that its readers need,
/// f(x)(a:b) -> f(x(a:b)).
void crop(plan_graph& plan, const pass_context& context);

/// As `crop`, but leaves operations that share a view with an operation on the whole domain: the
/// two may be fused as siblings.
void crop_apart(plan_graph& plan, const pass_context& context);

/// Inlines an elementwise producer into its only reader: y = g(x), f(y) -> f(g(x)).
void fuse_producers(plan_graph& plan, const pass_context& context);

/// Recomputes: inlines an elementwise producer into each of its readers, if that is less work than
/// storing its output.
void duplicate(plan_graph& plan, const pass_context& context);

/// Fuses operations over one domain that read a common view: (f(x), g(x)) -> (f, g)(x).
void fuse_siblings(plan_graph& plan, const pass_context& context);

/// Caches a stored input in memory at its first reader, for readers in later layers.
void keep(plan_graph& plan, const pass_context& context);

/// Tree reduction: cuts a fold into parts that run in parallel, and combines their states level by
/// level: fold(x) -> combine(partial(x_1), ..., partial(x_n)).
void split_folds(plan_graph& plan, const pass_context& context);

/// Cuts products into the partial sums that the program states, and adds them up. Always runs.
void split_products(plan_graph& plan, const pass_context& context);

/// Tells whether `op` is a product and the program states its partial sums.
[[nodiscard]] bool is_product(const operation& op);

/// Returns `op` in the partial sums that the program states, if it is a product.
[[nodiscard]] operation in_partial_products(operation op);

/// Parallel prefix scan: cuts a scan into local scans with carried states.
void cut_scans(plan_graph& plan, const pass_context& context);

/// Returns true if `cut_scans` will cut operation `v`.
[[nodiscard]] bool is_scan_to_cut(const array_graph& graph, vertex v, const spec& limits);

/// Appends an elementwise reader to the tasks of the operation that computes its operand.
void fuse_epilogues(plan_graph& plan, const pass_context& context);

/// Merges elementwise producers into readers that take blocks, or windows that overlap: each step
/// computes the elements of its blocks once.
void merge_maps(plan_graph& plan, const pass_context& context);

/// Merges a producer of any kind into its only reader, which computes the operand in each step.
void merge_producers(plan_graph& plan, const pass_context& context);

/// Fuses a map of a fold's input and results into the fold: f(x, g(x)), of whole lines of x.
void fuse_map_after_fold(plan_graph& plan, const pass_context& context);

/// Joins folds to a function of whole lines of the same array: quantile(x), mean(x) in one task.
void join_lines(plan_graph& plan, const pass_context& context);

/// Cuts the blocks of functions of whole lines until a task keeps to the allowed memory.
void cut_blocks(plan_graph& plan, const pass_context& context);

/// Returns the number of tasks that a fold has after `split_folds`, if no input is distributed.
[[nodiscard]] index_t tasks_when_split(const operation& fold);

/// Returns the number of tasks that `op` is worth: two for each worker, at most 64, and parts of an
/// operation are not small. A rewrite may leave half as many.
[[nodiscard]] index_t worthwhile_tasks(const operation& op, std::size_t num_workers);

/// Enlarges blocks, or lets tasks sweep along an axis, so that fewer chunks are read twice.
void size_blocks(plan_graph& plan, const pass_context& context);

/// Returns the schedule that `size_blocks` gives `op`, with these inputs and outputs.
[[nodiscard]] loop_schedule schedule_when_sized(const array_graph& graph, const operation& op,
                                                const small_vector<vertex>& inputs,
                                                const small_vector<vertex>& outputs,
                                                const spec& limits);

/// Fuses downsampling: a task that computes a requested block computes the coarser levels of it.
void fuse_levels(plan_graph& plan, const pass_context& context);

/// Inserts copies between arrays and readers whose blocks and chunks do not align.
void stage_rechunks(plan_graph& plan, const pass_context& context);

/// Cuts moving windows into blocks that overlap, if that keeps more workers busy.
void cut_windows(plan_graph& plan, const pass_context& context);

/// Lets tasks over remote arrays take larger blocks, for many requests in flight, and lets tasks
/// that take long to start take several blocks. Always runs.
void lengthen_tasks(plan_graph& plan, const pass_context& context);

/// Copies distributed arrays into storage, unless each task reads the part of one process only.
/// Always runs.
void gather_distributed(plan_graph& plan, const pass_context& context);

/// A switch is kept off if the merit falls by more than this share without it.
inline constexpr double any_saving = 1e-9;

/// The part of a switch in the choice among plans (`plan/search.hpp`). One row of each switch has
/// it.
struct pass_choice {
  /// A plan may be better without the pass: it is left out if that saves more than this share of
  /// the merit. nullopt: it is not left out for a better merit.
  std::optional<double> least_saving = std::nullopt;
  /// The turn of the pass to go if a plan needs too much memory; 1 goes first, 0 never.
  std::size_t turn_to_go = 0;
  /// Whether tasks may need more memory because of the pass. Otherwise they usually need less.
  bool may_need_memory = false;
};

/// A pass: its name, its switch (null: it always runs), its function and its part in the choice
/// among plans.
struct named_pass {
  std::string_view name;
  bool pass_switches::*is_on;
  void (*run)(plan_graph& plan, const pass_context& context);
  pass_choice choice = {};
};

/// The last pass that does not depend on memory, workers or costs. The graph after it is the
/// program that was asked for: the same on every host.
inline constexpr std::string_view last_before_choices = "cull";

/// All passes in their order. The choice among plans tries to leave them out in this order, too.
///
/// Fusing siblings may leave an array with one reader, so that fusing producers follows again.
/// Recomputation makes readers independent of their common producer, so that they may become
/// siblings. Operations that could have been fused with readers of whole views, and were not, are
/// cropped afterwards. Copies into other chunks that several readers have got are shared. Splitting
/// folds is worth more than its merit: many tasks show progress, and resume in small steps.
inline constexpr std::array all_passes{
    named_pass{"share", &pass_switches::share, share},
    named_pass{"assign_outputs", nullptr, assign_outputs},
    named_pass{"cull", &pass_switches::cull, cull},
    named_pass{"adopt_consumer_chunks", &pass_switches::fuse_levels, adopt_consumer_chunks},
    named_pass{"crop", &pass_switches::crop, crop_apart, {any_saving, 10}},
    named_pass{
        "fuse_producers", &pass_switches::fuse_producers, fuse_producers, {any_saving, 7, true}},
    named_pass{
        "fuse_siblings", &pass_switches::fuse_siblings, fuse_siblings, {any_saving, 3, true}},
    named_pass{"duplicate", &pass_switches::duplicate, duplicate, {any_saving, 2, true}},
    named_pass{"fuse_producers", &pass_switches::fuse_producers, fuse_producers},
    named_pass{"fuse_siblings", &pass_switches::fuse_siblings, fuse_siblings},
    named_pass{"crop", &pass_switches::crop, crop},
    named_pass{"split_products", nullptr, split_products},
    named_pass{"fuse_map_after_fold", &pass_switches::fuse_epilogues, fuse_map_after_fold},
    named_pass{"join_lines", &pass_switches::fuse_siblings, join_lines},
    named_pass{"keep", &pass_switches::keep, keep, {any_saving, 1, true}},
    named_pass{"split_folds", &pass_switches::split_folds, split_folds, {tuning.least_gain, 11}},
    named_pass{"cut_scans", &pass_switches::cut_scans, cut_scans, {any_saving, 9}},
    named_pass{
        "fuse_epilogues", &pass_switches::fuse_epilogues, fuse_epilogues, {any_saving, 5, true}},
    named_pass{"merge_maps", &pass_switches::fuse_producers, merge_maps},
    named_pass{"merge_producers", &pass_switches::fuse_epilogues, merge_producers},
    named_pass{"cut_blocks", &pass_switches::cut_blocks, cut_blocks, {any_saving, 12}},
    named_pass{"size_blocks", &pass_switches::size_blocks, size_blocks, {any_saving, 6, true}},
    named_pass{"fuse_levels", &pass_switches::fuse_levels, fuse_levels, {any_saving, 4, true}},
    named_pass{"stage_rechunks", &pass_switches::stage_rechunks, stage_rechunks, {any_saving, 8}},
    named_pass{"share", &pass_switches::share, share},
    named_pass{"cut_windows", &pass_switches::cut_scans, cut_windows},
    named_pass{"gather_distributed", nullptr, gather_distributed},
    named_pass{"lengthen_tasks", nullptr, lengthen_tasks},
};

}  // namespace tessera
