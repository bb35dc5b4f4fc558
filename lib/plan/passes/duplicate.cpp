// SPDX-License-Identifier: Apache-2.0
#include "plan/buffers.hpp"
#include "plan/build.hpp"
#include "plan/cost.hpp"
#include "plan/passes/inlining.hpp"
#include "plan/passes/passes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// An array that is made element by element, and the operations that read it.
struct shared_array {
  vertex maker;
  vertex array;
  std::vector<vertex> readers;
};

/// Tells whether nothing is computed, and nothing put together.
bool is_copy(const primitive& body) {
  return body.num_steps() == 0 && body.as_elementwise()->size() == 1;
}

/// Returns what `maker` makes, if it makes one array of which several operations read.
std::optional<shared_array> shared_by(const array_graph& graph, vertex maker) {
  const primitive& body = *operation_at(graph, maker).body;
  // A copy in other chunks is read once by what copies it further.
  if (body.as_elementwise() == nullptr || is_copy(body)) return std::nullopt;
  if (boost::out_degree(maker, graph) != 1) return std::nullopt;
  const vertex array = outputs_of(graph, maker).front();
  std::vector<vertex> readers = readers_of(graph, array);
  if (readers.size() < 2) return std::nullopt;
  return shared_array{maker, array, std::move(readers)};
}

/// Returns how many elements of `array` a reader would compute that computes them by itself.
double elements_computed(const array_graph& graph, vertex array, vertex reader) {
  const operation& what = operation_at(graph, reader);
  const few<vertex> inputs = inputs_of(graph, reader);
  const task_demand needs = what.body->demand(what.how, inputs.size());
  double all = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] != array) continue;
    const operand_demand& needed = needs.operands[i];
    double count = needed.is_whole ? times_computed(what, i) : 1;
    for (std::size_t axis = 0; axis < what.how.rank(); ++axis) {
      if (needed.is_whole && !what.operands[i].depends_on(axis)) continue;
      count *= static_cast<double>(what.how.domain[axis]);
    }
    all += count;
  }
  return all;
}

/// The readers of an array, each of which computes by itself what it reads of it.
class duplicated {
 public:
  /// The host may have `room` for arrays between operations.
  duplicated(array_graph& graph, const shared_array& shared, const pass_context& context,
             bytes room)
      : graph_(graph), shared_(shared), context_(context), room_(room) {}

  /// Returns why it is made once, for all of them.
  [[nodiscard]] reason why_not() {
    const planned_array& array = array_at(graph_, shared_.array);
    if (array.is_requested) return "what it makes is asked for";
    if (const reason left = why_in_memory(array)) return left;
    for (const vertex reader : shared_.readers) {
      if (const reason left = why_not_inline(graph_, shared_.array, reader, context_.limits))
        return left;
      std::optional<candidate> one = inlined(graph_, shared_.array, reader);
      if (!one) return "a reader sees across the parts of what it reads";
      if (const reason left = why_in_pieces(*one)) return left;
      readers_.push_back(unified(std::move(*one)));
      const planned_operation after = estimate_of(readers_.back(), reader);
      if (!fits(after, context_.limits)) return too_large(after, context_.limits);
      together_ += work_of(after);
      apart_ += work_of(estimate(graph_, reader, context_.limits));
    }
    return why_dearer();
  }

  void apply() {
    const std::string name = operation_at(graph_, shared_.maker).name;
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      put(graph_, shared_.readers[i], std::move(readers_[i]));
      context_.tell(graph_, shared_.readers[i], [&] {
        return fmt::format("computes what '{}' made on the way, as {} of its readers do", name,
                           readers_.size());
      });
    }
    remove(graph_, shared_.array);
    remove(graph_, shared_.maker);
  }

 private:
  [[nodiscard]] planned_operation estimate_of(const candidate& one, vertex reader) const {
    return estimate(graph_, one.what, one.inputs, outputs_of(graph_, reader), context_.limits);
  }

  [[nodiscard]] costs::seconds work_of(const planned_operation& planned) const {
    return cost_of(planned, context_.limits.costs, 1).work;
  }

  /// Returns that the host may have room for the array: what it is made of is read once then.
  [[nodiscard]] reason why_in_memory(const planned_array& array) const {
    if (array.size() > room_) return nullptr;
    return {"what it makes may stay in memory", "{} of {}", array.size(), room_};
  }

  /// Returns why all of them do more work than they do now, with what makes the array.
  [[nodiscard]] reason why_dearer() const {
    const planned_operation maker = estimate(graph_, shared_.maker, context_.limits);
    const costs::seconds apart = apart_ + work_of(maker);
    const costs::seconds together = together_ + more_computing(maker.what);
    return together < apart ? nullptr : "its readers would do more work than it saves";
  }

  /// Returns what computing elements several times takes at most.
  [[nodiscard]] costs::seconds more_computing(const operation& maker) const {
    double elements = -static_cast<double>(num_elements(array_at(graph_, shared_.array).shape));
    for (const vertex reader : shared_.readers) {
      elements += elements_computed(graph_, shared_.array, reader);
    }
    return context_.limits.costs.element_step * (std::max(0.0, elements) * maker.body->weight());
  }

  array_graph& graph_;
  const shared_array& shared_;
  const pass_context& context_;
  bytes room_;
  std::vector<candidate> readers_;
  /// What the readers do, with the array and without it.
  costs::seconds apart_{};
  costs::seconds together_{};
};

/// Returns how much a host may have between operations.
bytes room_on_host(const pass_context& context) {
  if (context.workers == nullptr) return {};
  return host_limit(context.limits, *context.workers, context.limits.allowed_memory, {});
}

}  // namespace

// What is made first is looked at first: what it is made of is then read by fewer.
void duplicate(plan_graph& plan, const pass_context& context) {
  const bytes room = room_on_host(context);
  for (const vertex maker : operations_in_order(plan.graph)) {
    const std::optional<shared_array> shared = shared_by(plan.graph, maker);
    if (!shared) continue;
    duplicated readers(plan.graph, *shared, context, room);
    if (const reason left = readers.why_not()) {
      context.leave(plan.graph, maker, left);
    } else {
      readers.apply();
    }
  }
}

}  // namespace tessera
