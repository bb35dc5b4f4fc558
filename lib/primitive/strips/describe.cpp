// SPDX-License-Identifier: Apache-2.0
/// \file
/// The descriptions of strips in plans.

#include "tessera/core/text.hpp"
#include "tessera/primitive/strips.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera {

namespace {

std::vector<std::string> select_names(const std::vector<std::string>& names,
                                      const std::vector<std::size_t>& operands) {
  std::vector<std::string> selected;
  for (const std::size_t operand : operands) selected.push_back(names[operand]);
  return selected;
}

}  // namespace

description strips::describe(const std::string& operation, const walk& schedule,
                             const operand_words& words) const {
  if (pieces_.size() != 1) return describe_assembly(operation, schedule, words);
  // A combining fold has the formulas of the states that it combines.
  const std::vector<std::string> names =
      select_names(merged_ ? words.formulas : words.names, pieces_.front().operands);
  const std::vector<std::string> results = formulas_of(pieces_.front().program, names);
  const bool are_states = makes_states(schedule);
  std::vector<std::string> formulas;
  description result;
  std::size_t next = 0;
  for (const strip_sink& sink : sinks_) {
    const auto* const fold = std::get_if<fold_sink>(&sink);
    const auto first = results.begin() + static_cast<std::ptrdiff_t>(next);
    next += num_results(sink);
    // The planes of one state have one formula; it is given once.
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
    // Each plane of a state has the formula of the fold.
    result.outputs.insert(result.outputs.end(), num_outputs(sink, schedule), formula);
    formulas.push_back(std::move(formula));
  }
  result.label = listed(formulas);
  if (are_states) result.label += ", partial";
  if (merged_) result.label += ", combined";
  return result;
}

description strips::describe_assembly(const std::string& operation, const walk& schedule,
                                      const operand_words& words) const {
  std::vector<std::string> parts;
  for (const piece& part : pieces_) {
    parts.push_back(tessera::describe(part.program, select_names(words.names, part.operands)));
  }
  const bool is_function = operation.find_first_of(" (") == std::string::npos;
  const std::string list = listed(parts, is_function ? ", " : "; ");
  description result;
  for (const strip_sink& sink : sinks_) {
    const auto* const fold = std::get_if<fold_sink>(&sink);
    const std::string name = fold != nullptr ? std::string(fold->step.kernel->label) : operation;
    const bool is_named = fold != nullptr || is_function;
    const std::string formula = is_named ? fmt::format("{}({})", name, list) : list;
    result.outputs.insert(result.outputs.end(), num_outputs(sink, schedule), formula);
    result.label += (result.label.empty() ? "" : ", ") + formula;
  }
  if (makes_states(schedule)) result.label += ", partial";
  return result;
}

}  // namespace tessera
