// SPDX-License-Identifier: Apache-2.0
/// \file
/// The descriptions of strips in plans.

#include "core/api/text.hpp"
#include "primitive/api/strips.hpp"
#include "primitive/pieces/pieces.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tessera {

description strips::describe(const std::string& operation, const loop_schedule& schedule,
                             const operand_words& words) const {
  if (pieces_.size() != 1) return describe_assembly(operation, schedule, words);
  // A combining fold has the formulas of the states that it combines.
  const std::vector<std::string> results =
      result_formulas(pieces_.front(), merged_ ? words.formulas : words.names);
  const bool are_states = makes_states(schedule);
  std::vector<std::string> formulas;
  description result;
  std::size_t next = 0;
  for (const strip_sink& sink : sinks_) {
    const auto* const fold = std::get_if<fold_sink>(&sink);
    const auto first = results.begin() + static_cast<std::ptrdiff_t>(next);
    next += num_results(sink);
    // The state fields of one state have one formula; it is given once.
    const auto last = merged_ ? first + 1 : results.begin() + static_cast<std::ptrdiff_t>(next);
    std::string formula = fmt::format("{}", fmt::join(first, last, ", "));
    if (fold != nullptr && !merged_) {
      formula = fmt::format("{}({})", fold->step.kernel->label, formula);
    }
    // Each state field of a state has the formula of the fold.
    result.outputs.insert(result.outputs.end(), num_outputs(sink, schedule), formula);
    formulas.push_back(std::move(formula));
  }
  result.label = listed(formulas);
  if (are_states) result.label += ", partial";
  if (merged_) result.label += ", combined";
  return result;
}

description strips::describe_assembly(const std::string& operation, const loop_schedule& schedule,
                                      const operand_words& words) const {
  const assembly_words assembly(pieces_, operation, words.names);
  description result;
  for (const strip_sink& sink : sinks_) {
    const auto* const fold = std::get_if<fold_sink>(&sink);
    const std::string formula = fold != nullptr
                                    ? assembly.formula(std::string(fold->step.kernel->label))
                                    : assembly.formula(assembly.function);
    result.outputs.insert(result.outputs.end(), num_outputs(sink, schedule), formula);
    result.label += (result.label.empty() ? "" : ", ") + formula;
  }
  if (makes_states(schedule)) result.label += ", partial";
  return result;
}

}  // namespace tessera
