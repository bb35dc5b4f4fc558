// SPDX-License-Identifier: Apache-2.0
/// \file
/// Recomputes an elementwise array in each of its readers, in place of storing it.
///
/// Problem: y = g(x) has several readers, so that `fuse_producers` cannot drop it. If g is cheap,
/// each reader can compute the elements that it needs:
///     x -> [g] -> y -> [f] -> u            x -> [f . g] -> u
///                 y -> [h] -> v            x -> [h . g] -> v
/// Legality: each reader can inline g (`check_inlining`) and its task still fits; y is not
/// requested.
/// Price: work of all readers with g inlined, recomputed elements included, is below the work of g
/// and the readers now. If the host has room for y in memory, y is computed once instead, as x is
/// then read once. If y is stored nevertheless, the search plans again without this exception.
/// Invariant: either all readers inline g, and y and g are removed, or none does.
/// Reference: rematerialization in register allocation (Briggs et al., PLDI 1992).

#include "plan/buffers.hpp"
#include "plan/cost.hpp"
#include "plan/passes/host_room.hpp"
#include "plan/passes/inlining.hpp"
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

/// Tells whether an elementwise primitive copies one operand.
bool computes_nothing(const primitive& body) {
  return body.num_steps() == 0 && body.as_elementwise()->size() == 1;
}

/// Returns the only output of `producer`, if the producer is elementwise and several operations
/// read it; nullopt otherwise.
std::optional<shared_array> shared_by(const array_graph& graph, vertex producer) {
  const primitive& body = *operation_at(graph, producer).primitive;
  // A copy into other chunks is read once by each further copy.
  if (body.as_elementwise() == nullptr || computes_nothing(body)) return std::nullopt;
  if (boost::out_degree(producer, graph) != 1) return std::nullopt;
  const vertex array = outputs_of(graph, producer).front();
  std::vector<vertex> readers = readers_of(graph, array);
  if (readers.size() < 2) return std::nullopt;
  return shared_array{producer, array, std::move(readers)};
}

/// Returns the number of elements of `array` that `reader` computes if it inlines the producer.
double elements_computed(const array_graph& graph, vertex array, vertex reader) {
  const operation& op = operation_at(graph, reader);
  const small_vector<vertex> inputs = inputs_of(graph, reader);
  const task_demand demand = op.primitive->demand(op.schedule, inputs.size());
  double elements = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] != array) continue;
    const operand_demand& operand = demand.operands[i];
    double count = operand.is_whole ? times_computed(op, i) : 1;
    for (std::size_t axis = 0; axis < op.schedule.rank(); ++axis) {
      if (operand.is_whole && !op.operands[i].depends_on(axis)) continue;
      count *= static_cast<double>(op.schedule.domain[axis]);
    }
    elements += count;
  }
  return elements;
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
      if (const reason refusal = check_inlining(graph_, shared_.array, reader, context_.limits))
        return refusal;
      std::optional<candidate> fused = inlined(graph_, shared_.array, reader);
      if (!fused) return views_cannot_be_composed;
      if (const reason refusal = check_pieces(*fused)) return refusal;
      readers_.push_back(unified(std::move(*fused)));
      const planned_operation planned = estimate_of(readers_.back(), reader);
      if (!fits(planned, context_.limits)) return too_large(planned, context_.limits);
      work_without_ += work_of(planned);
      work_with_array_ += work_of(estimate(graph_, reader, context_.limits));
    }
    return check_cost();
  }

  /// Returns the reader that the refusal of `check` names.
  [[nodiscard]] vertex reader() const { return reader_; }

  void apply() {
    const std::string name = operation_at(graph_, shared_.producer).name;
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      put(graph_, shared_.readers[i], std::move(readers_[i]));
      context_.tell(graph_, shared_.readers[i], [&] {
        return fmt::format("computes the elements of '{}' itself, as {} readers do", name,
                           readers_.size());
      });
    }
    remove(graph_, shared_.array);
    remove(graph_, shared_.producer);
  }

 private:
  [[nodiscard]] planned_operation estimate_of(const candidate& fused, vertex reader) const {
    return estimate(graph_, fused.op, fused.inputs, outputs_of(graph_, reader), context_.limits);
  }

  [[nodiscard]] costs::seconds work_of(const planned_operation& planned) const {
    return cost_of(planned, context_.limits.costs, 1).work;
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
    const costs::seconds work_with_array = work_with_array_ + work_of(producer);
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
  std::vector<candidate> readers_;
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
