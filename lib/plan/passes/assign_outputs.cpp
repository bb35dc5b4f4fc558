// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"

#include "plan/passes/candidate.hpp"
#include "plan/passes/passes.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <unordered_set>
#include <utility>
#include <variant>

namespace tessera {

namespace {

/// Tells whether each block of `chunks` is made of whole chunks of `stored`.
bool is_multiple(const index_vector& chunks, const index_vector& stored,
                 const index_vector& shape) {
  for (std::size_t axis = 0; axis < chunks.size(); ++axis) {
    if (chunks[axis] % stored[axis] != 0 && chunks[axis] < shape[axis]) return false;
  }
  return true;
}

/// Tells whether `maker`, which makes `array`, can make chunks that are made of some of its own.
bool can_make(const array_graph& graph, vertex maker, vertex array, const index_vector& chunks) {
  const operation& what = operation_at(graph, maker);
  const planned_array& made = array_at(graph, array);
  if (what.outputs.size() != 1 || !may_take_larger_blocks(what)) return false;
  const std::vector<output_axis>& axes = what.outputs.front().axes;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const bool is_own = axes[k].is_of_domain() && what.how.block[axes[k].axis] == made.chunks[k];
    if (!is_own) return false;
  }
  return made.chunks != chunks && is_multiple(chunks, made.chunks, made.shape);
}

/// Where `copy` holds, in coarser chunks, what nobody asked for in others, and all who read that
/// can take larger blocks, lets it be made in those chunks, and be read there: levels of a pyramid,
/// each stored in equal chunks, are made of one another.
void make_in_its_chunks(plan_graph& plan, vertex copy) {
  array_graph& graph = plan.graph;
  const vertex copier = maker_of(graph, copy);
  const operation& copying = operation_at(graph, copier);
  if (copying.body->kind() != "copy" || !copying.operands.front().is_identity()) return;
  const vertex array = inputs_of(graph, copier).front();
  const vertex maker = maker_of(graph, array);
  const bool is_asked_for = std::ranges::find(plan.outputs, array) != plan.outputs.end();
  const index_vector chunks = array_at(graph, copy).chunks;
  // The first part of an array is seen through the identity as well.
  const bool is_whole = array_at(graph, array).shape == array_at(graph, copy).shape;
  if (maker == nullptr || is_asked_for || !is_whole) return;
  if (!can_make(graph, maker, array, chunks)) return;
  const std::vector<use_of_array> uses = uses_of(graph, array);
  for (const auto& [reader, position] : uses) {
    if (reader != copier && !may_take_larger_blocks(operation_at(graph, reader))) return;
  }
  operation& what = operation_at(graph, maker);
  const std::vector<output_axis> axes = what.outputs.front().axes;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    what.how.block[axes[k].axis] = what.how.stream[axes[k].axis] = chunks[k];
  }
  for (const auto& [reader, position] : uses) {
    if (reader == copier) continue;
    std::vector<vertex> inputs = inputs_of(graph, reader);
    inputs[position] = copy;
    set_inputs(graph, reader, inputs);
  }
  array_at(graph, copy).name = array_at(graph, array).name;
  remove(graph, copier);
  remove(graph, array);
  add_output(graph, maker, copy, 0);
}

void check(const planned_array& array, const array_destination& to) {
  if (to.shape() == array.shape && to.type() == array.type) return;
  throw value_error(
      fmt::format("store to '{}': the destination holds {} of shape {}, the array is "
                  "{} of shape {}",
                  to.name(), to.type().text(), format_shape(to.shape()), array.type.text(),
                  format_shape(array.shape)));
}

}  // namespace

void assign_outputs(plan_graph& plan, const pass_context& /*context*/) {
  std::set<vertex> in_memory;
  const auto is_stored = [&plan](vertex v) {
    return std::holds_alternative<stored_place>(array_at(plan.graph, v).place);
  };
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    vertex& array = plan.outputs[i];
    const auto& destination = plan.destinations[i];
    const bool is_source = boost::in_degree(array, plan.graph) == 0;
    const index_vector chunks = array_at(plan.graph, array).chunks;
    if (!destination) {
      if (is_source || is_stored(array)) array = add_copy(plan.graph, array, chunks);
      in_memory.insert(array);
      continue;
    }
    const planned_array& wanted = array_at(plan.graph, array);
    check(wanted, *destination);
    const index_vector& written = destination->write_grid().chunks();
    if (is_source || is_stored(array) || in_memory.contains(array) ||
        !is_multiple(chunks, written, wanted.shape)) {
      array = add_copy(plan.graph, array, written);
    }
    array_at(plan.graph, array).chunks = written;
    array_at(plan.graph, array).place = stored_place{destination, false};
  }
  for (const vertex array : plan.outputs) make_in_its_chunks(plan, array);
  // An array whose outputs are all copies of it is an intermediate like any other.
  const std::unordered_set<vertex> outputs(plan.outputs.begin(), plan.outputs.end());
  for (auto [v, last] = boost::vertices(plan.graph); v != last; ++v) {
    if (!is_operation(plan.graph, *v)) {
      array_at(plan.graph, *v).is_requested = outputs.contains(*v);
    }
  }
}

}  // namespace tessera
