// SPDX-License-Identifier: Apache-2.0
/// \file
/// Recomputes an elementwise array in each of its readers, in place of storing it.
///
/// Problem: y = g(x) has several readers, so that `fuse_producers` cannot drop it. If g is cheap,
/// each reader can compute the elements that it needs:
///     x -> [g] -> y -> [f] -> u            x -> [f . g] -> u
///                 y -> [h] -> v            x -> [h . g] -> v
/// A reader that takes blocks of y gets a g of its own, which `merge_maps` merges into it.
/// Legality: each reader can inline g (`check_inlining`) or be merged with g (`merged`), and its
/// task still fits; y is not requested.
/// Price: work of all readers with g inlined, recomputed elements included, is below the work of g
/// and the readers now. If the host has room for y in memory, y is computed once instead, as x is
/// then read once. If y is stored nevertheless, the search plans again without this exception.
/// Invariant: either all readers inline g or get it, and y and g are removed, or none does.
/// Reference: rematerialization in register allocation (Briggs et al., PLDI 1992).

#include "core/api/element_count.hpp"
#include "plan/buffers.hpp"
#include "plan/cost.hpp"
#include "plan/passes/host_room.hpp"
#include "plan/passes/inlining.hpp"
#include "plan/passes/merged_views.hpp"
#include "plan/passes/passes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// An output of an elementwise operation, and its readers.
struct shared_array {
  vertex producer;
  vertex array;
  std::vector<vertex> readers;
};

/// Returns the only output of `producer`, if the producer is elementwise and several operations
/// read it; nullopt otherwise.
std::optional<shared_array> shared_by(const array_graph& graph, vertex producer) {
  // A copy into other chunks is read once by each further copy.
  if (!is_map(operation_at(graph, producer))) return std::nullopt;
  if (boost::out_degree(producer, graph) != 1) return std::nullopt;
  const vertex array = outputs_of(graph, producer).front();
  std::vector<vertex> readers = readers_of(graph, array);
  if (readers.size() < 2) return std::nullopt;
  return shared_array{producer, array, std::move(readers)};
}

/// Returns the number of elements of `array` that `reader` computes: one for each position of its
/// domain and view if it inlines the producer. If it takes blocks, its plan counts the elements
/// that overlapping blocks compute again.
double elements_computed(const array_graph& graph, vertex array, vertex reader) {
  const index_vector& extents = is_for_merge_maps(graph, array, reader)
                                    ? array_at(graph, array).shape
                                    : operation_at(graph, reader).schedule.domain;
  const small_vector<vertex> inputs = inputs_of(graph, reader);
  return element_count(extents) *
         static_cast<double>(std::count(inputs.begin(), inputs.end(), array));
}

/// The rewrite of all readers of one array, each with the producer inlined.
class recomputation {
 public:
  /// `room` is the memory of the host for intermediate arrays.
  recomputation(plan_graph& plan, const shared_array& shared, const pass_context& context,
                bytes room)
      : plan_(plan), graph_(plan.graph), shared_(shared), context_(context), room_(room) {}

  /// Returns a refusal if the array is computed once for all readers.
  [[nodiscard]] reason check() {
    const planned_array& array = array_at(graph_, shared_.array);
    if (array.is_requested) {
      return "the output of {op} is a requested result, which is computed in any case";
    }
    if (array.is_materialized) return "the search found a better plan with the output of {op}";
    if (const reason refusal = check_memory_room(array)) return refusal;
    for (const vertex reader : shared_.readers) {
      reader_ = reader;
      const bool is_merged = plan_.merges_maps && is_for_merge_maps(graph_, shared_.array, reader);
      if (const reason refusal = is_merged ? add_merged(reader) : add_inlined(reader)) {
        return refusal;
      }
      work_with_array_ += work_of(estimate(graph_, reader, context_.limits), context_.limits.costs);
    }
    return check_cost();
  }

  /// Returns the reader that the refusal of `check` names.
  [[nodiscard]] vertex reader() const { return reader_; }

  void apply() {
    const std::string name = operation_at(graph_, shared_.producer).name;
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      if (readers_[i]) {
        put(graph_, shared_.readers[i], *std::move(readers_[i]));
      } else {
        add_producer_of(shared_.readers[i]);
      }
      context_.tell(graph_, shared_.readers[i], [&] {
        return fmt::format("computes the elements of '{}' itself, as {} readers do", name,
                           readers_.size());
      });
    }
    remove(graph_, shared_.array);
    remove(graph_, shared_.producer);
  }

 private:
  /// Adds `reader` with the producer inlined. Returns a refusal if it cannot.
  [[nodiscard]] reason add_inlined(vertex reader) {
    if (const reason refusal = check_inlining(graph_, shared_.array, reader, context_.limits))
      return refusal;
    std::optional<candidate> fused = inlined(graph_, {&shared_.array, 1}, reader);
    if (!fused) return views_cannot_be_composed;
    if (const reason refusal = check_pieces(*fused)) return refusal;
    const planned_operation planned = estimate_of(*fused, reader);
    if (!fits(planned, context_.limits)) return too_large(planned, context_.limits);
    work_without_ += work_of(planned, context_.limits.costs);
    readers_.emplace_back(std::move(fused));
    return nullptr;
  }

  /// Adds `reader` with a producer of its own. Returns a refusal if they cannot be merged.
  [[nodiscard]] reason add_merged(vertex reader) {
    const merged_pair pair{shared_.producer, shared_.array, reader};
    reason refusal;
    const auto operation = merged(graph_, pair, context_.limits, refusal);
    if (!operation) return refusal;
    work_without_ += work_of(estimate_when_sized(graph_, *operation, reader, context_.limits),
                             context_.limits.costs);
    readers_.emplace_back();
    return nullptr;
  }

  /// Gives `reader` a producer of its own.
  void add_producer_of(vertex reader) {
    const vertex array = add_array(graph_, planned_array(array_at(graph_, shared_.array)));
    const operation producer = operation_at(graph_, shared_.producer);
    add_operation(graph_, producer, inputs_of(graph_, shared_.producer), {array});
    small_vector<vertex> inputs = inputs_of(graph_, reader);
    std::replace(inputs.begin(), inputs.end(), shared_.array, array);
    set_inputs(graph_, reader, inputs);
  }

  [[nodiscard]] planned_operation estimate_of(const candidate& fused, vertex reader) const {
    return estimate(graph_, fused.op, fused.inputs, outputs_of(graph_, reader), context_.limits);
  }

  /// Returns a refusal if the host may have room for the array: its inputs are then read once.
  [[nodiscard]] reason check_memory_room(const planned_array& array) {
    const std::size_t serial = graph_[shared_.array].serial;
    const auto match = std::ranges::find(plan_.recomputed, serial);
    if (array.size() > room_ || match != plan_.recomputed.end()) return nullptr;
    plan_.left_for_memory.push_back(serial);
    return {"the output of {op} may stay in memory for {partner} and other readers", "{} of {}",
            array.size(), room_};
  }

  /// Returns a refusal if the readers do more work than they and the producer do now.
  [[nodiscard]] reason check_cost() const {
    const planned_operation producer = estimate(graph_, shared_.producer, context_.limits);
    const costs::seconds work_with_array =
        work_with_array_ + work_of(producer, context_.limits.costs);
    const costs::seconds work_without = work_without_ + time_to_recompute(producer.op);
    if (work_without < work_with_array) return nullptr;
    return {
        "recomputation of {op} in {partner} and all other readers would cost more work than it "
        "saves",
        "{} in place of {}", work_without, work_with_array};
  }

  /// Returns an upper bound of the time in which elements are computed repeatedly.
  [[nodiscard]] costs::seconds time_to_recompute(const operation& producer) const {
    double elements = -static_cast<double>(num_elements(array_at(graph_, shared_.array).shape));
    for (const vertex reader : shared_.readers) {
      elements += elements_computed(graph_, shared_.array, reader);
    }
    return context_.limits.costs.element_step *
           (std::max(0.0, elements) * producer.primitive->weight());
  }

  plan_graph& plan_;
  array_graph& graph_;
  const shared_array& shared_;
  const pass_context& context_;
  bytes room_;
  vertex reader_ = shared_.readers.front();
  /// The readers with the producer inlined; nullopt: a reader that gets a producer of its own.
  std::vector<std::optional<candidate>> readers_;
  /// The work of the readers: with the array stored, and with the producer inlined.
  costs::seconds work_with_array_{};
  costs::seconds work_without_{};
};

}  // namespace

// Producers come first in topological order: inlining them changes the readers of their inputs.
void duplicate(plan_graph& plan, const pass_context& context) {
  const bytes room = room_on_host(plan.graph, context);
  for (const vertex producer : operations_in_order(plan.graph)) {
    const std::optional<shared_array> shared = shared_by(plan.graph, producer);
    if (!shared) continue;
    recomputation readers(plan, *shared, context, room);
    if (const reason refusal = readers.check()) {
      context.leave_producer(plan.graph, producer, refusal, readers.reader());
    } else {
      readers.apply();
    }
  }
}

}  // namespace tessera
