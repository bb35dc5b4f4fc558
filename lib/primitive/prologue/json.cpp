// SPDX-License-Identifier: Apache-2.0
#include "json/fields.hpp"
#include "primitive/inner.hpp"
#include "primitive/parse.hpp"
#include "primitive/pieces/pieces.hpp"
#include "primitive/prologue/prologue.hpp"

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
      json grown = json::array();
      for (const grown_axis& axis : computed->grown) grown.push_back({axis.axis, axis.by});
      inputs.push_back({{"pieces", detail::pieces_json(computed->pieces)},
                        {"axes", computed->axes.to_ulong()},
                        {"halo", std::move(grown)}});
    }
  }
  return json{{"then", detail::inner_json(*then_)}, {"inputs", std::move(inputs)}}.dump();
}

primitive_handle detail::parse_prologue(const std::string& text) {
  constexpr std::size_t most_operands = std::size_t{1} << 20;
  const json value = fields::parse(text);
  std::vector<prologue_input> inputs;
  for (const json& input : fields::list(value.at("inputs"))) {
    if (!input.is_object()) {
      inputs.emplace_back(fields::number_below(input, most_operands));
      continue;
    }
    computed_operand computed{parse_pieces(input.at("pieces")),
                              fields::number_below(input.at("axes"), std::size_t{1} << max_rank)};
    for (const json& axis : fields::list(input.at("halo"))) {
      computed.grown.push_back(
          {fields::number_below(axis.at(0), max_rank), fields::number_below(axis.at(1), max_rank)});
    }
    inputs.emplace_back(std::move(computed));
  }
  return std::make_shared<const prologue>(parse_inner("prologue", value.at("then")),
                                          std::move(inputs));
}

}  // namespace tessera
