// SPDX-License-Identifier: Apache-2.0
/// \file
/// What strips are called.

#include "tessera/core/text.hpp"
#include "tessera/primitive/strips.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera {

namespace {

std::vector<std::string> chosen(const std::vector<std::string>& names,
                                const std::vector<std::size_t>& operands) {
  std::vector<std::string> found;
  for (const std::size_t operand : operands) found.push_back(names[operand]);
  return found;
}

}  // namespace

description strips::describe(const std::string& operation, const walk& how,
                             const operand_words& words) const {
  if (pieces_.size() != 1) return describe_assembly(operation, how, words);
  // What combines states is named after what they are states of.
  const std::vector<std::string> names =
      chosen(merged_ ? words.formulas : words.names, pieces_.front().operands);
  const std::vector<std::string> results = formulas_of(pieces_.front().program, names);
  const bool are_states = makes_states(how);
  std::vector<std::string> formulas;
  description said;
  std::size_t next = 0;
  for (const strip_sink& sink : sinks_) {
    const auto* const fold = std::get_if<fold_sink>(&sink);
    const auto first = results.begin() + static_cast<std::ptrdiff_t>(next);
    next += num_results(sink);
    // States that are combined are said once.
    const bool is_said_once = merged_ || std::holds_alternative<scan_sink>(sink);
    const auto last =
        is_said_once ? first + 1 : results.begin() + static_cast<std::ptrdiff_t>(next);
    std::string formula = fmt::format("{}", fmt::join(first, last, ", "));
    if (fold != nullptr && !merged_) {
      formula = fmt::format("{}({})", fold->step.kernel->label, formula);
    }
    if (const auto* const scan = std::get_if<scan_sink>(&sink)) {
      formula = fmt::format("{}({})", scan->kernel->label, formula);
    }
    // A plane of a state is named after the whole.
    said.outputs.insert(said.outputs.end(), num_outputs(sink, how), formula);
    formulas.push_back(std::move(formula));
  }
  said.label = listed(formulas);
  if (are_states) said.label += ", partial";
  if (merged_) said.label += ", combined";
  return said;
}

description strips::describe_assembly(const std::string& operation, const walk& how,
                                      const operand_words& words) const {
  std::vector<std::string> parts;
  for (const piece& part : pieces_) {
    parts.push_back(tessera::describe(part.program, chosen(words.names, part.operands)));
  }
  const bool is_function = operation.find_first_of(" (") == std::string::npos;
  const std::string all = listed(parts, is_function ? ", " : "; ");
  description said;
  for (const strip_sink& sink : sinks_) {
    const auto* const fold = std::get_if<fold_sink>(&sink);
    const std::string name = fold != nullptr ? std::string(fold->step.kernel->label) : operation;
    const bool is_named = fold != nullptr || is_function;
    const std::string formula = is_named ? fmt::format("{}({})", name, all) : all;
    said.outputs.insert(said.outputs.end(), num_outputs(sink, how), formula);
    said.label += (said.label.empty() ? "" : ", ") + formula;
  }
  if (makes_states(how)) said.label += ", partial";
  return said;
}

}  // namespace tessera
