// SPDX-License-Identifier: Apache-2.0
#include "plan/buffers.hpp"
#include "plan/passes/candidate.hpp"
#include "plan/passes/inlining.hpp"
#include "plan/passes/passes.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// What a function that sees around its blocks reads again, of what is read at all, where what it
/// takes need not be kept.
constexpr double most_read_again = 0.25;

/// Views of one array that an operation reads at most. A stencil that is applied k times has O(k^d)
/// of them, and a price takes time in proportion.
constexpr std::size_t most_views = 128;
constexpr const char* too_many_views = "an operation reads at most 128 views of an input";

/// Returns how often the input that is read through the most views is among `inputs`.
std::size_t views_of_one(few<vertex> inputs) {
  std::ranges::sort(inputs);
  std::size_t most = 0;
  for (auto first = inputs.begin(); first != inputs.end();) {
    const auto last = std::upper_bound(first, inputs.end(), *first);
    most = std::max(most, static_cast<std::size_t>(last - first));
    first = last;
  }
  return most;
}

/// Returns how many views of one array the producer of `array` adds to `reader`: as many as it has
/// for each view of `array`.
std::size_t views_when_inlined(const array_graph& graph, vertex array, vertex reader) {
  const few<vertex> inputs = inputs_of(graph, reader);
  const auto views = static_cast<std::size_t>(std::count(inputs.begin(), inputs.end(), array));
  return views * views_of_one(inputs_of(graph, maker_of(graph, array)));
}

/// Tells whether `reader` sees `array` through a gather.
bool gathers(const array_graph& graph, vertex reader, vertex array) {
  const few<vertex> inputs = inputs_of(graph, reader);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const index_map& map = operation_at(graph, reader).operands[i];
    if (inputs[i] == array && map.behind() != nullptr) return true;
  }
  return false;
}

/// Returns what `one`, which makes what `maker` makes, costs in the blocks that it will have.
planned_operation estimate_when_sized(const array_graph& graph, candidate& one, vertex maker,
                                      const spec& limits) {
  const few<vertex> outputs = outputs_of(graph, maker);
  one.what.how = walk_when_sized(graph, one.what, one.inputs, outputs, limits);
  return estimate(graph, one.what, one.inputs, outputs, limits);
}

planned_operation estimate_when_sized(const array_graph& graph, vertex v, const spec& limits) {
  candidate one = candidate_at(graph, v);
  return estimate_when_sized(graph, one, v, limits);
}

/// Returns how long reading all that `one` reads takes.
costs::seconds to_read(const planned_operation& one, const costs& figures) {
  return figures.to_read(static_cast<double>(one.bytes_read.count()),
                         static_cast<double>(one.chunk_reads));
}

/// Returns how long it takes to store `array`, which `producer` makes, and to read it again.
costs::seconds to_keep(const planned_array& array, const planned_operation& producer,
                       const costs& figures) {
  const auto size = static_cast<double>(array.size().count());
  const auto requests = static_cast<double>(producer.chunk_writes);
  if (producer.bytes_written > bytes{}) {
    return figures.to_write(size, requests) + figures.to_read(size, requests);
  }
  return costs::seconds{2 * size / static_cast<double>(figures.memory_bandwidth.count())};
}

/// Returns why computing blocks of `array` again and again takes longer than storing it does.
reason why_computed_once(const array_graph& graph, vertex array, vertex reader,
                         const planned_operation& producer, const costs& figures) {
  const operation& what = operation_at(graph, reader);
  const few<vertex> inputs = inputs_of(graph, reader);
  const task_demand needs = what.body->demand(what.how, inputs.size());
  double times = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == array && needs.operands[i].is_whole) times += times_computed(what, i);
  }
  if (times <= 1) return nullptr;
  const planned_array& made = array_at(graph, array);
  const costs::seconds stored = to_keep(made, producer, figures);
  const double steps = producer.what.body->weight();
  const auto elements = static_cast<double>(num_elements(made.shape));
  if (figures.element_step * (steps * elements * (times - 1)) <= stored) return nullptr;
  return "blocks would be computed again and again";
}

/// Tells whether `reader` takes all of a block of `array` at once.
bool takes_blocks(const array_graph& graph, vertex array, vertex reader) {
  const few<vertex> inputs = inputs_of(graph, reader);
  const operation& what = operation_at(graph, reader);
  const task_demand needs = what.body->demand(what.how, inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == array && needs.operands[i].is_whole) return true;
  }
  return false;
}

/// Tells whether `reader` takes with a block of `array` what lies around it.
bool sees_around(const array_graph& graph, vertex array, vertex reader) {
  const few<vertex> inputs = inputs_of(graph, reader);
  const operation& what = operation_at(graph, reader);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] != array) continue;
    const std::vector<axis_map>& axes = what.operands[i].axes();
    const auto is_window = [](const axis_map& map) { return map.terms().size() > 1; };
    if (std::any_of(axes.begin(), axes.end(), is_window)) return true;
  }
  return false;
}

/// Returns what is stored, or made, of all that an operation reads.
bytes size_of_inputs(const array_graph& graph, vertex operation) {
  bytes size{};
  for (const vertex input : inputs_of(graph, operation)) {
    if (!is_generated(graph, input)) size += array_at(graph, input).size();
  }
  return size;
}

/// Tells whether `fused`, which computes `array` in place, costs more than `reader` and what makes
/// that, all in the blocks that they will have.
bool is_dearer_when_sized(const array_graph& graph, const planned_operation& fused, vertex array,
                          vertex reader, const spec& limits) {
  const vertex maker = maker_of(graph, array);
  const bytes written = estimate(graph, maker, limits).bytes_written;
  const planned_operation sized_reader = estimate_when_sized(graph, reader, limits);
  const planned_operation sized_maker = estimate_when_sized(graph, maker, limits);
  if (!takes_blocks(graph, array, reader)) {
    return fused.bytes_read > sized_reader.bytes_read + sized_maker.bytes_read + written;
  }
  const costs& figures = limits.costs;
  // What is stored is among what the reader reads.
  const costs::seconds kept = written > bytes{}
                                  ? figures.to_write(static_cast<double>(written.count()),
                                                     static_cast<double>(sized_maker.chunk_writes))
                                  : to_keep(array_at(graph, array), sized_maker, figures);
  const costs::seconds before =
      to_read(sized_reader, figures) + to_read(sized_maker, figures) + kept;
  const double again = sees_around(graph, array, reader) ? most_read_again : 0;
  return to_read(fused, figures) > before * (1 + again);
}

/// Returns why `after`, which computes `array` in place, costs more than `reader` and what makes
/// that.
///
/// Where halos are large beside its blocks, it gets larger ones.
reason why_dearer(const array_graph& graph, candidate& after, vertex array, vertex reader,
                  const spec& limits) {
  if (views_of_one(after.inputs) > most_views) return too_many_views;
  if (const reason why_not = why_in_pieces(after)) return why_not;
  const planned_operation old_reader = estimate(graph, reader, limits);
  const planned_operation old_producer = estimate(graph, maker_of(graph, array), limits);
  if (const reason why_not = why_computed_once(graph, array, reader, old_producer, limits.costs)) {
    return why_not;
  }
  planned_operation fused =
      estimate(graph, after.what, after.inputs, outputs_of(graph, reader), limits);
  if (!fits(fused, limits) && takes_blocks(graph, array, reader) &&
      size_of_inputs(graph, maker_of(graph, array)) > array_at(graph, array).size()) {
    return "what its blocks are computed of, which are cut, is more than they are";
  }
  const bytes moved_before =
      old_reader.bytes_read + old_producer.bytes_read + old_producer.bytes_written;
  if (fused.bytes_read > moved_before) {
    const reason why_not = reads_more(fused.bytes_read, moved_before);
    fused = estimate_when_sized(graph, after, reader, limits);
    if (is_dearer_when_sized(graph, fused, array, reader, limits)) return why_not;
  }
  // Between an array and what gathers it, a copy may be read in chunks that suit.
  const bool is_copy = operation_at(graph, maker_of(graph, array)).body->num_steps() == 0;
  const bytes read_before = std::max(old_reader.bytes_read, array_at(graph, array).size());
  if (is_copy && gathers(graph, reader, array) && fused.bytes_read > read_before * 3) {
    return {"chunks would be read again and again", "{} in place of {}", fused.bytes_read,
            read_before};
  }
  return why_too_large(graph, after, fused, array, reader, limits);
}

/// Returns why `array` may not be dropped, and computed by `reader` alone.
reason why_not_into(const array_graph& graph, vertex array, vertex reader, const spec& limits) {
  if (is_search_over(graph)) return search_is_over;
  // Before equal views are unified, a stencil of a stencil has about three times as many.
  if (views_when_inlined(graph, array, reader) > 3 * most_views) return too_many_views;
  if (array_at(graph, array).is_requested) return "what it reads is asked for";
  if (!has_one_reader(graph, array)) return "others read what it reads";
  return why_not_inline(graph, array, reader, limits);
}

/// Takes the producer of one array that `reader` reads into it. Returns false, and sets `left` to
/// why each of them is left, where there is none.
bool fuse_one(array_graph& graph, vertex reader, const pass_context& context,
              std::vector<reason>& left) {
  left.clear();
  for (const vertex array : inputs_of(graph, reader)) {
    if (boost::in_degree(array, graph) == 0) continue;
    reason why_not = why_not_into(graph, array, reader, context.limits);
    if (why_not == nullptr) {
      std::optional<candidate> fused = inlined(graph, array, reader);
      if (fused) fused = unified(*std::move(fused));
      why_not = fused ? why_dearer(graph, *fused, array, reader, context.limits)
                      : reason("it sees across the parts of what it reads");
      if (why_not == nullptr) {
        const vertex producer = maker_of(graph, array);
        put(graph, reader, *std::move(fused));
        context.tell(graph, reader, [&] {
          return "computes what '" + operation_at(graph, producer).name + "' made on the way";
        });
        remove(graph, array);
        remove(graph, producer);
        return true;
      }
    }
    left.push_back(why_not);
  }
  return false;
}

}  // namespace

void fuse_producers(plan_graph& plan, const pass_context& context) {
  std::vector<reason> left;
  // Readers come after what they read, so that a chain collapses into its last operation.
  for (const vertex reader : operations_in_order(plan.graph)) {
    while (fuse_one(plan.graph, reader, context, left)) {
    }
    for (const reason& why_not : left) context.leave(plan.graph, reader, why_not);
  }
}

}  // namespace tessera
