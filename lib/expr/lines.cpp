// SPDX-License-Identifier: Apache-2.0
#include "tessera/expr/lines.hpp"

#include "tessera/core/default_spec.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/core/error.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

namespace tessera {
namespace {

/// Tells whether a line result of `length` elements is a small chunk, for the largest dtype.
bool is_small_chunk(const array_layout& layout, index_t length) {
  const spec limits = layout.spec ? *layout.spec : default_spec();
  const double most = std::min(static_cast<double>(automatic_chunk_bytes),
                               static_cast<double>(limits.allowed_memory.count()) / 10);
  return static_cast<double>(length) * sizeof(complex128) <= most;
}

}  // namespace

array_layout lines_layout(std::string_view function, const array_layout& layout,
                          axis_mask line_axes, const line_made& line_result) {
  if (!line_result.length) return reduced_layout(function, layout, line_axes);
  const std::array result_lengths{*line_result.length};
  const auto line_axis = static_cast<std::size_t>(std::countr_zero(line_axes));
  if (!line_result.is_first) {
    array_layout result = reduced_layout(function, layout, line_axes, result_lengths);
    if (!is_small_chunk(layout, result_lengths[0])) {
      result.chunks[line_axis] = std::min(result_lengths[0], layout.chunks[line_axis]);
    }
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
