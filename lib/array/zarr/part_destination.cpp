// SPDX-License-Identifier: Apache-2.0
/// \file
/// Results as regions of existing Zarr arrays, and behind their ends.

#include "tessera/array/append.hpp"
#include "tessera/core/error.hpp"

#include "array/stored_part.hpp"
#include "array/type_text.hpp"
#include "array/zarr/zarr_destinations.hpp"
#include "zarr/api/hierarchy.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <string_view>

namespace tessera::detail {

namespace {

/// Throws dtype_error or shape_error unless elements of `type` and an array of `rank` fit.
void check_elements(std::string_view does, const zarr_array& array, const data_type& type,
                    std::size_t rank) {
  const data_type& there = array.metadata().dtype;
  const bool is_alike = there.element() ? there.element() == type.element() : there == type;
  if (!is_alike) {
    throw dtype_error(fmt::format("{} '{}': it holds {}, and what is stored is {}; convert that",
                                  does, array.name(), text_of(there), text_of(type)));
  }
  if (array.rank() == rank) return;
  throw shape_error(fmt::format("{} '{}': it has rank {}, and what is stored has rank {}", does,
                                array.name(), array.rank(), rank));
}

[[noreturn]] void throw_contradiction(std::string_view does, const zarr_array& array,
                                      std::string_view option, std::string_view there) {
  throw value_error(
      fmt::format("{} '{}': {} is an option of an array that is made, and this one is there, with "
                  "{}; leave it out",
                  does, array.name(), option, there));
}

/// Throws value_error if an option contradicts the array.
void check_options(std::string_view does, const zarr_array& array, const store_options& options) {
  const zarr_metadata& there = array.metadata();
  const auto refuse = [&](std::string_view option, const std::string& text) {
    throw_contradiction(does, array, option, text);
  };
  if (!options.chunks.is_automatic() &&
      options.chunks.resolve("store", there.shape, there.dtype.itemsize(), default_spec()) !=
          clip_chunks(there.chunks, there.shape)) {
    refuse("chunks", "chunks " + format_shape(there.chunks));
  }
  if (const auto conflict = find_conflict(encoding_of(options), there)) {
    refuse(conflict->option, conflict->stored);
  }
  if (!std::holds_alternative<std::nullptr_t>(options.fill_value) &&
      fill_of(options, there.dtype) != there.fill_value) {
    refuse("fill_value", "another one");
  }
  if (options.format && *options.format != there.format) {
    refuse("format", fmt::format("Zarr v{}", there.format));
  }
  if (!options.shards.empty() && index_vector(std::span(options.shards)) != there.shards) {
    refuse("shards", there.shards.empty() ? "none" : "shards " + format_shape(there.shards));
  }
  if (!options.dimension_names.empty() && options.dimension_names != array.dimension_names()) {
    refuse("dimension_names", "others");
  }
  if (!options.coordinates.empty()) refuse("coordinates", "those of its group");
  for (const auto& [name, value] : options.attributes) {
    const attribute_value* const there_too = array.attributes().find(name);
    if (there_too == nullptr || *there_too != value) {
      refuse("attributes", "others");
    }
  }
  if (options.existing == existing::keep) refuse("existing::keep", "a part to be written");
}

/// Returns the bounds of `wanted`, an item of a region, in an axis of `extent`.
std::pair<index_t, index_t> bounds_of(const slice& wanted, index_t extent,
                                      const zarr_array& array) {
  if (wanted.step.value_or(1) != 1) {
    throw value_error(fmt::format("store to '{}': a slice of step {} is no region; take step 1",
                                  array.name(), *wanted.step));
  }
  const auto bound = [extent](std::optional<index_t> given, index_t otherwise) {
    const index_t value = given.value_or(otherwise);
    return value < 0 ? value + extent : value;
  };
  const std::pair bounds{bound(wanted.start, 0), bound(wanted.stop, extent)};
  if (bounds.first < 0 || bounds.first > bounds.second || bounds.second > extent) {
    throw shape_error(
        fmt::format("store to '{}': the region [{}, {}) is not inside of an axis of "
                    "extent {}; append makes an array longer",
                    array.name(), bounds.first, bounds.second, extent));
  }
  return bounds;
}

zarr_destination region_of(const zarr_array& array, region box, empty_chunks empty) {
  zarr_destination to;
  to.store = array.store();
  to.path = array.path();
  to.metadata = array.metadata();
  to.empty = empty;
  to.within = part_of(array.shards(), array.shape(), std::move(box), array.shape());
  return to;
}

}  // namespace

zarr_destination make_part(zarr_location location, const data_type& type, const index_vector& shape,
                           const store_options& options) {
  constexpr std::string_view does = "store to";
  const zarr_array array =
      zarr_array::open(std::move(location.store), normalised_path(location.path));
  check_elements(does, array, type, shape.size());
  check_options(does, array, options);
  if (options.region.size() != shape.size()) {
    throw shape_error(
        fmt::format("{} '{}': a region of {} axes is given for an array of shape {}; "
                    "give one slice, or whole, for each axis",
                    does, array.name(), options.region.size(), format_shape(array.shape())));
  }
  region box = region::whole(array.shape());
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    std::tie(box.start[axis], box.stop[axis]) =
        bounds_of(options.region[axis], array.shape()[axis], array);
  }
  if (box.shape() != shape) {
    throw shape_error(fmt::format(
        "{} '{}': the region {} has shape {}, and what is stored has "
        "shape {}",
        does, array.name(), format_region(box), format_shape(box.shape()), format_shape(shape)));
  }
  return region_of(array, std::move(box), options.empty);
}

namespace {

std::shared_ptr<const array_destination> append_destination(zarr_location location, dtype type,
                                                            const index_vector& shape,
                                                            std::size_t axis) {
  constexpr std::string_view does = "append to";
  const zarr_array array =
      zarr_array::open(std::move(location.store), normalised_path(location.path));
  check_elements(does, array, type, shape.size());
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (k == axis || shape[k] == array.shape()[k]) continue;
    throw shape_error(fmt::format(
        "{} '{}': it has shape {}, and what is appended along axis {} has shape {}; the other axes "
        "must agree",
        does, array.name(), format_shape(array.shape()), axis, format_shape(shape)));
  }
  return as_destination(tessera::append_destination(array, axis, shape[axis]));
}

}  // namespace

std::shared_ptr<const array_destination> destination_behind(const std::string& path, dtype type,
                                                            const index_vector& shape,
                                                            std::size_t axis) {
  return append_destination(locate(path), type, shape, axis);
}

std::shared_ptr<const array_destination> destination_behind(std::shared_ptr<key_value_store> store,
                                                            std::string_view path, dtype type,
                                                            const index_vector& shape,
                                                            std::size_t axis) {
  return append_destination({std::move(store), std::string(path)}, type, shape, axis);
}

}  // namespace tessera::detail
