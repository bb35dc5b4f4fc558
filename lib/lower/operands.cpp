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

/// Returns the place of `value` in `values`, where it is put if it is not there.
std::size_t place_of(std::vector<std::size_t>& values, std::size_t value) {
  const auto found = std::find(values.begin(), values.end(), value);
  if (found != values.end()) return static_cast<std::size_t>(found - values.begin());
  values.push_back(value);
  return values.size() - 1;
}

}  // namespace

std::size_t operand_list::add(const array_view& view) {
  const auto found =
      std::find_if(operands_.begin(), operands_.end(), [&view](const array_view& known) {
        return known.array == view.array && known.map == view.map;
      });
  if (found != operands_.end()) return static_cast<std::size_t>(found - operands_.begin());
  operands_.push_back(view);
  return operands_.size() - 1;
}

piece operand_list::add_piece(const region& where, std::span<const strip_source> sources) {
  piece made{where, {}, {}};
  std::vector<std::vector<std::size_t>> registers;
  for (const strip_source& source : sources) {
    registers.emplace_back();
    for (const array_view& view : source.operands) {
      registers.back().push_back(place_of(made.operands, add(view)));
    }
  }
  strip_program& program = made.program;
  program.num_operands = made.operands.size();
  for (const std::size_t operand : made.operands) {
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
  return made;
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

array_handle array_made_by(operation what, std::vector<array_handle> inputs, index_vector shape,
                           index_vector chunks) {
  what.outputs = what.body->outputs(what.how);
  auto result =
      std::make_shared<array_node>(array_node{what.outputs.front().type, std::move(shape),
                                              std::move(chunks), what.name, computed_source{}});
  result->source = computed_source{
      std::make_shared<const operation_node>(operation_node{std::move(what), std::move(inputs)}),
      0};
  return result;
}

std::vector<array_handle> arrays_made_by(operation what, std::vector<array_handle> inputs,
                                         const std::vector<index_vector>& chunks) {
  what.outputs = what.body->outputs(what.how);
  const auto node =
      std::make_shared<const operation_node>(operation_node{std::move(what), std::move(inputs)});
  std::vector<array_handle> made;
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    const output& each = node->what.outputs[i];
    made.push_back(std::make_shared<const array_node>(
        array_node{each.type, each.shape(node->what.how), chunks[i], node->what.name,
                   computed_source{node, i}}));
  }
  return made;
}

index_map along(std::size_t rank, const std::vector<std::size_t>& axes) {
  std::vector<axis_map> maps;
  for (const std::size_t axis : axes) maps.emplace_back(axis, 0, 1);
  return {rank, std::move(maps)};
}

std::vector<block_axis> seen_along(const std::vector<std::size_t>& axes) {
  std::vector<block_axis> seen;
  for (const std::size_t axis : axes) seen.push_back({axis});
  return seen;
}

spec limits_of(const array_layout& of) { return of.spec ? *of.spec : default_spec(); }

bytes memory_of_task(const spec& limits) {
  return limits.allowed_memory > limits.reserved_memory
             ? limits.allowed_memory - limits.reserved_memory
             : bytes{0};
}

double memory_to_move(double chunk) { return 4 * chunk + 262'144; }

double bytes_in(const index_vector& extents, dtype type) {
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
