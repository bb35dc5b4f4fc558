// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/strip_program.hpp"

#include <cctype>

namespace tessera {

namespace {

/// Returns `label` with `{i}` replaced by `operands[i]`.
std::string fill_in(const std::string& label, const std::vector<std::string>& operands) {
  std::string text;
  for (std::size_t i = 0; i < label.size(); ++i) {
    const std::size_t end = label[i] == '{' ? label.find('}', i) : std::string::npos;
    if (end == std::string::npos) {
      text += label[i];
      continue;
    }
    text += operands.at(std::stoul(label.substr(i + 1, end - i - 1)));
    i = end;
  }
  return text;
}

/// Tells whether the parenthesis that opens `text` closes at its very end.
bool is_enclosed(const std::string& text) {
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') return false;
  int depth = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0) return false;
  }
  return true;
}

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
      values[step.outputs[i]] = fill_in(step.kernel->label, operands);
      if (step.outputs.size() > 1) values[step.outputs[i]] += "[" + std::to_string(i) + "]";
    }
  }
  std::string text;
  for (const std::size_t result : program.results) {
    std::string value = values[result];
    if (is_enclosed(value)) value = value.substr(1, value.size() - 2);
    text += (text.empty() ? "" : ", ") + value;
  }
  return text;
}

}  // namespace tessera
