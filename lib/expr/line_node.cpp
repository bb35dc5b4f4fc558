// SPDX-License-Identifier: Apache-2.0
#include "tessera/expr/line_node.hpp"

#include "tessera/core/default_spec.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/core/error.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

namespace tessera {
namespace {

/// Elements of the largest dtype.
constexpr double largest_element = sizeof(complex128);

double allowed_bytes(const array_layout& layout) {
  const spec limits = layout.spec ? *layout.spec : default_spec();
  return static_cast<double>(limits.allowed_memory.count());
}

/// Returns the length of the chunks along `axis` of a line result, which is a whole chunk in
/// `result`.
///
/// Only a line that is a small chunk by itself is one chunk. A chunk is as wide as those of the
/// operand along the other axes, so it may exceed the memory of a task, which writes it whole. The
/// line is then cut into the fewest equal parts that take half of that memory each.
index_t line_chunk(const array_layout& operand, const array_layout& result, std::size_t axis) {
  const index_t length = result.chunks[axis];
  const double allowed = allowed_bytes(operand);
  const double small = std::min(static_cast<double>(automatic_chunk_bytes), allowed / 10);
  if (static_cast<double>(length) * largest_element > small) {
    return std::min(length, operand.chunks[axis]);
  }
  double width = largest_element;
  for (std::size_t i = 0; i < result.chunks.size(); ++i) {
    if (i != axis) width *= static_cast<double>(result.chunks[i]);
  }
  if (static_cast<double>(length) * width <= allowed) return length;
  const double most = std::max(1.0, std::floor(allowed / 2 / width));
  const index_t num_parts = ceil_divide(length, static_cast<index_t>(most));
  return ceil_divide(length, num_parts);
}

}  // namespace

array_layout lines_layout(std::string_view function, const array_layout& layout,
                          axis_mask line_axes, const line_output& line_result) {
  if (!line_result.length) return reduced_layout(function, layout, line_axes);
  const std::array result_lengths{*line_result.length};
  const auto line_axis = static_cast<std::size_t>(std::countr_zero(line_axes));
  if (!line_result.is_first) {
    array_layout result = reduced_layout(function, layout, line_axes, result_lengths);
    result.chunks[line_axis] = line_chunk(layout, result, line_axis);
    if (result_lengths[0] != layout.shape[line_axis] || !std::has_single_bit(line_axes)) {
      return result;
    }
    std::vector<std::string> names = result.names.list(result.shape.size());
    names[line_axis] = layout.names[line_axis];
    result.names = axis_names(std::move(names));
    result.chunks[line_axis] = layout.chunks[line_axis];
    return result;
  }
  const array_layout kept_layout = reduced_layout(function, layout, line_axes);
  array_layout result{{result_lengths[0]},
                      {std::max<index_t>(1, result_lengths[0])},
                      kept_layout.spec,
                      kept_layout.is_automatic};
  std::vector<std::string> names(1);
  for (std::size_t axis = 0; axis < kept_layout.shape.size(); ++axis) {
    result.shape.push_back(kept_layout.shape[axis]);
    result.chunks.push_back(kept_layout.chunks[axis]);
    names.push_back(kept_layout.names[axis]);
  }
  result.names = axis_names(std::move(names));
  require_countable(function, result.shape);
  return result;
}

void require_points(std::string_view function, index_t extent, index_t points) {
  if (extent >= 1 && points >= 1) return;
  throw shape_error(fmt::format(
      "{}: {} elements and {} points: a transform takes at least one of each; points(n) says how "
      "many it has",
      function, extent, points));
}

}  // namespace tessera
