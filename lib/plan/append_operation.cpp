// SPDX-License-Identifier: Apache-2.0
#include "plan/array_storage.hpp"
#include "plan/buffers.hpp"
#include "plan/build.hpp"
#include "plan/words.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace tessera {

namespace {

/// Returns what each fold computes. Where it combines states, `names` say what they are states of.
std::vector<std::string> formulas_of(const fold_body& fold, const std::vector<std::string>& names) {
  std::vector<std::string> formulas;
  std::size_t result = 0;
  for (const fold_step& step : fold.folds) {
    strip_program one = fold.program;
    one.results = {fold.program.results[result]};
    const std::string folded = describe(one, names);
    if (fold.phase == fold_phase::combine) {
      result += step.kernel->planes.size();
      formulas.push_back(folded);
    } else {
      ++result;
      formulas.push_back(fmt::format("{}({})", step.kernel->label, folded));
    }
  }
  return formulas;
}

std::vector<std::string> formulas_of(const map_body& map, const std::string& name,
                                     const std::vector<std::string>& names) {
  if (map.pieces.size() == 1) {
    strip_program one = map.pieces.front().program;
    std::vector<std::string> operands;
    for (const std::size_t operand : map.pieces.front().operands)
      operands.push_back(names[operand]);
    std::vector<std::string> formulas;
    for (const std::size_t result : std::vector(one.results)) {
      one.results = {result};
      formulas.push_back(describe(one, operands));
    }
    return formulas;
  }
  std::vector<std::string> parts;
  for (const piece& part : map.pieces) {
    std::vector<std::string> operands;
    for (const std::size_t operand : part.operands) operands.push_back(names[operand]);
    parts.push_back(describe(part.program, operands));
  }
  const bool is_function = name.find_first_of(" (") == std::string::npos;
  return {is_function ? fmt::format("{}({})", name, listed(parts)) : listed(parts, "; ")};
}

std::vector<std::string> formulas_of(const operation& what, const std::vector<std::string>& names) {
  if (const auto* fold = std::get_if<fold_body>(&what.body)) return formulas_of(*fold, names);
  if (const auto* map = std::get_if<map_body>(&what.body)) {
    return formulas_of(*map, what.name, names);
  }
  return {fmt::format("{}({}, {})", what.name, names[0], names[1])};
}

std::string label_of(const operation& what, const std::vector<std::string>& formulas) {
  std::string label = listed(formulas);
  if (const auto* fold = std::get_if<fold_body>(&what.body)) {
    if (fold->phase == fold_phase::partial) label += ", parts";
    if (fold->phase == fold_phase::combine) label += ", combined";
  }
  return label;
}

/// Tells each output what it is computed as; an output that is a plane of a state is named after
/// the whole.
void name_outputs(bounded_plan::implementation& plan, const operation& what,
                  const std::vector<std::string>& formulas,
                  const std::vector<std::size_t>& outputs) {
  std::size_t output = 0;
  const auto* fold = std::get_if<fold_body>(&what.body);
  for (std::size_t i = 0; i < formulas.size(); ++i) {
    const bool is_state = fold != nullptr && fold->phase == fold_phase::partial;
    const std::size_t planes = is_state ? fold->folds[i].kernel->planes.size() : 1;
    for (std::size_t k = 0; k < planes && output < outputs.size(); ++k) {
      plan.arrays[outputs[output++]].formula = formulas[i];
    }
  }
}

}  // namespace

void append_operation(bounded_plan::implementation& plan, operation what,
                      const std::vector<std::size_t>& inputs,
                      const std::vector<std::size_t>& outputs,
                      std::map<std::size_t, std::size_t>& makers) {
  std::vector<array_storage> sources;
  std::vector<array_storage> targets;
  std::vector<std::string> names;
  const auto* fold = std::get_if<fold_body>(&what.body);
  const bool is_combined = fold != nullptr && fold->phase == fold_phase::combine;
  for (const std::size_t input : inputs) {
    const planned_array& array = plan.arrays[input];
    sources.push_back(storage_of(array, array_use::read));
    names.push_back(is_combined ? words_for(array) : array.name);
  }
  for (const std::size_t output : outputs)
    targets.push_back(storage_of(plan.arrays[output], array_use::write));
  planned_operation planned = with_buffers(std::move(what), sources, targets);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    planned.inputs[i].array = inputs[i];
    const auto maker = makers.find(inputs[i]);
    if (maker != makers.end()) planned.after.push_back(maker->second);
  }
  std::sort(planned.after.begin(), planned.after.end());
  planned.after.erase(std::unique(planned.after.begin(), planned.after.end()), planned.after.end());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    planned.outputs[i].array = outputs[i];
    makers[outputs[i]] = plan.operations.size();
  }
  const std::vector<std::string> formulas = formulas_of(planned.what, names);
  planned.label = label_of(planned.what, formulas);
  name_outputs(plan, planned.what, formulas, outputs);
  plan.operations.push_back(std::move(planned));
}

}  // namespace tessera
