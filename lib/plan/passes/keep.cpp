// SPDX-License-Identifier: Apache-2.0
#include "plan/buffers.hpp"
#include "plan/build.hpp"
#include "plan/cost.hpp"
#include "plan/passes/candidate.hpp"
#include "plan/passes/layers.hpp"
#include "plan/passes/passes.hpp"
#include "plan/passes/rechunk.hpp"
#include "plan/passes/whole_chunks.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {

namespace {

/// A stored array, the operation that reads it first, and those that read it later.
struct array_read_again {
  vertex array;
  vertex first;
  std::vector<vertex> later;
};

/// Returns the operations that read `array`, in the order of their layers.
std::vector<vertex> readers_by_layer(const array_graph& graph, vertex array, const layers& layer) {
  std::vector<vertex> readers = readers_of(graph, array);
  std::stable_sort(readers.begin(), readers.end(),
                   [&](vertex a, vertex b) { return layer[a] < layer[b]; });
  return readers;
}

/// Returns the stored arrays that operations of several layers read.
std::vector<vertex> arrays_read_again(array_graph& graph, const layers& layer) {
  std::vector<vertex> found;
  for (const vertex v : in_order(graph)) {
    if (is_operation(graph, v) || boost::out_degree(v, graph) < 2) continue;
    if (!std::holds_alternative<stored_source>(array_at(graph, v).place)) continue;
    const std::vector<vertex> readers = readers_by_layer(graph, v, layer);
    if (layer[readers.front()] != layer[readers.back()]) found.push_back(v);
  }
  return found;
}

/// An array that its first reader writes into memory, for those in higher layers.
class kept_array {
 public:
  /// The host holds `held` already.
  kept_array(array_graph& graph, array_read_again what, bytes held, const pass_context& context)
      : graph_(graph), what_(std::move(what)), held_(held), context_(context) {
    const planned_array& from = array_at(graph_, what_.array);
    kept_ = {from.type, from.shape, from.chunks, from.name, {}};
    kept_.is_for_memory = true;
  }

  /// Returns why later readers read it where it is stored.
  [[nodiscard]] reason why_not() {
    if (const reason left = why_not_beside()) return left;
    first_ = with_copy();
    if (!first_) return "no primitive does both";
    return why_dearer();
  }

  /// Returns the array in memory.
  vertex apply() {
    const std::size_t num_made = boost::out_degree(what_.first, graph_);
    const vertex kept = add_array(graph_, kept_);
    put(graph_, what_.first, std::move(*first_));
    add_output(graph_, what_.first, kept, num_made);
    context_.tell(graph_, what_.first, [&] {
      return fmt::format("puts '{}' into memory, {}, for {} that read{} it again", kept_.name,
                         format_short(kept_.size()), what_.later.size(),
                         what_.later.size() == 1 ? "s" : "");
    });
    for (const vertex reader : what_.later) {
      few<vertex> inputs = inputs_of(graph_, reader);
      std::replace(inputs.begin(), inputs.end(), what_.array, kept);
      set_inputs(graph_, reader, inputs);
    }
    return kept;
  }

 private:
  /// Returns why the first reader cannot write what it reads besides.
  [[nodiscard]] reason why_not_beside() const {
    const operation& first = operation_at(graph_, what_.first);
    if (first.how.domain != kept_.shape) return "not all of it is read first";
    const few<vertex> inputs = inputs_of(graph_, what_.first);
    bool is_seen = false;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      is_seen = is_seen || (inputs[i] == what_.array && first.operands[i].is_identity());
    }
    if (!is_seen) return "not all of it is read first";
    if (!steps_hold_whole_chunks(first, kept_)) {
      return "steps of what reads it first would cut chunks";
    }
    return nullptr;
  }

  /// Returns the first reader with what it reads as one more result.
  [[nodiscard]] std::optional<candidate> with_copy() const {
    candidate both = candidate_at(graph_, what_.first);
    const operation copy = copy_operation(kept_, both.what.how.block);
    both.what.body = both.what.body->beside(*copy.body, both.inputs.size());
    if (both.what.body == nullptr) return std::nullopt;
    both.inputs.push_back(what_.array);
    both.what.operands.push_back(copy.operands.front());
    both.what.outputs = both.what.body->outputs(both.what.how);
    return unified(std::move(both));
  }

  /// Returns why it would take longer, or more memory than there is.
  [[nodiscard]] reason why_dearer() {
    const vertex kept = add_array(graph_, kept_);
    const reason found = why_dearer_with(kept);
    remove(graph_, kept);
    return found;
  }

  [[nodiscard]] reason why_dearer_with(vertex kept) const {
    const spec& limits = context_.limits;
    few<vertex> made = outputs_of(graph_, what_.first);
    made.push_back(kept);
    const planned_operation first = estimate(graph_, first_->what, first_->inputs, made, limits);
    if (!fits(first, limits)) return too_large(first, limits);
    costs::seconds apart = work_of(estimate(graph_, what_.first, limits));
    costs::seconds together = work_of(first);
    std::vector<const buffer_schedule*> buffers{&first.buffers};
    std::vector<planned_operation> later;
    for (const vertex reader : what_.later) {
      apart += work_of(estimate(graph_, reader, limits));
      few<vertex> inputs = inputs_of(graph_, reader);
      std::replace(inputs.begin(), inputs.end(), what_.array, kept);
      later.push_back(estimate(graph_, operation_at(graph_, reader), inputs,
                               outputs_of(graph_, reader), limits));
      together += work_of(later.back());
    }
    if (together > apart * (1 - least_saving)) return "reading it again takes little";
    for (const planned_operation& one : later) buffers.push_back(&one.buffers);
    return why_no_room(memory_of_tasks(buffers));
  }

  [[nodiscard]] costs::seconds work_of(const planned_operation& planned) const {
    return cost_of(planned, context_.limits.costs, 1).work;
  }

  /// Returns that the host does not hold it beside a task of each worker, and what there is in
  /// memory already.
  [[nodiscard]] reason why_no_room(bytes task) const {
    const plan_workers& workers = *context_.workers;
    const bytes needed =
        held_ + kept_.size() + reserved_on_host(context_.limits, workers) + task * workers.count;
    if (needed <= *context_.limits.host_memory) return nullptr;
    return {"the host has no room for what is read again",
            "{} would be held at once, and {} may be (spec.host_memory)", needed,
            *context_.limits.host_memory};
  }

  array_graph& graph_;
  array_read_again what_;
  bytes held_;
  const pass_context& context_;
  planned_array kept_;
  std::optional<candidate> first_;
};

/// Lets one of the readers of `array` put it into memory, which holds `held` already, for those in
/// higher layers.
void keep_one(plan_graph& plan, vertex array, const layers& layer, bytes& held,
              const pass_context& context) {
  array_graph& graph = plan.graph;
  const std::vector<vertex> readers = readers_by_layer(graph, array, layer);
  for (auto first = readers.begin(); first != readers.end(); ++first) {
    const auto later = std::find_if(first, readers.end(),
                                    [&](vertex reader) { return layer[reader] > layer[*first]; });
    if (later == readers.end()) return;
    kept_array kept(graph, {array, *first, {later, readers.end()}}, held, context);
    const reason left = plan.may_keep ? kept.why_not() : "others need the room for it more";
    if (left == nullptr) {
      plan.kept.push_back(graph[kept.apply()].serial);
      held += array_at(graph, array).size();
      return;
    }
    context.leave(graph, *first, left);
  }
}

}  // namespace

// Later readers stand in higher layers than the first: so nothing goes in a circle.
void keep(plan_graph& plan, const pass_context& context) {
  if (context.workers == nullptr || context.workers->count == 0) return;
  if (!context.limits.host_memory) return;
  const layers layer(plan.graph);
  bytes held = held_in_memory(plan.graph);
  for (const vertex array : arrays_read_again(plan.graph, layer)) {
    keep_one(plan, array, layer, held, context);
  }
}

}  // namespace tessera
