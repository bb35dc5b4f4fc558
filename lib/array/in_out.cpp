// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/in_out.hpp"

#include "tessera/core/error.hpp"
#include "tessera/meta/promotion.hpp"
#include "tessera/zarr/dimension_names.hpp"
#include "tessera/zarr/hierarchy.hpp"
#include "tessera/zarr/place.hpp"

#include "array/name_axes.hpp"
#include "array/stored_part.hpp"
#include "array/type_text.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {
namespace detail {
namespace {

/// Returns `value` as a `T`; nothing if there is no such `T`.
template <class T, class Number>
std::optional<element_bytes> element_of(Number value) {
  if constexpr (complex_element<Number>) {
    if constexpr (complex_element<T>) {
      return element_bytes(static_cast<T>(value));
    } else {
      return std::nullopt;
    }
  } else if constexpr (complex_element<T>) {
    return element_bytes(T(static_cast<real_t<T>>(value)));
  } else if constexpr (floating_element<T>) {
    return element_bytes(static_cast<T>(value));
  } else if constexpr (std::same_as<T, bool>) {
    if (value != Number{0} && value != Number{1}) return std::nullopt;
    return element_bytes(value != Number{0});
  } else {
    if constexpr (std::floating_point<Number>) {
      const double end = std::ldexp(1.0, std::numeric_limits<T>::digits);
      const bool fits = value >= (std::is_signed_v<T> ? -end : 0.0) && value < end;
      if (!fits || std::trunc(value) != value) return std::nullopt;
    } else if constexpr (!std::same_as<Number, bool>) {
      if (!std::in_range<T>(value)) return std::nullopt;
    }
    return element_bytes(static_cast<T>(value));
  }
}

}  // namespace

std::optional<element_bytes> fill_of(const store_options& options, const data_type& type) {
  const any_number& fill = options.fill_value;
  if (std::holds_alternative<std::nullptr_t>(fill)) {
    if (options.empty == empty_chunks::write) return std::nullopt;
    return element_bytes{};
  }
  const auto as_number = [&fill]<class T>(type_tag<T>) {
    return std::visit(
        [](auto value) -> std::optional<element_bytes> {
          if constexpr (std::same_as<decltype(value), std::nullptr_t>) {
            return std::nullopt;
          } else {
            return element_of<T>(value);
          }
        },
        fill);
  };
  const std::optional<dtype> number = type.element();
  const auto found = number ? visit_dtype(*number, as_number) : std::nullopt;
  if (!found) {
    throw value_error(
        fmt::format("store: no element of dtype {} is the fill value; give one that the array can "
                    "hold, or null",
                    text_of(type)));
  }
  return found;
}

namespace {

/// Returns the names that the options give the axes; nothing where they give none. Attributes that
/// come from an array of another rank, as those of an input often do, give none.
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

/// Takes the names from axes whose name an axis before them has: no reader takes them apart.
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

}  // namespace

zarr_destination make_destination(zarr_location where, const data_type& type,
                                  const array_layout& layout, const store_options& options) {
  if (!options.region.empty()) return make_part(std::move(where), type, layout.shape, options);
  const spec limits = layout.spec ? *layout.spec : default_spec();
  zarr_destination destination;
  destination.store = std::move(where.store);
  destination.path = normalised_path(where.path);
  destination.metadata.shape = layout.shape;
  destination.metadata.chunks =
      options.chunks.is_automatic()
          ? layout.chunks
          : options.chunks.resolve("store", layout.shape, type.itemsize(), limits, layout.chunks);
  destination.metadata.dtype = type;
  destination.metadata.filters = options.filters;
  destination.metadata.compressor = options.compressor;
  destination.metadata.dimension_separator = options.dimension_separator;
  destination.metadata.order = options.order;
  destination.metadata.fill_value = fill_of(options, type);
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

index_vector chunks_of(const array_destination& to) { return to.write_grid().chunks(); }

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

std::shared_ptr<const shown_array> shown_result(const computed_output& output,
                                                const array_layout& layout, dtype type,
                                                std::size_t rank) {
  return open_shown(*zarr_array_of(*output.stored), type, rank, layout.spec);
}

std::shared_ptr<const shown_array> store_shown(const store_target& x, const run_with& how,
                                               dtype type, std::size_t rank) {
  return shown_result(compute_one(x.output(), x.layout(), how), x.layout(), type, rank);
}

}  // namespace detail

}  // namespace tessera
