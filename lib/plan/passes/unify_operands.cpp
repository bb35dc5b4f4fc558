// SPDX-License-Identifier: Apache-2.0
#include "plan/passes/passes.hpp"

#include <algorithm>
#include <vector>

namespace tessera {

void unify_operands(array_graph& graph, vertex v) {
  operation& what = operation_at(graph, v);
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
  const primitive_handle unified = what.body->with_operands(places, arrays.size());
  if (unified == nullptr) return;
  what.body = unified;
  what.operands = maps;
  set_inputs(graph, v, arrays);
}

}  // namespace tessera
