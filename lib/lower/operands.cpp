// SPDX-License-Identifier: Apache-2.0
#include "lower/operands.hpp"

#include "tessera/core/default_spec.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

namespace tessera {
namespace {

/// The longest text of a program that is an operation's name.
constexpr std::size_t longest_name = 32;

/// Returns the index of `value` in `values`, and appends it first if it is missing.
std::size_t insert_once(std::vector<std::size_t>& values, std::size_t value) {
  const auto match = std::find(values.begin(), values.end(), value);
  if (match != values.end()) return static_cast<std::size_t>(match - values.begin());
  values.push_back(value);
  return values.size() - 1;
}

}  // namespace

std::size_t operand_list::add(const array_view& view) {
  const auto match =
      std::find_if(operands_.begin(), operands_.end(), [&view](const array_view& known) {
        return known.array == view.array && known.map == view.map;
      });
  if (match != operands_.end()) return static_cast<std::size_t>(match - operands_.begin());
  operands_.push_back(view);
  return operands_.size() - 1;
}

piece operand_list::add_piece(const region& box, std::span<const strip_source> sources) {
  std::vector<std::size_t> numbers;
  std::vector<std::vector<std::size_t>> registers;
  for (const strip_source& source : sources) {
    registers.emplace_back();
    for (const array_view& view : source.operands) {
      registers.back().push_back(insert_once(numbers, add(view)));
    }
  }
  strip_program program{
      .num_operands = numbers.size(), .registers = {}, .steps = {}, .results = {}};
  for (const std::size_t operand : numbers) {
    program.registers.push_back(operands_[operand].array->type.number());
  }
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const strip_source& source = sources[i];
    if (source.kernel == nullptr) {
      program.results.push_back(registers[i].front());
      continue;
    }
    program.results.push_back(program.registers.size());
    program.registers.push_back(source.kernel->outputs.front());
    program.steps.push_back(
        {source.kernel, source.parameters, registers[i], {program.results.back()}});
  }
  return {box, std::move(numbers), std::move(program)};
}

std::vector<index_map> operand_list::maps() const {
  std::vector<index_map> maps;
  for (const array_view& view : operands_) maps.push_back(view.map);
  return maps;
}

std::vector<array_handle> operand_list::arrays() const {
  std::vector<array_handle> arrays;
  for (const array_view& view : operands_) arrays.push_back(view.array);
  return arrays;
}

array_handle make_output_array(operation op, std::vector<array_handle> inputs, index_vector shape,
                               index_vector chunks) {
  op.outputs = op.primitive->outputs(op.schedule);
  auto result = std::make_shared<array_node>(array_node{
      op.outputs.front().type, std::move(shape), std::move(chunks), op.name, computed_source{}});
  result->source = computed_source{
      std::make_shared<const operation_node>(operation_node{std::move(op), std::move(inputs)}), 0};
  return result;
}

std::vector<array_handle> make_output_arrays(operation op, std::vector<array_handle> inputs,
                                             const std::vector<index_vector>& chunks) {
  op.outputs = op.primitive->outputs(op.schedule);
  const auto node =
      std::make_shared<const operation_node>(operation_node{std::move(op), std::move(inputs)});
  std::vector<array_handle> arrays;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const output& output_spec = node->op.outputs[i];
    arrays.push_back(std::make_shared<const array_node>(
        array_node{output_spec.type, output_spec.shape(node->op.schedule), chunks[i], node->op.name,
                   computed_source{node, i}}));
  }
  return arrays;
}

index_map map_along(std::size_t rank, const std::vector<std::size_t>& axes) {
  std::vector<axis_map> maps;
  for (const std::size_t axis : axes) maps.emplace_back(axis, 0, 1);
  return {rank, std::move(maps)};
}

std::vector<block_axis> block_axes_along(const std::vector<std::size_t>& axes) {
  std::vector<block_axis> block_axes;
  for (const std::size_t axis : axes) block_axes.push_back({axis});
  return block_axes;
}

spec spec_of_layout(const array_layout& layout) {
  return layout.spec ? *layout.spec : default_spec();
}

bytes task_memory(const spec& limits) {
  return limits.allowed_memory > limits.reserved_memory
             ? limits.allowed_memory - limits.reserved_memory
             : bytes{0};
}

double transfer_memory(double chunk) { return 4 * chunk + 262'144; }

double byte_size(const index_vector& extents, dtype type) {
  double bytes = static_cast<double>(size_of(type));
  for (const index_t extent : extents) bytes *= static_cast<double>(extent);
  return bytes;
}

dtype result_dtype(const strip_source& source) {
  return source.kernel == nullptr ? source.operands.front().array->type.number()
                                  : source.kernel->outputs.front();
}

std::string map_name(std::string_view fallback, const strip_program& program,
                     const operand_list& operands) {
  if (program.steps.empty()) return std::string(fallback);
  std::vector<std::string> names;
  for (const array_handle& array : operands.arrays()) names.push_back(array->name);
  std::string text = describe(program, names);
  if (text.size() > longest_name) return std::string(fallback);
  return text;
}

}  // namespace tessera
