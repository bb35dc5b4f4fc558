// SPDX-License-Identifier: Apache-2.0
#include "primitive/strips/program_rules.hpp"

#include "tessera/core/error.hpp"
#include "tessera/kernel/registry.hpp"

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

void check_extra_axes(const operation_rules& rules, const fold_sink& fold) {
  constexpr index_t most_groups = index_t{1} << 40;
  const fold_kernel& kernel = *fold.step.kernel;
  index_t groups = 1;
  for (const index_t length : fold.own) {
    rules.require(
        length >= 1 && !__builtin_mul_overflow(groups, length, &groups) && groups <= most_groups,
        "cells and groups can be counted");
  }
  rules.require(rules.how().rank() + fold.own.size() <= max_rank, "states have a rank of arrays");
  if (kernel.cells != nullptr) {
    rules.require(!fold.is_labelled && fold.own.size() == 1 &&
                      fold.own[0] == kernel.cells(fold.step.parameters.get()),
                  "a fold of several cells has an axis for them");
    rules.require(kernel.planes == kernel.inputs, "cells are taken as elements are");
  } else {
    rules.require(!fold.is_labelled || kernel.take_at != nullptr,
                  "the kernel of a fold by labels has `take_at`");
    rules.require(fold.is_labelled == !fold.own.empty(), "groups have axes, and labels");
  }
}

std::vector<dtype> result_types(const strip_program& program) {
  std::vector<dtype> types;
  for (const std::size_t reg : program.results) types.push_back(program.registers[reg]);
  return types;
}

void check_portable(const strip_program& program, const std::string& operation,
                    const std::string& label) {
  for (const strip_step& step : program.steps) {
    require_portable(step.parameters, operation, label);
    // Throws if two kernels are registered under one name.
    static_cast<void>(find_strip_kernel(step.kernel->name));
  }
}

}  // namespace tessera::detail
