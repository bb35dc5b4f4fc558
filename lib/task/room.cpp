// SPDX-License-Identifier: Apache-2.0
#include "task/room.hpp"

#include "tessera/core/error.hpp"
#include "tessera/plan/destinations.hpp"
#include "tessera/plan/planned.hpp"
#include "tessera/zarr/hierarchy.hpp"
#include "tessera/zarr/place.hpp"
#include "tessera/zarr/siblings.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

namespace {

using detail::named_array;

/// Returns the names of the dimensions of all results.
std::vector<std::string> names_of(const std::vector<const zarr_destination*>& results) {
  std::vector<std::string> names;
  for (const zarr_destination* to : results) {
    if (!to->dimension_names) continue;
    names.insert(names.end(), to->dimension_names->begin(), to->dimension_names->end());
  }
  return names;
}

/// The arrays of the group that was looked at last, as far as they may call a dimension by one of
/// some names: several results are often in one group.
class group_cache {
 public:
  explicit group_cache(std::vector<std::string> names) : names_(std::move(names)) {}

  const std::vector<named_array>& arrays_beside(const zarr_destination& to) {
    const std::string group(detail::folder_above(detail::normalised_path(to.path)));
    const detail::node_place place = detail::place_of(to.store, group);
    if (place != place_) {
      arrays_ = detail::named_arrays_in(*to.store, group, names_);
      place_ = place;
    }
    return arrays_;
  }

 private:
  std::vector<std::string> names_;
  std::optional<detail::node_place> place_;
  std::vector<named_array> arrays_;
};

bool has_conflict(const zarr_destination& to, const named_array& beside) {
  const std::vector<std::string>& own = *to.dimension_names;
  for (std::size_t k = 0; k < beside.names.size(); ++k) {
    for (std::size_t axis = 0; axis < own.size(); ++axis) {
      if (own[axis] == beside.names[k] && to.metadata.shape[axis] != beside.shape[k]) return true;
    }
  }
  return false;
}

void check_names(const zarr_destination& to, const std::vector<named_array>& arrays,
                 const std::vector<const zarr_destination*>& results) {
  for (const named_array& beside : arrays) {
    if (!has_conflict(to, beside)) continue;
    const detail::node_place place = detail::place_of(to.store, beside.path);
    if (std::any_of(results.begin(), results.end(), [&place](const zarr_destination* result) {
          return detail::place_of(result->store, result->path) == place;
        })) {
      continue;
    }
    // Consolidated metadata may be older than the array.
    const auto now = detail::read_named_array(*to.store, beside.path);
    if (!now) continue;
    check_extents(to, detail::name_of_node(*to.store, beside.path), now->names, now->shape);
  }
}

/// An array that is replaced is removed first, with all that is in its folder.
void refuse_work_dir(const zarr_destination& to, const std::string& work_dir) {
  const detail::node_place place = detail::place_of(to.store, to.path);
  const detail::node_place work = detail::place_of_directory(work_dir);
  if (work != place && !detail::lies_below(work, place)) return;
  throw value_error(
      fmt::format("store to '{}': the work directory '{}' is there, which holds what is between "
                  "the tasks; choose another path or another work directory",
                  detail::name_of_node(*to.store, to.path), work_dir));
}

void check_all(const std::vector<const zarr_destination*>& results) {
  group_cache groups(names_of(results));
  for (const zarr_destination* to : results) {
    detail::require_room(to->store, to->path);
    if (!to->dimension_names || to->are_names_given || to->path.empty()) continue;
    check_names(*to, groups.arrays_beside(*to), results);
  }
}

}  // namespace

void check_room(const zarr_destination& to) { check_all({&to}); }

void check_room(const bounded_plan::implementation& plan) {
  std::vector<const zarr_destination*> results;
  for (const planned_array& array : plan.arrays) {
    const auto* place = std::get_if<zarr_place>(&array.place);
    if (place == nullptr || place->is_intermediate) continue;
    refuse_work_dir(place->destination, plan.spec.work_dir);
    results.push_back(&place->destination);
  }
  check_all(results);
}

}  // namespace tessera
