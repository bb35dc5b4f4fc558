// SPDX-License-Identifier: Apache-2.0
/// \file
/// Merges an operation into the tasks of its only reader, whatever primitive it has.
///
/// Problem: the output of a gather, a transform or a product goes through memory or the disk:
///     x -> [take] -> y -> [mean] -> z      becomes      x -> [take; mean] -> z
/// Idea: the producer computes the part of y that a step of the reader reads. Behind the axes of
/// the reader, the merged domain has private axes of the producer, which a step takes whole:
///     y[i, j] = x[k[i, j]]       z[i] = mean over j        domain (i, j, k), k is private
/// An axis of y is an axis of the reader if it is read element by element, else a private one. An
/// axis that only the reader has is taken whole where that is possible: each y is computed once.
/// Axes that a reshape numbers anew are private: a step has them whole, and sees the memory of y in
/// the other shape (`reshaped_block.hpp`).
/// Windows of a map or of a fold y, which are read at i + w, share its elements: y has a halo.
///     y[p] = f(x[p])             z[i] = median over w of y[i + w]
/// Legality (`merged`): y is the only output, not requested, and has one reader, which has one view
/// of it, without tables; if blocks of the producer matter, it has a single one. Of a map y the
/// reader may have several views, and of a y with a halo also borders: views of the elements around
/// each block (`reads.hpp`).
/// Price (`check_merit`): no element of y is computed twice, reads are at most those of both and
/// the stores of y, the merit falls, and a task fits, maybe in smaller blocks along kept axes. An
/// elementwise y only has to save work. Inputs are for memory if a task fits only with its inputs
/// in memory.
/// Invariant: each stage sees the elements and the steps that it would see alone: the same bits.
/// Reference: `compute_at` in Halide (Ragan-Kelley et al., PLDI 2013).

#include "plan/buffers.hpp"
#include "plan/cost.hpp"
#include "plan/passes/candidate.hpp"
#include "plan/passes/fusion_estimate.hpp"
#include "plan/passes/host_room.hpp"
#include "plan/passes/merged_views.hpp"
#include "plan/passes/passes.hpp"
#include "plan/tuning.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// Returns a refusal if a task of `merged` fits only with arrays of open placement in memory, and
/// the host has no room for its inputs of open placement beside the tasks of all workers. Otherwise
/// tells `merged` whether it needs these in memory.
reason check_in_storage(const array_graph& graph, merged_operation& merged, const merged_pair& pair,
                        const pass_context& context) {
  const spec& limits = context.limits;
  spec in_storage = limits;
  in_storage.allowed_memory = bytes{0};
  const planned_operation stored = estimate(graph, merged, in_storage);
  if (fits(stored, limits) || !fits(estimate(graph, pair.producer, in_storage), limits)) {
    return nullptr;
  }
  const planned_operation held = estimate(graph, merged, limits, in_storage);
  bytes needed =
      task_memory(held, limits) * (context.workers == nullptr ? 1 : context.workers->count);
  for (const vertex input : merged.fused.inputs) {
    const planned_array& array = array_at(graph, input);
    if (array.is_open()) needed += array.size();
  }
  if (!fits(held, limits) || needed > room_on_host(graph, context)) {
    return too_large(stored, limits);
  }
  merged.needs_memory = true;
  return nullptr;
}

/// Returns a refusal unless `merged` has a better merit than producer and reader apart. Of a map,
/// less work is enough: the search tries its output in memory.
reason check_merit(const array_graph& graph, const merged_pair& pair,
                   const merged_operation& merged, const spec& limits) {
  const planned_operation producer = estimate_when_sized(graph, pair.producer, limits);
  const planned_operation reader = estimate_when_sized(graph, pair.reader, limits);
  const planned_operation planned = estimate_when_sized(graph, merged, pair.reader, limits);
  const bool is_of_map = is_map(operation_at(graph, pair.producer));
  const bytes read_apart = producer.bytes_read + producer.bytes_written + reader.bytes_read;
  if (!is_of_map && planned.bytes_read > read_apart)
    return reads_more(planned.bytes_read, read_apart);
  const std::size_t num_workers = limits.costs.num_workers();
  const plan_cost apart = cost_of_both(producer, reader, limits.costs, num_workers);
  const plan_cost together = cost_of(planned, limits.costs, num_workers);
  const double again = merged.fused.op.primitive->can_sweep() ? tuning.most_read_again_merged : 0;
  const bool saves_work = is_of_map && together.work < apart.work * (1 + again);
  if (saves_work || together.merit() < apart.merit()) return nullptr;
  if (together.work >= apart.work) return takes_longer(together.work, apart.work);
  return {"{op} and {partner} in one operation would leave workers idle", "{} in place of {}",
          together.wall, apart.wall};
}

/// Returns both operations as one, or sets `refusal`.
std::optional<merged_operation> admitted(const array_graph& graph, const merged_pair& pair,
                                         const pass_context& context, reason& refusal) {
  refusal = is_search_over(graph) ? search_is_over : check_internal(array_at(graph, pair.array));
  if (refusal == nullptr && !has_one_reader(graph, pair.array)) refusal = operand_has_other_readers;
  if (refusal != nullptr) return std::nullopt;
  std::optional<merged_operation> operation = merged(graph, pair, context.limits, refusal);
  if (!operation) return std::nullopt;
  refusal = check_merit(graph, pair, *operation, context.limits);
  if (refusal == nullptr) refusal = check_in_storage(graph, *operation, pair, context);
  return refusal == nullptr ? std::move(operation) : std::nullopt;
}

/// The producers that a pass merges.
enum class merged_kind { maps, others };

/// Tells whether the producer of `array` is of `kind`, and may be merged into `reader`. Copies into
/// other chunks are planned by `stage_rechunks`; functions of elements are inlined where that is
/// possible.
bool may_be_merged(const array_graph& graph, vertex array, vertex reader, merged_kind kind) {
  if (boost::in_degree(array, graph) == 0) return false;
  const operation& op = operation_at(graph, producer_of(graph, array));
  if (kind == merged_kind::maps) return is_for_merge_maps(graph, array, reader);
  if (!is_elementwise(op)) return true;
  return !is_map(op) && op.operands.size() == 1 && !op.operands.front().is_identity();
}

/// Returns the inputs of `reader` with producers that may be merged. The largest, which saves the
/// most, is first.
std::vector<vertex> inputs_by_size(const array_graph& graph, vertex reader, merged_kind kind) {
  std::vector<vertex> computed;
  for (const vertex array : arrays_read_by(graph, reader)) {
    if (may_be_merged(graph, array, reader, kind)) computed.push_back(array);
  }
  std::ranges::stable_sort(computed, std::greater(),
                           [&](vertex array) { return array_at(graph, array).size(); });
  return computed;
}

/// Puts `merged` in the place of both.
void replace(array_graph& graph, const merged_pair& pair, merged_operation merged) {
  for (const vertex input : merged.fused.inputs) {
    planned_array& array = array_at(graph, input);
    const bool is_open = array.is_open();
    array.is_for_memory |= merged.needs_memory && is_open;
  }
  put(graph, pair.reader, std::move(merged.fused));
  const small_vector<vertex> outputs = outputs_of(graph, pair.reader);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    array_at(graph, outputs[i]).chunks = merged.outputs[i].chunks;
  }
  remove(graph, pair.array);
  remove(graph, pair.producer);
}

/// Merges the producer of one input of `reader`. Returns false if none is merged.
bool merge_one(array_graph& graph, vertex reader, merged_kind kind, const pass_context& context) {
  std::vector<partner_refusal> refusals;
  for (const vertex array : inputs_by_size(graph, reader, kind)) {
    const merged_pair pair{producer_of(graph, array), array, reader};
    reason refusal;
    std::optional<merged_operation> merged = admitted(graph, pair, context, refusal);
    if (!merged) {
      // `fuse_producers` has told its reason for a view.
      const bool is_view =
          kind == merged_kind::others && is_elementwise(operation_at(graph, pair.producer));
      if (!is_view) refusals.push_back({pair.producer, refusal});
      continue;
    }
    context.tell(graph, reader, [&] {
      return fmt::format("computes its operand, the output of '{}', step by step",
                         operation_at(graph, pair.producer).name);
    });
    replace(graph, pair, *std::move(merged));
    return true;
  }
  for (const auto& [producer, refusal] : refusals) context.leave(graph, reader, refusal, producer);
  return false;
}

void merge_all(plan_graph& plan, merged_kind kind, const pass_context& context) {
  for (const vertex reader : operations_in_order(plan.graph)) {
    while (merge_one(plan.graph, reader, kind, context)) continue;
  }
}

}  // namespace

void merge_maps(plan_graph& plan, const pass_context& context) {
  merge_all(plan, merged_kind::maps, context);
}

void merge_producers(plan_graph& plan, const pass_context& context) {
  merge_all(plan, merged_kind::others, context);
}

}  // namespace tessera
