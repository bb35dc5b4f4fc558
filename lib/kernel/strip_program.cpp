// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/strip_program.hpp"

#include "tessera/kernel/label.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string>
#include <vector>

namespace tessera {

namespace {

/// The longest text that stands within another. Without a limit, a value that each step uses twice
/// would double the text with each step.
constexpr std::size_t longest_part = 120;

/// Tells whether `text` has an operator outside of parentheses.
bool has_operator(const std::string& text) {
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ' ' && depth == 0) return true;
  }
  return false;
}

/// Tells whether operand `i` is a whole argument wherever it stands in `label`: "sqrt({0})".
bool stands_alone(const std::string& label, std::size_t i) {
  const std::string key = fmt::format("{{{}}}", i);
  for (std::size_t at = label.find(key); at != std::string::npos; at = label.find(key, at + 1)) {
    const bool is_first = at > 0 && label[at - 1] == '(';
    const bool is_later = at > 1 && label[at - 2] == ',';
    const char next = at + key.size() < label.size() ? label[at + key.size()] : ' ';
    if (!(is_first || is_later) || (next != ')' && next != ',')) return false;
  }
  return true;
}

/// Returns for each register whether a result is computed of it.
std::vector<bool> needed_registers(const strip_program& program) {
  std::vector<bool> is_needed(program.registers.size(), false);
  for (const std::size_t result : program.results) is_needed[result] = true;
  for (auto step = program.steps.rbegin(); step != program.steps.rend(); ++step) {
    if (std::ranges::none_of(step->outputs, [&](std::size_t reg) { return is_needed[reg]; })) {
      continue;
    }
    for (const std::size_t input : step->inputs) is_needed[input] = true;
  }
  return is_needed;
}

}  // namespace

double weight_of(const strip_program& program) {
  double weight = 0;
  for (const strip_step& step : program.steps) weight += step.kernel->weight;
  return weight;
}

strip_program strip_program::copy(dtype type) {
  return {.num_operands = 1, .registers = {type}, .steps = {}, .results = {0}};
}

std::vector<std::string> formulas_of(const strip_program& program,
                                     const std::vector<std::string>& names) {
  std::vector<std::string> values = names;
  values.resize(program.registers.size());
  const std::vector<bool> is_needed = needed_registers(program);
  for (const strip_step& step : program.steps) {
    if (std::ranges::none_of(step.outputs, [&](std::size_t reg) { return is_needed[reg]; }))
      continue;
    std::vector<std::string> operands;
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
      const std::string& value = values[step.inputs[i]];
      if (value.size() > longest_part) {
        operands.emplace_back("...");
        continue;
      }
      const bool is_bare = !has_operator(value) || stands_alone(step.kernel->label, i);
      operands.push_back(is_bare ? value : fmt::format("({})", value));
    }
    for (std::size_t i = 0; i < step.outputs.size(); ++i) {
      values[step.outputs[i]] =
          print_label(step.kernel->label, operands, step.parameters.identity());
      if (step.outputs.size() > 1) values[step.outputs[i]] += fmt::format("[{}]", i);
    }
  }
  std::vector<std::string> formulas;
  for (const std::size_t result : program.results) formulas.push_back(values[result]);
  return formulas;
}

std::string describe(const strip_program& program, const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(formulas_of(program, names), ", "));
}

}  // namespace tessera
