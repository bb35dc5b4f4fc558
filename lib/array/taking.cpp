// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/detail/taking.hpp"

#include "tessera/core/error.hpp"

#include "core/api/element_count.hpp"
#include "expr/api/grown_chunks.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::detail {
namespace {

/// The axes of the result that belong to the axes of an array and of its indices.
struct taken_axes {
  taken_elements elements;
  /// Of the result.
  std::size_t rank = 0;
  /// Whether indices have the rank of the array and select along one axis, as take_along_axis.
  bool is_along = false;

  [[nodiscard]] bool is_kept(std::size_t axis) const {
    return axis < elements.first_axis || axis >= elements.first_axis + elements.num_axes;
  }
  /// Returns the axis of the result for a kept axis of the array.
  [[nodiscard]] std::size_t result_axis_of(std::size_t axis) const {
    return is_along || axis < elements.first_axis ? axis
                                                  : axis - elements.num_axes + elements.num_listed;
  }
  /// Returns the axis of the result for axis `k` of indices of rank `of_list`.
  [[nodiscard]] std::size_t listed(std::size_t k, std::size_t of_list) const {
    return elements.first_listed + elements.num_listed - of_list + k;
  }
  /// Tells whether the array is read anew for each block along an axis of the result.
  [[nodiscard]] bool is_long(std::size_t axis) const {
    if (is_along) return axis == elements.first_axis;
    return axis >= elements.first_listed && axis < elements.first_listed + elements.num_listed;
  }
};

/// For each axis of an operand its axis of the result, or nullopt.
using axes_in_result = std::vector<std::optional<std::size_t>>;

axes_in_result operand_axes(const taken_axes& axes, std::size_t operand, const array_layout& of) {
  axes_in_result result_axes;
  for (std::size_t k = 0; k < of.shape.size(); ++k) {
    if (operand > 0) {
      result_axes.emplace_back(axes.listed(k, of.shape.size()));
    } else if (axes.is_kept(k)) {
      result_axes.emplace_back(axes.result_axis_of(k));
    } else {
      result_axes.emplace_back();
    }
  }
  return result_axes;
}

/// Returns the layout of an operand over the axes of the result, with extent 1 along axes that it
/// does not have.
array_layout along_result(const array_layout& of, const axes_in_result& result_axes,
                          std::size_t rank) {
  array_layout along{index_vector(rank, 1), index_vector(rank, 1), of.spec, of.is_automatic};
  std::vector<std::string> names(rank);
  for (std::size_t k = 0; k < result_axes.size(); ++k) {
    if (!result_axes[k]) continue;
    along.shape[*result_axes[k]] = of.shape[k];
    along.chunks[*result_axes[k]] = of.chunks[k];
    names[*result_axes[k]] = of.names[k];
  }
  if (!of.names.empty()) along.names = axis_names(std::move(names));
  return along;
}

/// Shortens chunks along the axes of indices to at most the elements of the largest chunk of the
/// operands.
void shorten(index_vector& chunks, const taken_axes& axes, operand_layouts operands) {
  const double most = elements_of_largest_chunk(operands);
  for (std::size_t axis = 0; axis < chunks.size(); ++axis) {
    const double chunk_elements = element_count(chunks);
    if (!axes.is_long(axis) || chunk_elements <= most) continue;
    const double across = chunk_elements / static_cast<double>(chunks[axis]);
    chunks[axis] = std::max<index_t>(1, static_cast<index_t>(most / across));
  }
}

/// Throws shape_error if indices select along an axis without elements.
void require_something(const taken_axes& axes, const index_vector& shape) {
  if (num_elements(shape) == 0) return;
  for (std::size_t g = 0; g < axes.elements.num_axes; ++g) {
    const std::size_t axis = axes.elements.first_axis + g;
    if (axes.elements.shape[axis] > 0) continue;
    throw shape_error(fmt::format(
        "{}: indices lead along axis {} of an array of shape {}, which has no elements there",
        axes.elements.function, axis, format_shape(axes.elements.shape)));
  }
}

block_form form_of(const taken_axes& axes, operand_layouts operands) {
  std::vector<axes_in_result> result_axes;
  std::vector<array_layout> along;
  std::vector<const array_layout*> layouts;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    result_axes.push_back(operand_axes(axes, i, *operands[i]));
    along.push_back(along_result(*operands[i], result_axes.back(), axes.rank));
  }
  for (const array_layout& operand_layout : along) layouts.push_back(&operand_layout);
  array_layout result_layout =
      broadcast_layout(axes.elements.function, layouts, no_limit_of_elements);
  require_something(axes, result_layout.shape);
  shorten(result_layout.chunks, axes, operands);

  block_form form;
  form.domain = result_layout.shape;
  for (std::size_t g = 0; g < axes.elements.num_axes; ++g) {
    form.domain.push_back(axes.elements.shape[axes.elements.first_axis + g]);
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    block_form::operand& operand = form.operands.emplace_back();
    const std::size_t num_seen = i == 0 ? form.domain.size() : axes.rank;
    for (std::size_t axis = 0; axis < num_seen; ++axis) operand.axes.push_back({axis});
    std::vector<axis_map> map;
    for (std::size_t k = 0; k < result_axes[i].size(); ++k) {
      const std::size_t axis = result_axes[i][k].value_or(axes.rank + k - axes.elements.first_axis);
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
  result.layout = std::move(result_layout);
  return form;
}

taking taking_with(taken_axes axes, const taking_operands& operands) {
  axes.elements.shape = operands.layouts.front()->shape;
  axes.elements.type = operands.types.front();
  axes.elements.indices.assign(operands.types.begin() + 1, operands.types.end());
  block_form form = form_of(axes, operands.layouts);
  return {std::move(form), taking_parameters(axes.elements)};
}

}  // namespace

taking taking_of_list(std::string_view function, std::size_t axis,
                      const taking_operands& operands) {
  taken_axes axes;
  axes.elements.function = function;
  axes.elements.first_axis = axes.elements.first_listed = axis;
  axes.elements.num_listed = operands.layouts[1]->shape.size();
  axes.rank = operands.layouts[0]->shape.size() - 1 + axes.elements.num_listed;
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
  axes.elements.function = function;
  axes.elements.first_axis = axis;
  axes.rank = axes.elements.num_listed = shape.size();
  axes.is_along = true;
  return taking_with(std::move(axes), operands);
}

taking taking_of_points(std::string_view function, const taking_operands& operands) {
  taken_axes axes;
  axes.elements.function = function;
  axes.elements.num_axes = operands.layouts[0]->shape.size();
  for (const array_layout* operand_layout : operands.layouts.subspan(1)) {
    axes.elements.num_listed = std::max(axes.elements.num_listed, operand_layout->shape.size());
  }
  axes.rank = axes.elements.num_listed;
  return taking_with(std::move(axes), operands);
}

}  // namespace tessera::detail
