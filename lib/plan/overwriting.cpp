// SPDX-License-Identifier: Apache-2.0
#include "plan/overwriting.hpp"

#include "core/api/array_kinds.hpp"
#include "core/api/overwriting.hpp"
#include "plan/api/planned.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <variant>

namespace tessera {

namespace {

using locations = std::unordered_set<std::string>;

/// Returns the location of the array that `array`, a result, overwrites if it is a source as well.
std::optional<std::string> overwritten_location(const planned_array& array) {
  const auto* stored = std::get_if<stored_placement>(&array.placement);
  if (stored == nullptr || stored->is_intermediate) return std::nullopt;
  const auto* to = dynamic_cast<const overwriting_destination*>(stored->to.get());
  return to == nullptr ? std::nullopt : to->overwritten_location();
}

std::optional<std::string> location_of_source(const planned_array& array) {
  const auto* stored = std::get_if<stored_source>(&array.placement);
  if (stored == nullptr) return std::nullopt;
  const auto* source = dynamic_cast<const overwritable_source*>(stored->array.get());
  return source == nullptr ? std::nullopt : source->location();
}

bool is_intermediate(const planned_array& array) {
  const auto* stored = std::get_if<stored_placement>(&array.placement);
  return stored != nullptr && stored->is_intermediate;
}

/// Returns the locations that are both read and written. Most plans have stored results and stored
/// sources, but in different arrays.
template <class Arrays>
locations overwritten_locations(const Arrays& arrays) {
  locations written;
  for (const planned_array& array : arrays) {
    if (auto location = overwritten_location(array)) written.insert(*std::move(location));
  }
  locations overwritten;
  if (written.empty()) return overwritten;
  for (const planned_array& array : arrays) {
    auto location = location_of_source(array);
    if (location && written.contains(*location)) overwritten.insert(*std::move(location));
  }
  return overwritten;
}

bool overwrites(const planned_array& result, const locations& overwritten) {
  const auto location = overwritten_location(result);
  return location && overwritten.contains(*location);
}

void put_to_storage(planned_array& array, const spec& limits) {
  array.placement =
      stored_placement{make_intermediate(0, array.type, array.shape, array.chunks, limits), true};
}

/// The arrays of a graph.
class arrays_of_graph {
 public:
  explicit arrays_of_graph(const array_graph& graph) {
    for (auto [v, last] = boost::vertices(graph); v != last; ++v) {
      if (!is_operation(graph, *v)) arrays_.push_back(array_at(graph, *v));
    }
  }
  [[nodiscard]] auto begin() const { return arrays_.begin(); }
  [[nodiscard]] auto end() const { return arrays_.end(); }

 private:
  std::vector<std::reference_wrapper<const planned_array>> arrays_;
};

/// Tells whether operation `v` is a copy of `stage_overwriting`.
bool is_overwriting(const array_graph& graph, vertex v, const locations& overwritten) {
  const small_vector<vertex> inputs = inputs_of(graph, v);
  const small_vector<vertex> outputs = outputs_of(graph, v);
  return std::any_of(
             outputs.begin(), outputs.end(),
             [&](vertex array) { return overwrites(array_at(graph, array), overwritten); }) &&
         std::all_of(inputs.begin(), inputs.end(),
                     [&](vertex array) { return is_intermediate(array_at(graph, array)); });
}

}  // namespace

std::vector<bool> overwriting_operations(const bounded_plan::implementation& plan) {
  const locations overwritten = overwritten_locations(plan.arrays);
  std::vector<bool> are_overwriting(plan.operations.size(), false);
  if (overwritten.empty()) return are_overwriting;
  for (std::size_t i = 0; i < plan.operations.size(); ++i) {
    const planned_operation& planned = plan.operations[i];
    are_overwriting[i] = std::any_of(planned.outputs.begin(), planned.outputs.end(),
                                     [&](const planned_result& output) {
                                       return overwrites(plan.arrays[output.array], overwritten);
                                     }) &&
                         std::all_of(planned.inputs.begin(), planned.inputs.end(),
                                     [&](const planned_operand& input) {
                                       return is_intermediate(plan.arrays[input.array]);
                                     });
  }
  return are_overwriting;
}

void stage_overwriting(plan_graph& plan, const spec& limits) {
  const locations overwritten = overwritten_locations(arrays_of_graph(plan.graph));
  if (overwritten.empty()) return;
  for (vertex& output : plan.outputs) {
    planned_array& result = array_at(plan.graph, output);
    if (result.is_open()) put_to_storage(result, limits);
    if (!overwrites(result, overwritten)) continue;
    const vertex copy = add_copy(plan.graph, output, result.chunks);
    array_at(plan.graph, copy).placement = result.placement;
    array_at(plan.graph, copy).is_requested = true;
    result.is_requested = false;
    put_to_storage(result, limits);
    output = copy;
  }
}

void move_overwriting_back(const plan_graph& plan, std::vector<vertex>& order) {
  const array_graph& graph = plan.graph;
  const locations overwritten = overwritten_locations(arrays_of_graph(graph));
  if (overwritten.empty()) return;
  std::stable_partition(order.begin(), order.end(), [&](vertex v) {
    const vertex op = is_operation(graph, v) ? v : producer_of(graph, v);
    return op == array_graph::null_vertex() || !is_overwriting(graph, op, overwritten);
  });
}

void order_overwriting(bounded_plan::implementation& plan) {
  const std::vector<bool> are_overwriting = overwriting_operations(plan);
  if (std::ranges::find(are_overwriting, true) == are_overwriting.end()) return;
  const locations overwritten = overwritten_locations(plan.arrays);
  std::vector<bool> is_awaited(plan.arrays.size(), false);
  for (const std::size_t output : plan.outputs) is_awaited[output] = true;
  for (std::size_t i = 0; i < plan.operations.size(); ++i) {
    if (!are_overwriting[i]) continue;
    for (const planned_operand& input : plan.operations[i].inputs) is_awaited[input.array] = true;
  }
  const auto reads_overwritten = [&](const planned_operand& input) {
    const auto location = location_of_source(plan.arrays[input.array]);
    return location && overwritten.contains(*location);
  };
  std::vector<std::size_t> predecessors;
  for (std::size_t i = 0; i < plan.operations.size(); ++i) {
    const planned_operation& planned = plan.operations[i];
    const bool comes_before =
        std::ranges::any_of(planned.outputs,
                            [&](const auto& output) { return is_awaited[output.array]; }) ||
        std::ranges::any_of(planned.inputs, reads_overwritten);
    if (comes_before && !are_overwriting[i]) predecessors.push_back(i);
  }
  for (std::size_t i = 0; i < plan.operations.size(); ++i) {
    if (are_overwriting[i]) plan.operations[i].after = predecessors;
  }
}

}  // namespace tessera
