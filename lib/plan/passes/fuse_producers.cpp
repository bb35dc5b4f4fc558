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
/// in its present blocks or in the blocks that `size_blocks` would choose later. Of producers that
/// are inlined at once, the sums are compared. If f needs blocks of y in memory (a matrix), or its
/// windows of y overlap, `merge_maps` merges g.
/// Invariant: the values of every requested array stay the same. Operations are visited readers
/// last, so that a chain collapses into its last operation.
/// Reference: loop fusion and inlining of producers as in Halide's `compute_inline` (Ragan-Kelley
/// et al., PLDI 2013).

#include "plan/buffers.hpp"
#include "plan/passes/candidate.hpp"
#include "plan/passes/fusion_estimate.hpp"
#include "plan/passes/inlining.hpp"
#include "plan/passes/merged_views.hpp"
#include "plan/passes/passes.hpp"
#include "plan/tuning.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
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

/// Tells whether `fused` reads more than `reader` and the producers of `arrays` move, all in the
/// blocks of `size_blocks`.
bool moves_more_when_sized(const array_graph& graph, const planned_operation& fused,
                           std::span<const vertex> arrays, vertex reader, const spec& limits) {
  bytes moved = estimate_when_sized(graph, reader, limits).bytes_read;
  for (const vertex array : arrays) {
    const vertex producer = producer_of(graph, array);
    moved += estimate(graph, producer, limits).bytes_written;
    moved += estimate_when_sized(graph, producer, limits).bytes_read;
  }
  return fused.bytes_read > moved;
}

/// Returns a refusal if `planned`, with the producer of `array` inlined into `reader`, reads chunks
/// repeatedly that a copy would have in one place.
reason check_copy(const array_graph& graph, const planned_operation& planned, vertex array,
                  vertex reader, const planned_operation& old_reader) {
  // A copy between an array and its gather may have chunks that suit the gather.
  const bool is_copy = operation_at(graph, producer_of(graph, array)).primitive->num_steps() == 0;
  const bytes read_before = std::max(old_reader.bytes_read, array_at(graph, array).size());
  if (is_copy && is_gathered_by(graph, reader, array) && planned.bytes_read > read_before * 3) {
    return {"{reader} would read chunks of the input of {producer} repeatedly", "{} in place of {}",
            planned.bytes_read, read_before};
  }
  return nullptr;
}

/// Returns a refusal if `fused` costs more than `reader` and the producers of `arrays`, or needs
/// too much memory. `fused` gets larger blocks if halos are large beside the present ones.
reason check_cost(const array_graph& graph, candidate& fused, std::span<const vertex> arrays,
                  vertex reader, const spec& limits) {
  if (const std::size_t views = most_views_of_one(fused.inputs); views > tuning.most_views) {
    return too_many_views(views);
  }
  if (const reason refusal = check_pieces(fused)) return refusal;
  const planned_operation old_reader = estimate(graph, reader, limits);
  planned_operation planned =
      estimate(graph, fused.op, fused.inputs, outputs_of(graph, reader), limits);
  bytes moved_before = old_reader.bytes_read;
  for (const vertex array : arrays) {
    const planned_operation producer = estimate(graph, producer_of(graph, array), limits);
    moved_before += producer.bytes_read + producer.bytes_written;
  }
  if (planned.bytes_read > moved_before) {
    const reason refusal = reads_more(planned.bytes_read, moved_before);
    planned = estimate_when_sized(graph, fused, reader, limits);
    if (moves_more_when_sized(graph, planned, arrays, reader, limits)) return refusal;
  }
  for (const vertex array : arrays) {
    if (const reason refusal = check_copy(graph, planned, array, reader, old_reader)) {
      return refusal;
    }
  }
  return check_fused_memory(graph, fused, planned, arrays, reader, limits);
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

/// The inlining of all producers of one reader.
///
/// Producers are inlined one by one. If they are many, the next ones are inlined in batches that
/// double, as each price takes time in proportion to all operands of the reader.
class producer_inlining {
 public:
  producer_inlining(array_graph& graph, vertex reader, const pass_context& context)
      : graph_(graph), reader_(reader), context_(context) {}

  void run() {
    while (inline_next()) continue;
    for (const auto& [producer, refusal] : refusals_) {
      context_.leave(graph_, reader_, refusal, producer);
    }
  }

 private:
  /// Inlines the next producers. Returns false if there are none to inline.
  bool inline_next() {
    refusals_.clear();
    std::vector<vertex> batch;
    const std::vector<vertex> arrays = arrays_read_by(graph_, reader_);
    const std::size_t most = arrays.size() < tuning.least_batched_operands ? 1 : most_;
    for (const vertex array : arrays) {
      if (boost::in_degree(array, graph_) == 0 || is_left_to_merge_maps(array)) continue;
      if (const reason refusal = check_applicable(graph_, array, reader_, context_.limits)) {
        refusals_.push_back({producer_of(graph_, array), refusal});
        continue;
      }
      batch.push_back(array);
      if (batch.size() == most && try_batch(std::exchange(batch, {}))) return true;
    }
    return !batch.empty() && try_batch(std::move(batch));
  }

  /// Tells whether `merge_maps` merges the producer of `array`. A producer that only moves elements
  /// is inlined instead if a task of both does not fit.
  [[nodiscard]] bool is_left_to_merge_maps(vertex array) const {
    if (!is_for_merge_maps(graph_, array, reader_)) return false;
    const vertex producer = producer_of(graph_, array);
    if (operation_at(graph_, producer).primitive->num_steps() > 0) return true;
    reason refusal;
    return merged(graph_, {producer, array, reader_}, context_.limits, refusal).has_value();
  }

  /// Inlines the producers of `arrays`, or of parts of them if that is refused. Returns false if
  /// none is inlined.
  bool try_batch(std::span<const vertex> arrays) {
    const reason refusal = is_search_over(graph_) ? search_is_over : inline_all(arrays);
    if (refusal == nullptr) {
      most_ = std::max(most_, 2 * arrays.size());
      return true;
    }
    if (arrays.size() == 1) {
      refusals_.push_back({producer_of(graph_, arrays.front()), refusal});
      return false;
    }
    const std::size_t half = arrays.size() / 2;
    const bool has_inlined = try_batch(arrays.first(half));
    return try_batch(arrays.subspan(half)) || has_inlined;
  }

  /// Returns null, or a refusal.
  reason inline_all(std::span<const vertex> arrays) {
    std::optional<candidate> fused = inlined(graph_, arrays, reader_);
    if (!fused) return views_cannot_be_composed;
    if (most_ > 1 && fused->op.primitive->num_steps() > tuning.most_program_steps) {
      return "{reader} with several producers would have more than 128 steps in one program";
    }
    if (const reason refusal = check_cost(graph_, *fused, arrays, reader_, context_.limits)) {
      return refusal;
    }
    put(graph_, reader_, *std::move(fused));
    for (const vertex array : arrays) {
      const vertex producer = producer_of(graph_, array);
      context_.tell(graph_, reader_, [&] {
        return "computes the elements of its producer '" + operation_at(graph_, producer).name +
               "' itself";
      });
      remove(graph_, array);
      remove(graph_, producer);
    }
    return nullptr;
  }

  array_graph& graph_;
  vertex reader_;
  const pass_context& context_;
  /// The most producers of the next batch.
  std::size_t most_ = 1;
  /// One refusal for each computed array that is not inlined.
  std::vector<partner_refusal> refusals_;
};

}  // namespace

void fuse_producers(plan_graph& plan, const pass_context& context) {
  for (const vertex reader : operations_in_order(plan.graph)) {
    producer_inlining(plan.graph, reader, context).run();
  }
}

}  // namespace tessera
