// SPDX-License-Identifier: Apache-2.0
#include "tessera/primitive/prologue.hpp"

#include "json/fields.hpp"
#include "primitive/inner.hpp"
#include "primitive/parse.hpp"
#include "primitive/strips/program_json.hpp"

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

namespace tessera {

using nlohmann::json;

std::string prologue::to_json() const {
  json inputs = json::array();
  for (const prologue_input& input : inputs_) {
    const computed_operand* const computed = std::get_if<computed_operand>(&input);
    if (computed == nullptr) {
      inputs.push_back(std::get<std::size_t>(input));
    } else {
      inputs.push_back({{"program", detail::program_json(computed->program)},
                        {"operands", computed->operands},
                        {"axes", computed->axes.to_ulong()}});
    }
  }
  return json{{"then", detail::inner_json(*then_)}, {"inputs", std::move(inputs)}}.dump();
}

primitive_handle detail::parse_prologue(const std::string& text) {
  constexpr std::size_t most_operands = std::size_t{1} << 20;
  const json value = json::parse(text);
  std::vector<prologue_input> inputs;
  for (const json& input : value.at("inputs").get_ref<const json::array_t&>()) {
    if (!input.is_object()) {
      inputs.emplace_back(fields::number_below(input, most_operands));
      continue;
    }
    inputs.emplace_back(
        computed_operand{parse_program(input.at("program")), fields::counts(input.at("operands")),
                         fields::number_below(input.at("axes"), std::size_t{1} << max_rank)});
  }
  return std::make_shared<const prologue>(parse_inner("prologue", value.at("then")),
                                          std::move(inputs));
}

}  // namespace tessera
