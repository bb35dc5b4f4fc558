// SPDX-License-Identifier: Apache-2.0
#include "plan/explanation_json.hpp"

#include "json/byte_text.hpp"

namespace tessera {

using nlohmann::json;

json explanation_json(const std::optional<explanation_texts>& explanation) {
  if (!explanation) return {};
  return {{"text", fields::of_byte_text(explanation->text)},
          {"json", fields::of_byte_text(explanation->json)},
          {"picture", fields::of_byte_text(explanation->picture)}};
}

std::optional<explanation_texts> parse_explanation(const json& value) {
  if (value.is_null()) return std::nullopt;
  return explanation_texts{fields::byte_text(value.at("text")), fields::byte_text(value.at("json")),
                           fields::byte_text(value.at("picture"))};
}

}  // namespace tessera
