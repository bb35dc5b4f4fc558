// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/detail/taking.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::detail {
namespace {

/// Where the axes of an array, and of indices, are among those of the result.
struct taken_axes {
  taken_elements what;
  /// Of the result.
  std::size_t rank = 0;
  /// Whether indices have an axis for each of the array, and lead along one of them.
  bool is_along = false;

  [[nodiscard]] bool is_kept(std::size_t axis) const {
    return axis < what.first_axis || axis >= what.first_axis + what.num_axes;
  }
  /// Returns which axis of the result an axis of the array is, which is kept.
  [[nodiscard]] std::size_t place_of(std::size_t axis) const {
    return is_along || axis < what.first_axis ? axis : axis - what.num_axes + what.num_listed;
  }
  /// Returns which axis of the result is axis `k` of indices of rank `of_list`.
  [[nodiscard]] std::size_t listed(std::size_t k, std::size_t of_list) const {
    return what.first_listed + what.num_listed - of_list + k;
  }
  /// Tells whether the array is read anew for each block along an axis of the result.
  [[nodiscard]] bool is_long(std::size_t axis) const {
    if (is_along) return axis == what.first_axis;
    return axis >= what.first_listed && axis < what.first_listed + what.num_listed;
  }
};

/// Which axis of the result each axis of an operand is; nothing: none.
using places_in_result = std::vector<std::optional<std::size_t>>;

places_in_result places_of_operand(const taken_axes& axes, std::size_t operand,
                                   const array_layout& of) {
  places_in_result places;
  for (std::size_t k = 0; k < of.shape.size(); ++k) {
    if (operand > 0) {
      places.emplace_back(axes.listed(k, of.shape.size()));
    } else if (axes.is_kept(k)) {
      places.emplace_back(axes.place_of(k));
    } else {
      places.emplace_back();
    }
  }
  return places;
}

/// Returns how an operand is laid out over the axes of the result, of one element where it has
/// none.
array_layout along_result(const array_layout& of, const places_in_result& places,
                          std::size_t rank) {
  array_layout seen{index_vector(rank, 1), index_vector(rank, 1), of.spec, of.is_automatic};
  std::vector<std::string> names(rank);
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (!places[k]) continue;
    seen.shape[*places[k]] = of.shape[k];
    seen.chunks[*places[k]] = of.chunks[k];
    names[*places[k]] = of.names[k];
  }
  if (!of.names.empty()) seen.names = axis_names(std::move(names));
  return seen;
}

double elements_of(const index_vector& chunks) {
  double count = 1;
  for (const index_t chunk : chunks) count *= static_cast<double>(chunk);
  return count;
}

/// Shortens chunks, along the axes of the list, to as many elements as the greatest of the operands
/// has.
void shorten(index_vector& chunks, const taken_axes& axes, operand_layouts operands) {
  double most = 1;
  for (const array_layout* each : operands) most = std::max(most, elements_of(each->chunks));
  for (std::size_t axis = 0; axis < chunks.size(); ++axis) {
    const double all = elements_of(chunks);
    if (!axes.is_long(axis) || all <= most) continue;
    const double across = all / static_cast<double>(chunks[axis]);
    chunks[axis] = std::max<index_t>(1, static_cast<index_t>(most / across));
  }
}

/// Throws shape_error where indices lead into an axis that has no elements.
void require_something(const taken_axes& axes, const index_vector& made) {
  if (num_elements(made) == 0) return;
  for (std::size_t g = 0; g < axes.what.num_axes; ++g) {
    const std::size_t axis = axes.what.first_axis + g;
    if (axes.what.shape[axis] > 0) continue;
    throw shape_error(fmt::format(
        "{}: indices lead along axis {} of an array of shape {}, which has no elements there",
        axes.what.function, axis, format_shape(axes.what.shape)));
  }
}

block_form form_of(const taken_axes& axes, operand_layouts operands) {
  std::vector<places_in_result> places;
  std::vector<array_layout> seen;
  std::vector<const array_layout*> layouts;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    places.push_back(places_of_operand(axes, i, *operands[i]));
    seen.push_back(along_result(*operands[i], places.back(), axes.rank));
  }
  for (const array_layout& each : seen) layouts.push_back(&each);
  array_layout made = broadcast_layout(axes.what.function, layouts);
  require_something(axes, made.shape);
  shorten(made.chunks, axes, operands);

  block_form form;
  form.domain = made.shape;
  for (std::size_t g = 0; g < axes.what.num_axes; ++g) {
    form.domain.push_back(axes.what.shape[axes.what.first_axis + g]);
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    block_form::operand& operand = form.operands.emplace_back();
    const std::size_t num_seen = i == 0 ? form.domain.size() : axes.rank;
    for (std::size_t axis = 0; axis < num_seen; ++axis) operand.axes.push_back({axis});
    std::vector<axis_map> map;
    for (std::size_t k = 0; k < places[i].size(); ++k) {
      const std::size_t axis = places[i][k].value_or(axes.rank + k - axes.what.first_axis);
      const bool is_broadcast = operands[i]->shape[k] != form.domain[axis];
      map.push_back(is_broadcast ? axis_map{} : axis_map{axis, 0, 1});
    }
    operand.map = {form.domain.size(), std::move(map)};
  }
  block_form::result& result = form.results.emplace_back();
  for (std::size_t axis = 0; axis < axes.rank; ++axis) {
    result.axes.push_back({axis});
    if (axes.is_long(axis)) form.long_axes |= axis_mask{1} << axis;
  }
  result.layout = std::move(made);
  return form;
}

taking taking_with(taken_axes axes, const taking_operands& operands) {
  axes.what.shape = operands.layouts.front()->shape;
  axes.what.type = operands.types.front();
  axes.what.indices.assign(operands.types.begin() + 1, operands.types.end());
  block_form form = form_of(axes, operands.layouts);
  return {std::move(form), taking_parameters(axes.what)};
}

}  // namespace

taking taking_of_list(std::string_view function, std::size_t axis,
                      const taking_operands& operands) {
  taken_axes axes;
  axes.what.function = function;
  axes.what.first_axis = axes.what.first_listed = axis;
  axes.what.num_listed = operands.layouts[1]->shape.size();
  axes.rank = operands.layouts[0]->shape.size() - 1 + axes.what.num_listed;
  return taking_with(std::move(axes), operands);
}

taking taking_along(std::string_view function, std::size_t axis, const taking_operands& operands) {
  const index_vector& shape = operands.layouts[0]->shape;
  const index_vector& of_list = operands.layouts[1]->shape;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (k == axis || shape[k] == of_list[k] || shape[k] == 1 || of_list[k] == 1) continue;
    throw shape_error(fmt::format(
        "{}: an array of shape {} and indices of shape {}; extents must be equal, or 1, on every "
        "axis but axis {}, along which the indices are",
        function, format_shape(shape), format_shape(of_list), axis));
  }
  taken_axes axes;
  axes.what.function = function;
  axes.what.first_axis = axis;
  axes.rank = axes.what.num_listed = shape.size();
  axes.is_along = true;
  return taking_with(std::move(axes), operands);
}

taking taking_of_points(std::string_view function, const taking_operands& operands) {
  taken_axes axes;
  axes.what.function = function;
  axes.what.num_axes = operands.layouts[0]->shape.size();
  for (const array_layout* each : operands.layouts.subspan(1)) {
    axes.what.num_listed = std::max(axes.what.num_listed, each->shape.size());
  }
  axes.rank = axes.what.num_listed;
  return taking_with(std::move(axes), operands);
}

}  // namespace tessera::detail
