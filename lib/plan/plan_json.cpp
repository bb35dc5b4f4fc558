// SPDX-License-Identifier: Apache-2.0
#include "plan/plan_json.hpp"

#include "tessera/core/error.hpp"

#include "json/fields.hpp"
#include "plan/api/rings.hpp"
#include "plan/build.hpp"
#include "plan/check_operation.hpp"
#include "plan/memory_elements.hpp"
#include "plan/operation_json.hpp"
#include "plan/operation_labels.hpp"
#include "plan/overwriting.hpp"
#include "plan/tuning.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace tessera {

namespace {

using nlohmann::json;

std::vector<std::size_t> parse_numbers(const json& value, std::size_t limit) {
  std::vector<std::size_t> numbers;
  for (const json& item : fields::list(value)) {
    numbers.push_back(fields::number_below(item, limit));
  }
  return numbers;
}

/// Adds the rings of an operation: `value` has the places of each window and each output.
void parse_rings(const json& value, const bounded_plan::implementation& plan,
                 planned_operation& planned) {
  const std::vector<std::size_t> sizes = parse_numbers(value, tuning.most_in_ring + 1);
  const std::size_t num_users = planned.windows.size() + planned.outputs.size();
  if (sizes.size() != num_users) {
    throw value_error(
        fmt::format("found {} rings for {} windows and outputs", sizes.size(), num_users));
  }
  add_rings(plan, planned, sizes);
}

template <class Uses>
json numbers_of(const Uses& uses) {
  json numbers = json::array();
  for (const auto& use : uses) numbers.push_back(use.array);
  return numbers;
}

/// Tells whether an array is available: it is a source, or has a producer already.
bool is_available(const array_graph& graph, vertex array) {
  return !array_at(graph, array).is_computed() || boost::in_degree(array, graph) > 0;
}

/// Throws value_error unless arrays are computed before they are read, and once.
void check_order(const array_graph& graph, const small_vector<vertex>& inputs,
                 const small_vector<vertex>& outputs) {
  for (const vertex input : inputs) {
    if (is_available(graph, input)) continue;
    throw value_error("found an operation that reads an array before it is made");
  }
  const std::set<vertex> written(outputs.begin(), outputs.end());
  const auto is_new = [&](vertex output) { return !is_available(graph, output); };
  if (written.size() < outputs.size() || !std::all_of(written.begin(), written.end(), is_new)) {
    throw value_error("found an operation that makes an array that is there already");
  }
}

small_vector<vertex> select(const std::vector<vertex>& arrays,
                            const std::vector<std::size_t>& numbers) {
  small_vector<vertex> vertices;
  for (const std::size_t i : numbers) vertices.push_back(arrays[i]);
  return vertices;
}

}  // namespace

json plan_json(const bounded_plan::implementation& plan, std::size_t& num_bytes) {
  num_bytes = 0;
  json arrays = json::array();
  for (const planned_array& array : plan.arrays) arrays.push_back(array_json(array, num_bytes));
  json operations = json::array();
  for (const planned_operation& planned : plan.operations) {
    json op = operation_json(planned.op, num_bytes);
    op["inputs"] = numbers_of(planned.inputs);
    op["outputs"] = numbers_of(planned.outputs);
    if (has_rings(planned)) op["rings"] = ring_sizes(planned);
    operations.push_back(std::move(op));
  }
  return {{"arrays", std::move(arrays)},
          {"operations", std::move(operations)},
          {"outputs", plan.outputs}};
}

void write_memory_elements(const bounded_plan::implementation& plan,
                           const std::function<void(std::span<const std::byte>)>& sink) {
  const auto pad = [&sink](std::size_t size) {
    const std::vector<std::byte> zeros(aligned_for_elements(size) - size);
    sink(zeros);
  };
  for (const planned_array& array : plan.arrays) {
    const auto* source = std::get_if<memory_source>(&array.placement);
    if (source == nullptr || source->parts != nullptr) continue;
    std::size_t size = 0;
    write_elements(array, [&](std::span<const std::byte> piece) {
      size += piece.size();
      sink(piece);
    });
    pad(size);
  }
  for (const planned_operation& planned : plan.operations) {
    write_tables(planned.op, [&](std::span<const std::byte> table) {
      sink(table);
      pad(table.size());
    });
  }
}

bounded_plan::implementation parse_plan(const json& value, const file_elements& elements,
                                        const spec& limits) {
  bounded_plan::implementation plan;
  plan.spec = limits;
  plan.graph = std::make_shared<plan_graph>();
  array_graph& graph = plan.graph->graph;
  std::vector<vertex> arrays;
  for (const json& array : fields::list(value.at("arrays"))) {
    arrays.push_back(add_array(graph, parse_array(array, elements)));
    number(plan, arrays.back());
  }
  for (const json& item : fields::list(value.at("operations"))) {
    operation op = parse_operation(item, elements);
    const auto inputs = parse_numbers(item.at("inputs"), plan.arrays.size());
    const auto outputs = parse_numbers(item.at("outputs"), plan.arrays.size());
    const small_vector<vertex> sources = select(arrays, inputs);
    const small_vector<vertex> written = select(arrays, outputs);
    check_order(graph, sources, written);
    check_operation(op, plan.arrays, inputs);
    op.outputs = op.primitive->outputs(op.schedule);
    check_outputs(op, plan.arrays, outputs);
    const vertex v = add_operation(graph, std::move(op), sources, written);
    number(plan, v);
    complete(plan, v);
    if (item.contains("rings")) parse_rings(item.at("rings"), plan, planned_at(graph, v));
    check_buffers(planned_at(graph, v).buffers);
  }
  add_labels(plan);
  for (const vertex array : arrays) {
    if (!is_available(graph, array)) throw value_error("found an array that nothing makes");
  }
  plan.outputs = parse_numbers(value.at("outputs"), plan.arrays.size());
  for (const std::size_t output : plan.outputs) plan.graph->outputs.push_back(arrays[output]);
  for (const std::size_t output : plan.outputs) {
    if (plan.arrays[output].is_computed()) continue;
    throw value_error("found an output that nothing makes");
  }
  order_overwriting(plan);
  return plan;
}

}  // namespace tessera
