// SPDX-License-Identifier: Apache-2.0
/// \file
/// Gives each requested output an array of its own that an operation computes.
///
/// A requested array may be a source, may be requested for two destinations, or may have chunks
/// that straddle those of its destination. In each of these cases a copy operation is added, and
/// its output takes the place of the requested array. Afterwards each output has one destination
/// and one producer whose blocks hold whole chunks of it.
/// This pass cannot be switched off: later passes and tasks rely on its result.

#include "tessera/core/error.hpp"

#include "plan/passes/passes.hpp"
#include "plan/passes/whole_chunks.hpp"

#include <fmt/format.h>
#include <set>
#include <unordered_set>
#include <utility>
#include <variant>

namespace tessera {

namespace {

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
    return std::holds_alternative<stored_placement>(array_at(plan.graph, v).placement);
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
        !holds_whole_chunks(chunks, wanted.shape, written)) {
      array = add_copy(plan.graph, array, written);
    }
    array_at(plan.graph, array).chunks = written;
    array_at(plan.graph, array).placement = stored_placement{destination, false};
  }
  // An array that only copies of it were requested for is an intermediate array.
  const std::unordered_set<vertex> outputs(plan.outputs.begin(), plan.outputs.end());
  for (auto [v, last] = boost::vertices(plan.graph); v != last; ++v) {
    if (!is_operation(plan.graph, *v)) {
      array_at(plan.graph, *v).is_requested = outputs.contains(*v);
    }
  }
}

}  // namespace tessera
