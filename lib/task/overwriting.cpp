// SPDX-License-Identifier: Apache-2.0
#include "task/overwriting.hpp"

#include "tessera/core/error.hpp"
#include "tessera/plan/planned.hpp"
#include "tessera/zarr/place.hpp"

#include <fmt/format.h>
#include <utility>
#include <vector>

namespace tessera {

namespace {

using detail::node_place;

node_place place_of(const zarr_array& array) {
  return detail::place_of(array.store(), array.path());
}

void refuse(const zarr_array& source, const node_place& from, const zarr_destination& target,
            const node_place& to) {
  if (from != to && !detail::lies_below(from, to)) return;
  throw value_error(fmt::format(
      "store to '{}': the plan reads the array {}, so it cannot be written over; store to "
      "another path",
      detail::name_of_node(*target.store, target.path), source.name()));
}

}  // namespace

void refuse_overwriting(const zarr_array& source, const zarr_destination& target) {
  refuse(source, place_of(source), target, detail::place_of(target.store, target.path));
}

void refuse_overwriting(const bounded_plan::implementation& plan) {
  std::vector<std::pair<const zarr_array*, node_place>> sources;
  for (const planned_array& array : plan.arrays) {
    const auto* stored = std::get_if<stored_source>(&array.place);
    if (stored != nullptr) sources.emplace_back(&stored->array, place_of(stored->array));
  }
  for (const planned_array& array : plan.arrays) {
    const auto* place = std::get_if<zarr_place>(&array.place);
    if (place == nullptr || place->is_intermediate) continue;
    const zarr_destination& target = place->destination;
    const node_place to = detail::place_of(target.store, target.path);
    for (const auto& [source, from] : sources) refuse(*source, from, target, to);
  }
}

}  // namespace tessera
