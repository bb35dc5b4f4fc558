// SPDX-License-Identifier: Apache-2.0
#include "primitive/pieces/program_rules.hpp"

#include "tessera/core/error.hpp"
#include "tessera/kernel/registry.hpp"

#include "core/api/wide_integer.hpp"
#include "primitive/portable.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera::detail {

void check_program(const operation_rules& rules, const strip_program& program,
                   const std::vector<dtype>& operands) {
  const std::vector<dtype>& registers = program.registers;
  rules.require(program.num_operands == operands.size() && registers.size() >= operands.size() &&
                    std::equal(operands.begin(), operands.end(), registers.begin()),
                "the first registers of a program are its operands");
  std::vector<bool> is_written(registers.size(), false);
  std::fill_n(is_written.begin(), operands.size(), true);
  for (const strip_step& step : program.steps) {
    const strip_kernel& kernel = *step.kernel;
    rules.require(
        step.inputs.size() == kernel.inputs.size() && step.outputs.size() == kernel.outputs.size(),
        "a step has one register for each operand and result of its kernel");
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
      const std::size_t reg = step.inputs[i];
      rules.require(reg < registers.size() && is_written[reg] && registers[reg] == kernel.inputs[i],
                    "a kernel reads registers of its data types that were written");
    }
    for (std::size_t i = 0; i < step.outputs.size(); ++i) {
      const std::size_t reg = step.outputs[i];
      rules.require(
          reg < registers.size() && !is_written[reg] && registers[reg] == kernel.outputs[i],
          "a kernel writes registers of its data types once");
      is_written[reg] = true;
    }
  }
  for (const std::size_t reg : program.results) {
    rules.require(reg < registers.size() && is_written[reg],
                  "each result is a register that a step or operand has written");
  }
}

std::vector<dtype> result_types(const strip_program& program) {
  std::vector<dtype> types;
  for (const std::size_t reg : program.results) types.push_back(program.registers[reg]);
  return types;
}

void check_pieces(const operation_rules& rules, const piece_list& pieces,
                  const std::vector<dtype>& results) {
  const index_vector& domain = rules.schedule().domain;
  wide_integer covered = 0;
  const strip_program* checked = nullptr;
  std::vector<dtype> checked_types;
  for (const piece& part : pieces) {
    rules.require(part.box.start.size() == domain.size() && part.box.stop.size() == domain.size() &&
                      region::whole(domain).contains(part.box),
                  "a piece is a part of the domain");
    rules.require(part.box.empty() == (num_elements(domain) == 0),
                  "a piece has elements where the domain has");
    covered += static_cast<wide_integer>(part.box.num_elements());
    std::vector<dtype> types;
    for (const std::size_t operand : part.operands) {
      rules.require(operand < rules.types().size(), "the operands of a piece are the operation's");
      types.push_back(rules.types()[operand]);
      rules.check_image(operand, part.box);
    }
    if (checked == part.program.get() && checked_types == types) continue;
    check_program(rules, part.program, types);
    rules.require(result_types(part.program) == results,
                  "each result of a piece goes into a sink of its type");
    checked = part.program.get();
    checked_types = std::move(types);
  }
  rules.require(covered == static_cast<wide_integer>(num_elements(domain)),
                "pieces cover the domain");
  for (const piece& part : pieces) {
    for (const piece& neighbour : pieces.near(part.box)) {
      rules.require(&neighbour == &part || intersect(neighbour.box, part.box).empty(),
                    "pieces do not overlap");
    }
  }
}

void check_portable(const strip_program& program, const std::string& operation,
                    const std::string& label) {
  for (const strip_step& step : program.steps) {
    require_portable(step.parameters, operation, label);
    // Throws if two kernels are registered under one name.
    static_cast<void>(find_strip_kernel(step.kernel->name));
  }
}

void check_portable(const piece_list& pieces, const std::string& operation,
                    const std::string& label) {
  for (const piece& part : pieces) check_portable(part.program, operation, label);
}

}  // namespace tessera::detail
