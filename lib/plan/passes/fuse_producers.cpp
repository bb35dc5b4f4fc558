// SPDX-License-Identifier: Apache-2.0
/// \file
/// Inlines elementwise producers into the operations that read them.
///
/// Problem: f(g(x)) as two operations writes y = g(x) and reads it back. If g is elementwise, f can
/// compute each element of y in its strip program, and y is never stored.
///     x -> [g] -> y -> [f] -> z        becomes        x -> [f . g] -> z
/// Legality (`check_inlining`): g is elementwise and y its only output; y is not requested; f is
/// the only reader of y; f reads each element of y at most once, or g only moves elements.
/// Price (`check_cost`): the fused operation reads no more bytes than both operations move, either
/// in its present blocks or in the blocks that `size_blocks` would choose later. If f needs blocks
/// of y in memory (a window, a matrix), `merge_maps` merges g.
/// Invariant: the values of every requested array stay the same. Operations are visited readers
/// last, so that a chain collapses into its last operation.
/// Reference: loop fusion and inlining of producers as in Halide's `compute_inline` (Ragan-Kelley
/// et al., PLDI 2013).

#include "plan/buffers.hpp"
#include "plan/passes/candidate.hpp"
#include "plan/passes/fusion_estimate.hpp"
#include "plan/passes/inlining.hpp"
#include "plan/passes/passes.hpp"
#include "plan/tuning.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// Returns the refusal that a fused operation would read `count` views of an input.
reason too_many_views(std::size_t count) {
  return {"{reader} with {producer} inlined would read more than 128 views of an input", "{}",
          count};
}

/// Returns the largest number of times that one array occurs among `inputs`.
std::size_t most_views_of_one(small_vector<vertex> inputs) {
  std::ranges::sort(inputs);
  std::size_t most = 0;
  for (auto first = inputs.begin(); first != inputs.end();) {
    const auto last = std::upper_bound(first, inputs.end(), *first);
    most = std::max(most, static_cast<std::size_t>(last - first));
    first = last;
  }
  return most;
}

/// Returns the number of views of one array that inlining the producer of `array` adds to `reader`:
/// the producer's views, once for each view of `array`.
std::size_t count_views_when_inlined(const array_graph& graph, vertex array, vertex reader) {
  const small_vector<vertex> inputs = inputs_of(graph, reader);
  const auto views = static_cast<std::size_t>(std::count(inputs.begin(), inputs.end(), array));
  return views * most_views_of_one(inputs_of(graph, producer_of(graph, array)));
}

/// Tells whether `reader` reads `array` through a gather.
bool is_gathered_by(const array_graph& graph, vertex reader, vertex array) {
  const small_vector<vertex> inputs = inputs_of(graph, reader);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const index_map& map = operation_at(graph, reader).operands[i];
    if (inputs[i] == array && map.gather() != nullptr) return true;
  }
  return false;
}

/// Tells whether `fused` reads more than `reader` and the producer of `array` move, all in the
/// blocks of `size_blocks`.
bool moves_more_when_sized(const array_graph& graph, const planned_operation& fused, vertex array,
                           vertex reader, const spec& limits) {
  const vertex producer = producer_of(graph, array);
  const bytes written = estimate(graph, producer, limits).bytes_written;
  const planned_operation sized_reader = estimate_when_sized(graph, reader, limits);
  const planned_operation sized_producer = estimate_when_sized(graph, producer, limits);
  return fused.bytes_read > sized_reader.bytes_read + sized_producer.bytes_read + written;
}

/// Returns a refusal if `fused` costs more than `reader` and the producer of `array`, or needs too
/// much memory. `fused` gets larger blocks if halos are large beside the present ones.
reason check_cost(const array_graph& graph, candidate& fused, vertex array, vertex reader,
                  const spec& limits) {
  if (const std::size_t views = most_views_of_one(fused.inputs); views > tuning.most_views) {
    return too_many_views(views);
  }
  if (const reason refusal = check_pieces(fused)) return refusal;
  const vertex maker = producer_of(graph, array);
  const planned_operation old_reader = estimate(graph, reader, limits);
  const planned_operation producer = estimate(graph, maker, limits);
  planned_operation planned =
      estimate(graph, fused.op, fused.inputs, outputs_of(graph, reader), limits);
  const bytes moved_before = old_reader.bytes_read + producer.bytes_read + producer.bytes_written;
  if (planned.bytes_read > moved_before) {
    const reason refusal = reads_more(planned.bytes_read, moved_before);
    planned = estimate_when_sized(graph, fused, reader, limits);
    if (moves_more_when_sized(graph, planned, array, reader, limits)) return refusal;
  }
  // A copy between an array and its gather may have chunks that suit the gather.
  const bool is_copy = operation_at(graph, maker).primitive->num_steps() == 0;
  const bytes read_before = std::max(old_reader.bytes_read, array_at(graph, array).size());
  if (is_copy && is_gathered_by(graph, reader, array) && planned.bytes_read > read_before * 3) {
    return {"{reader} would read chunks of the input of {producer} repeatedly", "{} in place of {}",
            planned.bytes_read, read_before};
  }
  return check_fused_memory(graph, fused, planned, array, reader, limits);
}

/// Returns a refusal if `array` must be stored, or `reader` cannot compute it.
reason check_applicable(const array_graph& graph, vertex array, vertex reader, const spec& limits) {
  if (is_search_over(graph)) return search_is_over;
  // Before equal views are unified, a stencil of a stencil has about three times as many.
  const std::size_t views = count_views_when_inlined(graph, array, reader);
  if (views > 3 * tuning.most_views) return too_many_views(views);
  if (const reason refusal = check_internal(array_at(graph, array))) return refusal;
  if (!has_one_reader(graph, array)) return operand_has_other_readers;
  return check_inlining(graph, array, reader, limits);
}

/// Inlines the producer of one input of `reader`. Returns false if there is none to inline, and
/// sets `refusals` to one reason for each computed input.
bool fuse_one(array_graph& graph, vertex reader, const pass_context& context,
              std::vector<partner_refusal>& refusals) {
  refusals.clear();
  for (const vertex array : arrays_read_by(graph, reader)) {
    if (boost::in_degree(array, graph) == 0 || is_for_merge_maps(graph, array, reader)) continue;
    reason refusal = check_applicable(graph, array, reader, context.limits);
    if (refusal == nullptr) {
      std::optional<candidate> fused = inlined(graph, array, reader);
      refusal = fused ? check_cost(graph, *fused, array, reader, context.limits)
                      : reason(views_cannot_be_composed);
      if (refusal == nullptr) {
        const vertex producer = producer_of(graph, array);
        put(graph, reader, *std::move(fused));
        context.tell(graph, reader, [&] {
          return "computes the elements of its producer '" + operation_at(graph, producer).name +
                 "' itself";
        });
        remove(graph, array);
        remove(graph, producer);
        return true;
      }
    }
    refusals.push_back({producer_of(graph, array), refusal});
  }
  return false;
}

}  // namespace

void fuse_producers(plan_graph& plan, const pass_context& context) {
  std::vector<partner_refusal> refusals;
  for (const vertex reader : operations_in_order(plan.graph)) {
    while (fuse_one(plan.graph, reader, context, refusals)) {
    }
    for (const auto& [producer, refusal] : refusals) {
      context.leave(plan.graph, reader, refusal, producer);
    }
  }
}

}  // namespace tessera
