// SPDX-License-Identifier: Apache-2.0
/// \file
/// Checks of the locations of all results of a plan: overlaps, names of dimensions, operands.

#include "tessera/core/error.hpp"
#include "tessera/store/open_store.hpp"

#include "core/api/call_at_once.hpp"
#include "core/api/location_names.hpp"
#include "store/api/prepares_claims.hpp"
#include "zarr/api/hierarchy.hpp"
#include "zarr/api/node_format.hpp"
#include "zarr/api/node_location.hpp"
#include "zarr/api/siblings.hpp"
#include "zarr/array_ports.hpp"
#include "zarr/consolidated_store.hpp"
#include "zarr/create_array.hpp"
#include "zarr/stored_region.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::detail {

namespace {

/// Returns `to` as its class. The caller groups destinations by class.
const zarr_destination_port& port_behind(const array_destination& to) {
  return static_cast<const zarr_destination_port&>(to);
}

/// A stored result and its location.
struct stored_result {
  const zarr_destination* to = nullptr;
  node_location location;
  /// Not set for an array at the root of its store.
  std::optional<node_location> group;
  /// The name in messages: "result 1 ('mean')".
  std::string name;

  [[nodiscard]] std::string path() const {
    return name_of_node(*to->store, normalised_path(to->path));
  }
};

std::vector<stored_result> stored_results(std::span<const array_destination::named> results) {
  std::vector<stored_result> stored;
  for (const auto& [destination, name] : results) {
    const zarr_destination& to = port_behind(*destination).destination();
    const std::string path = normalised_path(to.path);
    std::optional<node_location> group;
    if (!path.empty()) group = location_of_node(to.store, folder_above(path));
    stored.push_back({&to, location_of_node(to.store, path), std::move(group), name});
  }
  return stored;
}

/// Throws value_error if two parts of one array overlap.
void check_regions(const stored_result& a, const stored_result& b) {
  const region& first = a.to->within->box;
  const region& second = b.to->within->box;
  const region shared = intersect(first, second);
  const bool grow_apart = a.to->within->old_shape != a.to->metadata.shape &&
                          b.to->within->old_shape != b.to->metadata.shape &&
                          a.to->metadata.shape != b.to->metadata.shape;
  if (shared.empty() && !grow_apart) return;
  const bool is_chunk_shared =
      !grow_apart && intersect(a.to->within->changed(), b.to->within->changed()).empty();
  if (is_chunk_shared) {
    throw value_error(
        fmt::format("store to '{}': {} and {} change parts of the same chunks there, in {}, which "
                    "one task writes; store them one after the other, or store them joined",
                    a.path(), a.name, b.name, format_region(shared)));
  }
  throw value_error(fmt::format(
      "store to '{}': {} goes to {} there and {} to {}, which overlap, so that one would be lost; "
      "give each a region of its own, and append what is joined",
      a.path(), a.name, format_region(a.to->within->changed()), b.name,
      format_region(b.to->within->changed())));
}

/// Throws value_error if storing one of two results would destroy the other.
void check_locations(const stored_result& a, const stored_result& b) {
  if (a.location == b.location && a.to->within && b.to->within) return check_regions(a, b);
  if (a.location == b.location) {
    throw value_error(
        fmt::format("store: {} goes to '{}' and {} to '{}', which is the same place, so that one "
                    "would be lost; give each a path of its own",
                    a.name, a.path(), b.name, b.path()));
  }
  for (const auto& [outer, inner] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    if (!lies_below(inner->location, outer->location)) continue;
    throw value_error(
        fmt::format("store: {} goes to '{}', inside of '{}', which becomes the array of {}; an "
                    "array holds nothing but its chunks; give it a path outside",
                    inner->name, inner->path(), outer->path(), outer->name));
  }
}

/// An axis of a result, and an axis of a sibling with the same name and another extent.
struct axis_conflict {
  std::size_t axis = 0;
  std::size_t sibling_axis = 0;
};

/// Returns the first conflict of `to` with a sibling of `names` and `shape`, or nullopt. The
/// dimensions of `to` have names.
std::optional<axis_conflict> find_conflict(const zarr_destination& to,
                                           const std::vector<std::string>& names,
                                           const index_vector& shape) {
  const std::vector<std::string>& axis_names = *to.dimension_names;
  for (std::size_t axis = 0; axis < axis_names.size(); ++axis) {
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (names[k] == axis_names[axis] && shape[k] != to.metadata.shape[axis]) {
        return axis_conflict{axis, k};
      }
    }
  }
  return std::nullopt;
}

/// Throws shape_error if `to` and the array `sibling`, of `names` and `shape`, have a conflict.
void check_extents(const zarr_destination& to, const std::string& sibling,
                   const std::vector<std::string>& names, const index_vector& shape) {
  if (!to.dimension_names || to.are_names_given) return;
  const std::optional<axis_conflict> conflict = find_conflict(to, names, shape);
  if (!conflict) return;
  const auto [axis, sibling_axis] = *conflict;
  const std::string& name = names[sibling_axis];
  throw shape_error(fmt::format(
      "store to '{}': axis {} is named \"{}\" and has extent {}, but in '{}', of the same "
      "group, \"{}\" has extent {}, and xarray cannot open such a group; store to another one, "
      "remove that array, or give the names as store_options::dimension_names",
      name_of_node(*to.store, to.path), axis, name, to.metadata.shape[axis], sibling, name,
      shape[sibling_axis]));
}

/// Returns the names of the dimensions of `results`.
std::vector<std::string> names_of(const std::vector<const zarr_destination*>& results) {
  std::vector<std::string> names;
  for (const zarr_destination* to : results) {
    if (!to->dimension_names) continue;
    names.insert(names.end(), to->dimension_names->begin(), to->dimension_names->end());
  }
  return names;
}

/// The arrays of the last queried group that may have a dimension of given names. Several results
/// are often in one group, which is read once.
class group_cache {
 public:
  explicit group_cache(std::vector<std::string> names) : names_(std::move(names)) {}

  const std::vector<named_array>& arrays_beside(const zarr_destination& to) {
    const std::string group(folder_above(normalised_path(to.path)));
    const node_location location = location_of_node(to.store, group);
    if (location != location_) {
      arrays_ = named_arrays_in(*to.store, group, names_);
      location_ = location;
    }
    return arrays_;
  }

 private:
  std::vector<std::string> names_;
  std::optional<node_location> location_;
  std::vector<named_array> arrays_;
};

/// Throws shape_error if `to` has a conflict with one of `arrays` that no result replaces.
void check_names(const zarr_destination& to, const std::vector<named_array>& arrays,
                 const std::vector<const zarr_destination*>& results) {
  for (const named_array& beside : arrays) {
    if (!find_conflict(to, beside.names, beside.shape)) continue;
    const node_location location = location_of_node(to.store, beside.path);
    if (std::any_of(results.begin(), results.end(), [&location](const zarr_destination* result) {
          return location_of_node(result->store, result->path) == location;
        })) {
      continue;
    }
    // Consolidated metadata may be older than the array.
    const auto now = read_named_array(*to.store, beside.path);
    if (!now) continue;
    check_extents(to, name_of_node(*to.store, beside.path), now->names, now->shape);
  }
}

/// Throws value_error if the work directory is in the array's folder: replacing the array would
/// remove it.
void refuse_work_dir(const zarr_destination& to, const std::string& work_dir) {
  const node_location location = location_of_node(to.store, to.path);
  const node_location work = is_location(work_dir) ? location_of_node(open_store(work_dir), "")
                                                   : location_of_directory(work_dir);
  if (work != location && !lies_below(work, location)) return;
  throw value_error(
      fmt::format("store to '{}': the work directory '{}' is there, with the intermediate arrays "
                  "of the run; choose another path or another work directory",
                  name_of_node(*to.store, to.path), work_dir));
}

/// Throws value_error if `target`, at `to`, changes elements that are read from `source`, at
/// `from`.
void check_source(const zarr_array& source, const node_location& from,
                  const zarr_destination& target, const node_location& to) {
  if (from != to && !lies_below(from, to)) return;
  // Readers of an array do not see the elements behind its end, so that it can be appended to
  // itself.
  const bool is_apart =
      target.within &&
      intersect(region::whole(target.within->old_shape), target.within->changed()).empty();
  if (is_apart) return;
  throw value_error(fmt::format(
      "store to '{}': the plan reads the array {}, so it cannot be written over; store to "
      "another path",
      name_of_node(*target.store, target.path), source.name()));
}

}  // namespace

void zarr_destination_port::check_together(std::span<const named> results) const {
  const std::vector<stored_result> stored = stored_results(results);
  for (std::size_t i = 0; i < stored.size(); ++i) {
    for (std::size_t earlier = 0; earlier < i; ++earlier) {
      const stored_result& a = stored[earlier];
      const stored_result& b = stored[i];
      check_locations(a, b);
      if (!a.to->dimension_names || !a.group || a.group != b.group) continue;
      check_extents(*b.to, a.path(), *a.to->dimension_names, a.to->metadata.shape);
    }
  }
}

namespace {

/// Returns the documents and the names at the location of a result, which is far away, and throws
/// zarr_error if no array can be created there.
std::shared_ptr<document_reader> read_and_check_room(const zarr_destination& to) {
  const std::string path = normalised_path(to.path);
  const std::shared_ptr<key_value_store> truth = underlying(to.store);
  std::shared_ptr<document_reader> now;
  call_at_once([&] { now = far_documents(*truth, path); },
               [&] { refuse_array_around(truth, path); });
  require_room_in(*now, path, format_of(to.metadata.format));
  return now;
}

void require_room_for(const zarr_destination& to) {
  if (is_far(*underlying(to.store))) {
    static_cast<void>(read_and_check_room(to));
  } else {
    require_room(to.store, to.path, format_of(to.metadata.format));
  }
}

}  // namespace

void zarr_destination_port::check_room(std::span<const array_destination* const> destinations,
                                       const std::string& work_dir) const {
  std::vector<const zarr_destination*> results;
  for (const array_destination* to : destinations) {
    results.push_back(&port_behind(*to).destination());
    if (!work_dir.empty()) refuse_work_dir(*results.back(), work_dir);
  }
  group_cache groups(names_of(results));
  for (const zarr_destination* to : results) {
    if (to->within) continue;
    require_room_for(*to);
    if (!to->dimension_names || to->are_names_given || to->path.empty()) continue;
    check_names(*to, groups.arrays_beside(*to), results);
  }
}

void zarr_destination_port::prepare_claim() const {
  auto* const store = dynamic_cast<prepares_claims*>(underlying(to_.store).get());
  if (store != nullptr) store->prepare_claims();
}

void zarr_destination_port::require_replaceable() const {
  if (to_.within) return require_as_planned(to_, zarr_array::open(underlying(to_.store), to_.path));
  const std::string path = normalised_path(to_.path);
  if (intermediate_ || !is_far(*underlying(to_.store))) {
    static_cast<void>(detail::require_replaceable(*to_.store, path, to_.metadata, to_.existing));
    return;
  }
  std::shared_ptr<document_reader> now = read_and_check_room(to_);
  static_cast<void>(detail::require_replaceable(*now, path, to_.metadata, to_.existing));
  const std::lock_guard lock(checked_mutex_);
  checked_documents_ = std::move(now);
  checked_at_ = std::chrono::steady_clock::now();
}

std::shared_ptr<document_reader> zarr_destination_port::checked_documents(bool is_last) const {
  constexpr std::chrono::seconds longest_use{5};
  const std::lock_guard lock(checked_mutex_);
  const bool is_old = std::chrono::steady_clock::now() - checked_at_ > longest_use;
  if (is_old) checked_documents_.reset();
  return is_last ? std::exchange(checked_documents_, nullptr) : checked_documents_;
}

void zarr_destination_port::refuse_overwriting(
    std::span<const array_destination* const> destinations,
    std::span<const array_source* const> sources) const {
  std::vector<std::pair<const zarr_array*, node_location>> read;
  for (const array_source* source : sources) {
    if (const zarr_array* array = zarr_array_of(*source)) {
      read.emplace_back(array, location_of_node(array->store(), array->path()));
    }
  }
  if (read.empty()) return;
  for (const array_destination* result : destinations) {
    const zarr_destination& target = port_behind(*result).destination();
    const node_location to = location_of_node(target.store, target.path);
    for (const auto& [source, from] : read) check_source(*source, from, target, to);
  }
}

}  // namespace tessera::detail
