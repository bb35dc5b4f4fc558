// SPDX-License-Identifier: Apache-2.0
#include "core/api/text.hpp"
#include "primitive/api/described_stages.hpp"
#include "primitive/composition/composition.hpp"
#include "primitive/composition/layout.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// Returns the name of stage `number` of `operation`. A stage that is not emitted has the name of
/// its output in the stages that read it.
const std::string& name_of_stage(const std::vector<stage>& stages, std::size_t number,
                                 const std::string& operation) {
  for (std::size_t s = number + 1; s < stages.size() && !stages[number].is_emitted; ++s) {
    for (const stage_input& input : stages[s].inputs) {
      if (input.stage == number && !input.name.empty()) return input.name;
    }
  }
  return operation;
}

/// Returns the description of each stage: later stages name the outputs of the stages before.
std::vector<description> descriptions_of(const std::vector<stage>& stages,
                                         const std::string& operation,
                                         const loop_schedule& schedule,
                                         const operand_words& words) {
  std::vector<description> descriptions;
  for (const stage& part : stages) {
    operand_words stage_words;
    for (const stage_input& input : part.inputs) {
      if (!input.stage) {
        stage_words.names.push_back(words.names[input.number]);
        stage_words.formulas.push_back(words.formulas[input.number]);
        continue;
      }
      const std::string& formula = descriptions[*input.stage].outputs[input.number];
      stage_words.names.push_back(input.name.empty() ? formula : input.name);
      stage_words.formulas.push_back(stage_words.names.back());
    }
    const std::string& name = name_of_stage(stages, descriptions.size(), operation);
    descriptions.push_back(
        part.op->describe(name, detail::outputs_of(part, schedule).schedule, stage_words));
  }
  return descriptions;
}

/// Returns the bytes of the buffers of stage `part` in a task of `schedule`.
bytes buffers_of(const stage& part, const detail::stage_layout& layout,
                 const loop_schedule& schedule) {
  std::size_t sum = 0;
  for (const buffer_demand& buffer : layout.needs.buffers) sum += buffer.size;
  for (std::size_t i = 0; i < layout.slots.size(); ++i) {
    if (!layout.slots[i].emitted) sum += detail::size_of_value(part, layout, i, schedule);
  }
  return bytes{sum};
}

}  // namespace

description composition::describe(const std::string& operation, const loop_schedule& schedule,
                                  const operand_words& words) const {
  const std::vector<description> descriptions =
      descriptions_of(stages_, operation, schedule, words);
  description result;
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    if (!stages_[s].is_emitted) continue;
    const description& last = descriptions[s];
    result.label = result.outputs.empty() ? last.label : "";
    result.outputs.insert(result.outputs.end(), last.outputs.begin(), last.outputs.end());
  }
  if (result.label.empty()) result.label = listed(result.outputs);
  return result;
}

std::vector<described_stage> describe_stages(const primitive& op, const std::string& operation,
                                             const loop_schedule& schedule,
                                             const operand_words& words) {
  const auto* const composed = dynamic_cast<const composition*>(&op);
  if (composed == nullptr) return {};
  const std::vector<stage>& stages = composed->stages();
  std::vector<description> descriptions = descriptions_of(stages, operation, schedule, words);
  const std::vector<detail::stage_layout> layouts = detail::lay_out(stages, schedule);
  std::vector<described_stage> result;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    result.push_back({std::move(descriptions[s].label), stages[s].at,
                      buffers_of(stages[s], layouts[s], schedule)});
  }
  return result;
}

}  // namespace tessera
