// SPDX-License-Identifier: Apache-2.0
#include "zarr/coordinates.hpp"

#include "tessera/core/error.hpp"
#include "tessera/zarr/hierarchy.hpp"
#include "tessera/zarr/metadata_text.hpp"
#include "tessera/zarr/place.hpp"
#include "tessera/zarr/siblings.hpp"

#include "zarr/consolidated_store.hpp"
#include "zarr/write_claim.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

namespace {

constexpr std::size_t largest_chunk = std::size_t{1} << 30;

std::string_view name_in_group(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // from 0 if there is no '/'
}

/// Tells whether `array` is the coordinate of an axis: the only one of its axes has the name of the
/// array and the extent of that axis.
bool is_coordinate(const named_array& array, const zarr_destination& to) {
  if (array.names.size() != 1 || array.names.front() != name_in_group(array.path)) return false;
  const std::vector<std::string>& axes = *to.dimension_names;
  const auto axis = std::find(axes.begin(), axes.end(), array.names.front());
  return axis != axes.end() &&
         to.metadata.shape[static_cast<std::size_t>(axis - axes.begin())] == array.shape[0];
}

/// Copies the files of the array at `source` to `target`; its `.zarray` last, so that readers see
/// it whole.
void copy_files(const key_value_store& from, const std::string& source, key_value_store& to,
                const std::string& target) {
  const auto copy = [&](std::string_view file) {
    if (const auto value = from.read_all(node_key(source, file), largest_chunk)) {
      to.write(node_key(target, file), *value);
    }
  };
  const std::size_t above = source.empty() ? 0 : source.size() + 1;
  for (const std::string& key : from.list(source)) {
    const std::string_view file = std::string_view(key).substr(above);
    if (file == ".zattrs" || file.front() != '.') copy(file);
  }
  copy(".zarray");
}

}  // namespace

std::vector<std::string> coordinates_of(const zarr_destination& to) {
  std::vector<std::string> found;
  if (!to.coordinates || !to.dimension_names) return found;
  const key_value_store& store = *to.coordinates->store;
  const std::string group = normalised_path(to.coordinates->path);
  for (const named_array& array : named_arrays_in(store, group, *to.dimension_names)) {
    if (is_coordinate(array, to)) found.push_back(array.path);
  }
  return found;
}

void copy_coordinates(const zarr_destination& to) {
  const std::string group(folder_above(normalised_path(to.path)));
  for (const std::string& source : coordinates_of(to)) {
    const std::string target = node_key(group, name_in_group(source));
    bool is_claimed = false;
    try {
      change_alone(*to.store, target, "copy a coordinate", [&] {
        is_claimed = true;
        if (truth_of(*to.store).exists(node_key(target, ".zarray"))) return;
        require_room(underlying(to.store), target);
        change_metadata(*to.store, target, old_node::stays,
                        [&] { copy_files(*to.coordinates->store, source, *to.store, target); });
      });
    } catch (const zarr_error&) {
      // A run that writes the array, such as this one, has claimed it: nothing is to be copied.
      if (is_claimed) throw;
    }
  }
}

}  // namespace tessera::detail
