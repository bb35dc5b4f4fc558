// SPDX-License-Identifier: Apache-2.0
#include "plan/words.hpp"

#include "tessera/core/file_names.hpp"

#include <fmt/format.h>
#include <variant>

namespace tessera {

const std::string& words_for(const planned_array& array) {
  return array.formula.empty() ? array.name : array.formula;
}

std::string place_of(const planned_array& array) {
  if (const auto* stored = std::get_if<stored_source>(&array.place)) {
    return seen_from_here(stored->array->name());
  }
  if (std::holds_alternative<memory_source>(array.place)) return "memory of the program";
  if (std::holds_alternative<generated_source>(array.place)) return "computed where it is read";
  if (std::holds_alternative<memory_place>(array.place)) return "memory";
  const auto& place = std::get<stored_place>(array.place);
  return place.is_intermediate ? "work directory" : seen_from_here(place.to->name());
}

}  // namespace tessera
