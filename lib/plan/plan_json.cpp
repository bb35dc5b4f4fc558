// SPDX-License-Identifier: Apache-2.0
#include "plan/plan_json.hpp"

#include "tessera/core/error.hpp"

#include "json/fields.hpp"
#include "plan/build.hpp"
#include "plan/check_operation.hpp"
#include "plan/memory_elements.hpp"
#include "plan/operation_json.hpp"

#include <map>
#include <vector>

namespace tessera {

namespace {

using nlohmann::json;

/// Whether an operation has to make the elements of an array.
bool is_made(const planned_array& array) {
  return std::holds_alternative<memory_place>(array.place) ||
         std::holds_alternative<stored_place>(array.place);
}

std::vector<std::size_t> parse_numbers(const json& value, std::size_t limit) {
  std::vector<std::size_t> numbers;
  for (const json& item : value.get_ref<const json::array_t&>()) {
    numbers.push_back(fields::number_below(item, limit));
  }
  return numbers;
}

template <class Uses>
json numbers_of(const Uses& uses) {
  json numbers = json::array();
  for (const auto& use : uses) numbers.push_back(use.array);
  return numbers;
}

/// Arrays are there before they are read, and made once.
void check_order(const bounded_plan::implementation& plan, const std::vector<std::size_t>& inputs,
                 const std::vector<std::size_t>& outputs,
                 std::map<std::size_t, std::size_t>& makers) {
  for (const std::size_t input : inputs) {
    if (!is_made(plan.arrays[input]) || makers.contains(input)) continue;
    throw value_error("found an operation that reads an array before it is made");
  }
  for (const std::size_t output : outputs) {
    if (is_made(plan.arrays[output]) && makers.emplace(output, plan.operations.size()).second) {
      continue;
    }
    throw value_error("found an operation that makes an array that is there already");
  }
}

}  // namespace

json plan_json(const bounded_plan::implementation& plan, std::size_t& num_bytes) {
  num_bytes = 0;
  json arrays = json::array();
  for (const planned_array& array : plan.arrays) arrays.push_back(array_json(array, num_bytes));
  json operations = json::array();
  for (const planned_operation& planned : plan.operations) {
    json what = operation_json(planned.what);
    what["reads"] = numbers_of(planned.inputs);
    what["makes"] = numbers_of(planned.outputs);
    operations.push_back(std::move(what));
  }
  return {{"arrays", std::move(arrays)},
          {"operations", std::move(operations)},
          {"outputs", plan.outputs}};
}

void write_memory_elements(const bounded_plan::implementation& plan,
                           const std::function<void(std::span<const std::byte>)>& sink) {
  for (const planned_array& array : plan.arrays) {
    const auto* source = std::get_if<memory_source>(&array.place);
    if (source == nullptr || source->parts != nullptr) continue;
    std::size_t size = 0;
    write_elements(array, [&](std::span<const std::byte> piece) {
      size += piece.size();
      sink(piece);
    });
    const std::vector<std::byte> zeros(aligned_for_elements(size) - size);
    sink(zeros);
  }
}

bounded_plan::implementation parse_plan(const json& value, const file_elements& elements) {
  bounded_plan::implementation plan;
  std::size_t num_intermediates = 0;
  for (const json& array : value.at("arrays").get_ref<const json::array_t&>()) {
    plan.arrays.push_back(parse_array(array, elements, num_intermediates));
  }
  std::map<std::size_t, std::size_t> makers;
  for (const json& item : value.at("operations").get_ref<const json::array_t&>()) {
    operation what = parse_operation(item);
    const auto inputs = parse_numbers(item.at("reads"), plan.arrays.size());
    const auto outputs = parse_numbers(item.at("makes"), plan.arrays.size());
    check_order(plan, inputs, outputs, makers);
    check_operation(what, plan.arrays, inputs, outputs);
    append_operation(plan, std::move(what), inputs, outputs, makers);
    check_buffers(plan.operations.back().buffers);
  }
  plan.outputs = parse_numbers(value.at("outputs"), plan.arrays.size());
  for (std::size_t i = 0; i < plan.arrays.size(); ++i) {
    if (is_made(plan.arrays[i]) != makers.contains(i)) {
      throw value_error("found an array that nothing makes");
    }
  }
  for (const std::size_t output : plan.outputs) {
    if (!is_made(plan.arrays[output])) throw value_error("found an output that nothing makes");
  }
  return plan;
}

}  // namespace tessera
