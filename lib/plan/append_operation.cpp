// SPDX-License-Identifier: Apache-2.0
#include "plan/array_storage.hpp"
#include "plan/buffers.hpp"
#include "plan/build.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {

std::string label_of(const fold_body& fold, const std::vector<std::string>& names) {
  std::string text;
  std::size_t result = 0;
  for (const fold_step& step : fold.folds) {
    strip_program one = fold.program;
    one.results = {fold.program.results[result]};
    // The states of a fold are named alike, so the first plane speaks for all.
    result += fold.phase == fold_phase::combine ? step.kernel->planes.size() : 1;
    text += (text.empty() ? "" : ", ") + std::string(step.kernel->label) + "(" +
            describe(one, names) + ")";
  }
  return text;
}

std::string label_of(const operation& what, const std::vector<std::string>& names) {
  if (const auto* fold = std::get_if<fold_body>(&what.body)) return label_of(*fold, names);
  if (const auto* map = std::get_if<map_body>(&what.body)) {
    std::string text;
    for (const piece& part : map->pieces) {
      std::vector<std::string> operands;
      for (const std::size_t operand : part.operands) operands.push_back(names[operand]);
      const std::string computed = describe(part.program, operands);
      if (text.size() < 60) text += (text.empty() ? "" : "; ") + computed;
    }
    return text;
  }
  return what.name + "(" + names[0] + ", " + names[1] + ")";
}

}  // namespace

void append_operation(bounded_plan::implementation& plan, operation what,
                      const std::vector<std::size_t>& inputs,
                      const std::vector<std::size_t>& outputs,
                      std::map<std::size_t, std::size_t>& makers) {
  std::vector<array_storage> sources;
  std::vector<array_storage> targets;
  std::vector<std::string> names;
  for (const std::size_t input : inputs) {
    sources.push_back(storage_of(plan.arrays[input]));
    names.push_back(plan.arrays[input].name);
  }
  for (const std::size_t output : outputs) targets.push_back(storage_of(plan.arrays[output]));
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
  planned.label = label_of(planned.what, names);
  plan.operations.push_back(std::move(planned));
}

}  // namespace tessera
