// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/strip_program.hpp"

#include "tessera/kernel/label.hpp"

#include <string>
#include <vector>

namespace tessera {

namespace {

/// Returns `text` as an operand of another label: in parentheses where it has operators of its own.
std::string as_operand(const std::string& text) {
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ' ' && depth == 0) return "(" + text + ")";
  }
  return text;
}

}  // namespace

strip_program strip_program::copy(dtype type) {
  return {.num_operands = 1, .registers = {type}, .steps = {}, .results = {0}};
}

std::string describe(const strip_program& program, const std::vector<std::string>& names) {
  std::vector<std::string> values = names;
  values.resize(program.registers.size());
  for (const strip_step& step : program.steps) {
    std::vector<std::string> operands;
    for (const std::size_t input : step.inputs) operands.push_back(as_operand(values[input]));
    for (std::size_t i = 0; i < step.outputs.size(); ++i) {
      values[step.outputs[i]] =
          print_label(step.kernel->label, operands, step.parameters.identity());
      if (step.outputs.size() > 1) values[step.outputs[i]] += "[" + std::to_string(i) + "]";
    }
  }
  std::string text;
  for (const std::size_t result : program.results) {
    text += (text.empty() ? "" : ", ") + values[result];
  }
  return text;
}

}  // namespace tessera
