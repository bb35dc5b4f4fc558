// SPDX-License-Identifier: Apache-2.0
/// \file
/// Results as new Zarr arrays: their metadata, names of axes, coordinates and shards.

#include "tessera/core/error.hpp"

#include "array/stored_part.hpp"
#include "array/zarr/zarr_destinations.hpp"
#include "zarr/api/dimension_names.hpp"
#include "zarr/api/hierarchy.hpp"
#include "zarr/api/node_format.hpp"
#include "zarr/api/node_location.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::detail {

namespace {

/// Throws: store_error <- the store of `location` is read-only.
void require_writable(const zarr_location& location) {
  if (location.store->traits().is_writable) return;
  throw store_error(
      fmt::format("cannot store to '{}': the store is read-only; store to a directory or a bucket",
                  name_of_node(*location.store, location.path)),
      store_failure::unsupported);
}

/// Returns the axis names of the options, or nullopt without any. Attributes of an array of another
/// rank, often copied from an input, give no names.
std::optional<std::vector<std::string>> given_names(const store_options& options,
                                                    const index_vector& shape) {
  if (!options.dimension_names.empty()) {
    if (options.dimension_names.size() == shape.size()) return options.dimension_names;
    throw shape_error(
        fmt::format("store: {} dimension names are given for an array of shape {}; "
                    "give one for each axis, or none",
                    options.dimension_names.size(), format_shape(shape)));
  }
  std::vector<std::string> names = names_of_dimensions(options.attributes, {}, shape.size());
  return names.empty() ? std::nullopt : std::optional(std::move(names));
}

/// Removes the names of axes that repeat an earlier axis: readers cannot distinguish them.
std::vector<std::string> without_repeats(std::vector<std::string> names) {
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (std::find(names.begin(), name, *name) != name) name->clear();
  }
  return names;
}

/// Throws: value_error <- the group has no coordinate of an axis, or the array has no group.
void add_coordinates(zarr_destination& to, const std::string& group) {
  to.coordinates = locate(group);
  if (to.metadata.shape.empty()) return;
  const std::string name = name_of_node(*to.store, to.path);
  if (to.path.empty()) {
    throw value_error(
        fmt::format("store to '{}': an array that is in no group has no coordinates; store it in "
                    "one, as '{}/x'",
                    name, name));
  }
  if (!coordinates_of(to).empty()) return;
  std::string axes;
  for (std::size_t axis = 0; axis < to.metadata.shape.size(); ++axis) {
    if (axis > 0) axes += ", ";
    axes += fmt::format("\"{}\" of {}", (*to.dimension_names)[axis], to.metadata.shape[axis]);
  }
  throw value_error(
      fmt::format("store to '{}': the group '{}' has no coordinates of the axes, which are {}; a "
                  "coordinate is an array of one axis that has its name and extent",
                  name, group, axes));
}

/// Returns the extents that bound chunks: of the array, or of a shard that is longer.
index_vector room_of(index_vector shape, const std::vector<index_t>& shards) {
  for (std::size_t axis = 0; axis < std::min(shape.size(), shards.size()); ++axis) {
    shape[axis] = std::max(shape[axis], shards[axis]);
  }
  return shape;
}

/// Throws value_error unless the chunks of `to` divide `shards` and its format has shards.
void require_shards(const zarr_destination& to, const std::vector<index_t>& shards) {
  const index_vector& chunks = to.metadata.chunks;
  if (to.metadata.format == 2) {
    throw value_error(fmt::format(
        "store to '{}': shards are asked for, which Zarr v2 does not have; ask for .format = 3",
        name_of_node(*to.store, to.path)));
  }
  bool divides = shards.size() == chunks.size();
  for (std::size_t axis = 0; divides && axis < chunks.size(); ++axis) {
    divides = shards[axis] > 0 && shards[axis] % chunks[axis] == 0;
  }
  if (divides) return;
  throw value_error(
      fmt::format("store to '{}': shards {} are asked for, of which the chunks {} are "
                  "no parts; take multiples of the chunks",
                  name_of_node(*to.store, to.path), format_shape(shards), format_shape(chunks)));
}

}  // namespace

int format_for(const zarr_destination& to, std::optional<int> asked, int otherwise) {
  const auto truth = to.store;
  const node_format& wanted = format_of(asked.value_or(otherwise));
  if (asked) require_format_above(*truth, to.path, wanted);
  return format_for(*truth, to.path, wanted).number;
}

zarr_v2 encoding_of(const store_options& options) {
  return {options.filters, options.compressor, options.order, options.dimension_separator};
}

zarr_destination make_destination(zarr_location location, const data_type& type,
                                  const array_layout& layout, const store_options& options) {
  require_writable(location);
  if (!options.region.empty()) return make_part(std::move(location), type, layout.shape, options);
  const spec limits = layout.spec ? *layout.spec : default_spec();
  zarr_destination destination;
  destination.store = std::move(location.store);
  destination.path = normalised_path(location.path);
  destination.metadata.shape = layout.shape;
  destination.metadata.chunks =
      options.chunks.is_automatic()
          ? layout.chunks
          : options.chunks.resolve("store", room_of(layout.shape, options.shards), type.itemsize(),
                                   limits, layout.chunks);
  destination.metadata.dtype = type;
  encoding_of(options).apply(destination.metadata);
  destination.metadata.fill_value = fill_of(options, type);
  destination.metadata =
      in_format(std::move(destination.metadata), format_for(destination, options.format, 2));
  if (!options.shards.empty()) {
    require_shards(destination, options.shards);
    destination.metadata.shards = index_vector(std::span(options.shards));
  }
  destination.metadata.validate();
  destination.metadata.complete_filters();
  destination.empty = options.empty;
  destination.existing = options.existing;
  destination.attributes = options.attributes;
  const std::optional<std::vector<std::string>> given = given_names(options, layout.shape);
  destination.are_names_given = given.has_value();
  name_axes(destination, given ? *given : without_repeats(layout.names.list(layout.shape.size())));
  if (!options.coordinates.empty()) add_coordinates(destination, options.coordinates);
  return destination;
}

std::shared_ptr<const array_destination> destination_of(const std::string& path, dtype type,
                                                        const array_layout& layout,
                                                        const store_options& options) {
  return as_destination(make_destination(locate(path), type, layout, options));
}
std::shared_ptr<const array_destination> destination_of(std::shared_ptr<key_value_store> store,
                                                        std::string_view path, dtype type,
                                                        const array_layout& layout,
                                                        const store_options& options) {
  return as_destination(
      make_destination({std::move(store), std::string(path)}, type, layout, options));
}

}  // namespace tessera::detail
