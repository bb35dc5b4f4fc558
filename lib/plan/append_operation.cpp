// SPDX-License-Identifier: Apache-2.0
#include "plan/array_storage.hpp"
#include "plan/buffers.hpp"
#include "plan/build.hpp"
#include "plan/words.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

void append_operation(bounded_plan::implementation& plan, operation what,
                      const std::vector<std::size_t>& inputs,
                      const std::vector<std::size_t>& outputs,
                      std::map<std::size_t, std::size_t>& makers) {
  std::vector<array_storage> sources;
  std::vector<array_storage> targets;
  operand_words words;
  for (const std::size_t input : inputs) {
    const planned_array& array = plan.arrays[input];
    sources.push_back(storage_of(array, array_use::read));
    words.names.push_back(array.name);
    words.formulas.push_back(words_for(array));
  }
  for (const std::size_t output : outputs) {
    targets.push_back(storage_of(plan.arrays[output], array_use::write));
  }
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
  description said = planned.what.body->describe(planned.what.name, words);
  planned.label = std::move(said.label);
  for (std::size_t i = 0; i < outputs.size() && i < said.outputs.size(); ++i) {
    plan.arrays[outputs[i]].formula = std::move(said.outputs[i]);
  }
  plan.operations.push_back(std::move(planned));
}

}  // namespace tessera
