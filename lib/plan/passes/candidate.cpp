// SPDX-License-Identifier: Apache-2.0
#include "plan/passes/candidate.hpp"

#include "tessera/core/hash.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace tessera {

bool may_take_larger_blocks(const operation& what) {
  const primitive& body = *what.body;
  const bool folds_in_steps = body.reduced().any() && body.walks_in_order();
  return what.how.ordered.none() && (body.may_grow() || folds_in_steps);
}

void lengthen(walk& how, const primitive& body, std::size_t axis, index_t length) {
  how.block[axis] = length;
  if (!body.in_steps(how)[axis]) how.stream[axis] = length;
}

candidate candidate_at(const array_graph& graph, vertex v) {
  return {operation_at(graph, v), inputs_of(graph, v)};
}

candidate unified(candidate one) {
  few<vertex> arrays;
  std::vector<index_map> maps;
  std::vector<std::size_t> places;
  std::unordered_map<std::size_t, std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < one.inputs.size(); ++i) {
    const index_map& map = one.what.operands[i];
    std::vector<std::size_t>& others = alike[row_hash().add(one.inputs[i]).add(map).value()];
    const auto same = std::find_if(others.begin(), others.end(), [&](std::size_t place) {
      return arrays[place] == one.inputs[i] && maps[place] == map;
    });
    if (same != others.end()) {
      places.push_back(*same);
      continue;
    }
    places.push_back(arrays.size());
    others.push_back(arrays.size());
    arrays.push_back(one.inputs[i]);
    maps.push_back(map);
  }
  if (arrays.size() == one.inputs.size()) return one;
  primitive_handle body = one.what.body->with_operands(places, arrays.size());
  if (body == nullptr) return one;
  one.what.body = std::move(body);
  one.what.operands = std::move(maps);
  one.inputs = std::move(arrays);
  return one;
}

candidate without_unused(candidate all) {
  const task_demand needs = all.what.body->demand(all.what.how, all.inputs.size());
  candidate used{all.what, {}};
  used.what.operands.clear();
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < all.inputs.size(); ++i) {
    places.push_back(used.inputs.size());
    if (!needs.operands[i].is_used) continue;
    used.inputs.push_back(all.inputs[i]);
    used.what.operands.push_back(all.what.operands[i]);
  }
  if (used.inputs.size() == all.inputs.size()) return all;
  used.what.body = all.what.body->with_operands(places, used.inputs.size());
  return used.what.body == nullptr ? all : used;
}

void put(array_graph& graph, vertex v, candidate one) {
  operation_at(graph, v) = std::move(one.what);
  set_inputs(graph, v, one.inputs);
}

std::string joined_names(const std::string& a, const std::string& b) {
  return (", " + a + ", ").find(", " + b + ", ") == std::string::npos ? a + ", " + b : a;
}

}  // namespace tessera
