// SPDX-License-Identifier: Apache-2.0
/// \file
/// Caches a stored input in the host's memory for operations that read it again later.
///
/// Problem: x is read by g and, in a later layer, by f(x, g(x)). The two cannot be fused, as f
/// needs the whole result of g. x is then read from storage twice. If the host has room for x, its
/// first reader writes it into memory as one more output:
///     x -> [g] -> y                        x -> [g | copy] -> y, x'
///     x, y -> [f] -> z                     x', y -> [f] -> z
/// Legality (`check_applicable`): the first reader reads all of x by the identity, and each of its
/// steps holds whole chunks of x; its primitive takes a copy beside it.
/// Price (`check_cost`): total work falls by `tuning.least_saving_of_copies`; the task fits; x, the
/// arrays that are in memory already, and one task of each worker fit into the host's memory.
/// Invariant: cached readers are in higher layers than the first reader, so that the graph stays
/// acyclic.

#include "plan/buffers.hpp"
#include "plan/build.hpp"
#include "plan/cost.hpp"
#include "plan/passes/candidate.hpp"
#include "plan/passes/layers.hpp"
#include "plan/passes/passes.hpp"
#include "plan/passes/rechunk.hpp"
#include "plan/passes/whole_chunks.hpp"
#include "plan/tuning.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {

namespace {

/// A stored array, its first reader, and its later readers.
struct repeated_read {
  vertex array;
  vertex first;
  std::vector<vertex> later;
};

/// Returns the readers of `array` by ascending layer.
std::vector<vertex> readers_by_layer(const array_graph& graph, vertex array, const layers& layer) {
  std::vector<vertex> readers = readers_of(graph, array);
  std::stable_sort(readers.begin(), readers.end(),
                   [&](vertex a, vertex b) { return layer[a] < layer[b]; });
  return readers;
}

/// Returns the stored arrays with readers in several layers.
std::vector<vertex> find_repeated_reads(array_graph& graph, const layers& layer) {
  std::vector<vertex> arrays;
  for (const vertex v : in_order(graph)) {
    if (is_operation(graph, v) || boost::out_degree(v, graph) < 2) continue;
    if (!std::holds_alternative<stored_source>(array_at(graph, v).placement)) continue;
    const std::vector<vertex> readers = readers_by_layer(graph, v, layer);
    if (layer[readers.front()] != layer[readers.back()]) arrays.push_back(v);
  }
  return arrays;
}

constexpr const char* not_whole =
    "{op} does not read the whole of the input that {partner} reads again";

/// A stored array that its first reader writes into memory, for readers in higher layers.
class cached_array {
 public:
  /// `bytes_in_memory` is the size of the arrays that are in memory already.
  cached_array(array_graph& graph, repeated_read reads, bytes bytes_in_memory,
               const pass_context& context)
      : graph_(graph),
        reads_(std::move(reads)),
        bytes_in_memory_(bytes_in_memory),
        context_(context) {
    const planned_array& from = array_at(graph_, reads_.array);
    cached_ = {from.type, from.shape, from.chunks, from.name, {}};
    cached_.is_for_memory = true;
  }

  /// Returns a refusal if the array stays in storage only.
  [[nodiscard]] reason check() {
    if (const reason refusal = check_applicable()) return refusal;
    first_ = add_copy_output();
    if (!first_)
      return "no primitive computes {op} and copies the input that {partner} reads again";
    return check_cost();
  }

  /// Rewrites the graph, and returns the array in memory.
  vertex apply() {
    const std::size_t num_outputs = boost::out_degree(reads_.first, graph_);
    const vertex cached = add_array(graph_, cached_);
    put(graph_, reads_.first, std::move(*first_));
    add_output(graph_, reads_.first, cached, num_outputs);
    context_.tell(graph_, reads_.first, [&] {
      return fmt::format("copies '{}' into memory, {}, for {} later reader{}", cached_.name,
                         format_short(cached_.size()), reads_.later.size(),
                         reads_.later.size() == 1 ? "" : "s");
    });
    for (const vertex reader : reads_.later) {
      small_vector<vertex> inputs = inputs_of(graph_, reader);
      std::replace(inputs.begin(), inputs.end(), reads_.array, cached);
      set_inputs(graph_, reader, inputs);
    }
    return cached;
  }

 private:
  /// Returns a refusal if the first reader cannot write the array as one more output.
  [[nodiscard]] reason check_applicable() const {
    const operation& first = operation_at(graph_, reads_.first);
    if (first.schedule.domain != cached_.shape) return not_whole;
    const small_vector<vertex> inputs = inputs_of(graph_, reads_.first);
    bool reads_whole = false;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      reads_whole = reads_whole || (inputs[i] == reads_.array && first.operands[i].is_identity());
    }
    if (!reads_whole) return not_whole;
    if (!steps_hold_whole_chunks(first, cached_)) {
      return "steps of {op} would cut chunks of the input that {partner} reads again";
    }
    return nullptr;
  }

  /// Returns the first reader with the array as one more output.
  [[nodiscard]] std::optional<candidate> add_copy_output() const {
    candidate fused = candidate_at(graph_, reads_.first);
    const operation copy = copy_operation(cached_, fused.op.schedule.block);
    fused.op.primitive = fused.op.primitive->beside(*copy.primitive, fused.inputs.size());
    if (fused.op.primitive == nullptr) return std::nullopt;
    fused.inputs.push_back(reads_.array);
    fused.op.operands.push_back(copy.operands.front());
    fused.op.outputs = fused.op.primitive->outputs(fused.op.schedule);
    return unified(std::move(fused));
  }

  /// Returns a refusal if caching does not save work, or needs more memory than there is.
  [[nodiscard]] reason check_cost() {
    const vertex cached = add_array(graph_, cached_);
    const reason refusal = check_cost_with(cached);
    remove(graph_, cached);
    return refusal;
  }

  [[nodiscard]] reason check_cost_with(vertex cached) const {
    const spec& limits = context_.limits;
    small_vector<vertex> outputs = outputs_of(graph_, reads_.first);
    outputs.push_back(cached);
    const planned_operation first = estimate(graph_, first_->op, first_->inputs, outputs, limits);
    if (!fits(first, limits)) return too_large(first, limits);
    costs::seconds work_without = work_of(estimate(graph_, reads_.first, limits), limits.costs);
    costs::seconds work_with_cache = work_of(first, limits.costs);
    std::vector<const buffer_schedule*> buffers{&first.buffers};
    std::vector<planned_operation> later;
    for (const vertex reader : reads_.later) {
      work_without += work_of(estimate(graph_, reader, limits), limits.costs);
      small_vector<vertex> inputs = inputs_of(graph_, reader);
      std::replace(inputs.begin(), inputs.end(), reads_.array, cached);
      later.push_back(estimate(graph_, operation_at(graph_, reader), inputs,
                               outputs_of(graph_, reader), limits));
      work_with_cache += work_of(later.back(), limits.costs);
    }
    if (work_with_cache > work_without * (1 - tuning.least_saving_of_copies)) {
      return {"caching the input that {partner} reads again saves little work", "{} in place of {}",
              work_with_cache, work_without};
    }
    for (const planned_operation& planned : later) buffers.push_back(&planned.buffers);
    return check_room(memory_of_tasks(buffers));
  }

  /// Returns a refusal if the host's memory cannot hold the array beside a task of each worker and
  /// the arrays that are in memory already.
  [[nodiscard]] reason check_room(bytes task) const {
    const plan_workers& workers = *context_.workers;
    const bytes needed = bytes_in_memory_ + cached_.size() +
                         reserved_on_host(context_.limits, workers) + task * workers.count;
    if (needed <= *context_.limits.host_memory) return nullptr;
    return {"the host has no room to cache the input of {op} that {partner} reads again",
            "{} would be held at once, and {} may be (spec.host_memory)", needed,
            *context_.limits.host_memory};
  }

  array_graph& graph_;
  repeated_read reads_;
  bytes bytes_in_memory_;
  const pass_context& context_;
  planned_array cached_;
  std::optional<candidate> first_;
};

/// Caches `array` at the first of its readers that allows it, and adds its size to
/// `bytes_in_memory`.
void cache_one(plan_graph& plan, vertex array, const layers& layer, bytes& bytes_in_memory,
               const pass_context& context) {
  array_graph& graph = plan.graph;
  const std::vector<vertex> readers = readers_by_layer(graph, array, layer);
  for (auto first = readers.begin(); first != readers.end(); ++first) {
    const auto later = std::find_if(first, readers.end(),
                                    [&](vertex reader) { return layer[reader] > layer[*first]; });
    if (later == readers.end()) return;
    cached_array cached(graph, {array, *first, {later, readers.end()}}, bytes_in_memory, context);
    const reason refusal =
        plan.may_keep ? cached.check()
                      : "other arrays make better use of the host's memory than the input of {op} "
                        "that {partner} reads again";
    if (refusal == nullptr) {
      plan.kept.push_back(graph[cached.apply()].serial);
      bytes_in_memory += array_at(graph, array).size();
      return;
    }
    context.leave(graph, *first, refusal, *later);
  }
}

}  // namespace

void keep(plan_graph& plan, const pass_context& context) {
  if (context.workers == nullptr || context.workers->count == 0) return;
  if (!context.limits.host_memory) return;
  const layers layer(plan.graph);
  bytes bytes_in_memory = count_bytes_in_memory(plan.graph);
  for (const vertex array : find_repeated_reads(plan.graph, layer)) {
    cache_one(plan, array, layer, bytes_in_memory, context);
  }
}

}  // namespace tessera
