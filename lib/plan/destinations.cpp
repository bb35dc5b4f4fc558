// SPDX-License-Identifier: Apache-2.0
#include "tessera/plan/destinations.hpp"

#include "tessera/core/error.hpp"
#include "tessera/zarr/hierarchy.hpp"
#include "tessera/zarr/place.hpp"

#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace tessera {

namespace {

/// An output that is stored, with its place.
struct stored_output {
  const zarr_destination* to = nullptr;
  detail::node_place place;
  /// Nothing for an array that is a store of its own.
  std::optional<detail::node_place> group;
  /// What the plan calls it: "result 1, 'mean',".
  std::string name;

  [[nodiscard]] std::string path() const {
    return detail::name_of_node(*to->store, detail::normalised_path(to->path));
  }
};

std::vector<stored_output> stored_outputs(const std::vector<plan_output>& outputs) {
  std::vector<stored_output> stored;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& to = outputs[i].destination;
    if (!to) continue;
    const std::string path = detail::normalised_path(to->path);
    std::optional<detail::node_place> group;
    if (!path.empty()) group = detail::place_of(to->store, detail::folder_above(path));
    stored.push_back({&*to, detail::place_of(to->store, path), std::move(group),
                      fmt::format("result {}, '{}',", i + 1, outputs[i].array->name)});
  }
  return stored;
}

void check_places(const stored_output& a, const stored_output& b) {
  if (a.place == b.place) {
    throw value_error(
        fmt::format("store: {} goes to '{}' and {} to '{}', which is the same place, so that one "
                    "would be lost; give each a path of its own",
                    a.name, a.path(), b.name, b.path()));
  }
  for (const auto& [outer, inner] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    if (!detail::lies_below(inner->place, outer->place)) continue;
    throw value_error(
        fmt::format("store: {} goes to '{}', inside of '{}', which becomes the array of {} an "
                    "array holds nothing but its chunks; give it a path outside",
                    inner->name, inner->path(), outer->path(), outer->name));
  }
}

}  // namespace

void check_together(const std::vector<plan_output>& outputs) {
  const std::vector<stored_output> stored = stored_outputs(outputs);
  for (std::size_t i = 0; i < stored.size(); ++i) {
    for (std::size_t earlier = 0; earlier < i; ++earlier) {
      const stored_output& a = stored[earlier];
      const stored_output& b = stored[i];
      check_places(a, b);
      if (!a.to->dimension_names || !a.group || a.group != b.group) continue;
      check_extents(*b.to, a.path(), *a.to->dimension_names, a.to->metadata.shape);
    }
  }
}

void check_extents(const zarr_destination& to, const std::string& other,
                   const std::vector<std::string>& names, const index_vector& shape) {
  if (!to.dimension_names || to.are_names_given) return;
  const std::vector<std::string>& own = *to.dimension_names;
  for (std::size_t axis = 0; axis < own.size(); ++axis) {
    const index_t extent = to.metadata.shape[axis];
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (names[k] != own[axis] || shape[k] == extent) continue;
      throw shape_error(fmt::format(
          "store to '{}': axis {} is named \"{}\" and has extent {}, but in '{}', of the same "
          "group, \"{}\" has extent {}, and xarray cannot open such a group; store to another one, "
          "remove that array, or give the names as store_options::dimension_names",
          detail::name_of_node(*to.store, to.path), axis, own[axis], extent, other, own[axis],
          shape[k]));
    }
  }
}

attributes zarr_destination::stored_attributes() const {
  tessera::attributes values = attributes;
  if (dimension_names) values.set("_ARRAY_DIMENSIONS", *dimension_names);
  return values;
}

}  // namespace tessera
