// SPDX-License-Identifier: Apache-2.0
#include "plan/passes/passes.hpp"
#include "plan/programs.hpp"

#include <algorithm>
#include <vector>

namespace tessera {

namespace {

/// Gives the pieces of a map operands without repetition; `places` tells where each went.
void unify_piece(piece& part, const std::vector<std::size_t>& places) {
  std::vector<std::size_t> operands;
  std::vector<std::size_t> local;
  for (const std::size_t operand : part.operands) {
    const std::size_t place = places[operand];
    const auto found = std::find(operands.begin(), operands.end(), place);
    local.push_back(static_cast<std::size_t>(found - operands.begin()));
    if (found == operands.end()) operands.push_back(place);
  }
  part.program = with_operands(part.program, local, operands.size());
  part.operands = operands;
}

}  // namespace

void unify_operands(array_graph& graph, vertex v) {
  operation& what = operation_at(graph, v);
  if (std::holds_alternative<contraction_body>(what.body)) return;
  const std::vector<vertex> inputs = inputs_of(graph, v);
  std::vector<vertex> arrays;
  std::vector<index_map> maps;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::size_t place = 0;
    while (place < arrays.size() &&
           !(arrays[place] == inputs[i] && maps[place] == what.operands[i])) {
      ++place;
    }
    if (place == arrays.size()) {
      arrays.push_back(inputs[i]);
      maps.push_back(what.operands[i]);
    }
    places.push_back(place);
  }
  if (arrays.size() == inputs.size()) return;
  what.operands = maps;
  if (auto* map = std::get_if<map_body>(&what.body)) {
    for (piece& part : map->pieces) unify_piece(part, places);
  } else {
    auto& fold = std::get<fold_body>(what.body);
    fold.program = with_operands(fold.program, places, arrays.size());
  }
  set_inputs(graph, v, arrays);
}

}  // namespace tessera
