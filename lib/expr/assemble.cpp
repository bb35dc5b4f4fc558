// SPDX-License-Identifier: Apache-2.0
/// \file
/// Assemblies: arrays with boxes from several operands, or from an operand and a constant.
///
/// `concat`, `stack`, `roll` and `pad` are lists of pieces. A piece is a box of the result, the
/// number of its operand and the affine map from the indices of the box to the operand. Pieces
/// cover the result without overlap.
///
///     concat   | x0      | x1   |          roll by 2   | x: i + n - 2 | x: i - 2           |
///     pad      | constant | x: i - before | constant |
#include "tessera/expr/assemble.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace tessera {

namespace {

/// The indices [start, stop) along an axis of an assembly. They show `map(index)`, or a constant if
/// there is no map.
struct interval {
  index_t start = 0;
  index_t stop = 0;
  std::optional<axis_map> map;
};

/// Returns the product of the intervals of all axes, as pieces. `by_axis[k]` covers axis `k`.
///
/// A constant interval along axis `k` is one piece over all of the axes behind `k`:
///
///     c c c c c        axis 0 is padded first: rows of constants are whole
///     c x x x c        axis 1: constants beside the rows of x
///     c c c c c
std::vector<assembled_piece> pieces_of(const std::vector<std::vector<interval>>& by_axis,
                                       const index_vector& shape) {
  std::vector<assembled_piece> prefixes{{region::whole(shape), 0, index_map(shape.size(), {})}};
  std::vector<assembled_piece> pieces;
  for (std::size_t axis = 0; axis < by_axis.size(); ++axis) {
    std::vector<assembled_piece> extended;
    for (const assembled_piece& piece : prefixes) {
      for (const interval& part : by_axis[axis]) {
        if (part.start == part.stop) continue;
        assembled_piece cut_piece = piece;
        cut_piece.where.start[axis] = part.start;
        cut_piece.where.stop[axis] = part.stop;
        if (!part.map) {
          pieces.push_back({cut_piece.where, 1, index_map(shape.size(), {})});
          continue;
        }
        std::vector<axis_map> maps = piece.map.axes();
        maps.push_back(*part.map);
        cut_piece.map = {shape.size(), std::move(maps)};
        extended.push_back(std::move(cut_piece));
      }
    }
    prefixes = std::move(extended);
  }
  pieces.insert(pieces.end(), prefixes.begin(), prefixes.end());
  return pieces;
}

array_layout resize_layout(const array_layout& layout, index_vector shape) {
  array_layout result = layout;
  result.chunks = clip_chunks(layout.chunks, shape);
  result.shape = std::move(shape);
  return result;
}

std::vector<interval> roll_axis(std::size_t axis, index_t extent, index_t shift) {
  if (extent == 0) return {};
  const index_t remainder = shift % extent;
  const index_t distance = remainder < 0 ? remainder + extent : remainder;
  return {{0, distance, axis_map(axis, extent - distance, 1)},
          {distance, extent, axis_map(axis, -distance, 1)}};
}

/// Returns the intervals of an axis of `n` elements that is padded by `before` and `after`.
std::vector<interval> pad_axis(std::size_t axis, index_t n, index_t before, index_t after,
                               boundary beyond) {
  std::optional<axis_map> first;
  std::optional<axis_map> last;
  switch (beyond) {
    case boundary::constant:
      break;
    case boundary::edge:
      first = axis_map(0);
      last = axis_map(n - 1);
      break;
    case boundary::reflect:
      first = axis_map(axis, before, -1);
      last = axis_map(axis, before + 2 * (n - 1), -1);
      break;
    case boundary::symmetric:
      first = axis_map(axis, before - 1, -1);
      last = axis_map(axis, before + 2 * n - 1, -1);
      break;
    case boundary::wrap:
      first = axis_map(axis, n - before, 1);
      last = axis_map(axis, -before - n, 1);
      break;
  }
  return {{0, before, first},
          {before, before + n, axis_map(axis, -before, 1)},
          {before + n, before + n + after, last}};
}

std::string_view name_of(boundary beyond) {
  switch (beyond) {
    case boundary::constant:
      return "constant";
    case boundary::edge:
      return "edge";
    case boundary::reflect:
      return "reflect";
    case boundary::symmetric:
      return "symmetric";
    case boundary::wrap:
      return "wrap";
  }
  return {};
}

/// Throws shape_error if boundary `beyond` cannot show `width` elements.
void check_width(std::size_t axis, const index_vector& shape, index_t width, boundary beyond) {
  if (width < 0) {
    throw shape_error(
        fmt::format("pad: a width of {} along axis {}; widths are at least 0, and slices take "
                    "elements away",
                    width, axis));
  }
  const index_t extent = shape[axis];
  const index_t most = beyond == boundary::reflect ? extent - 1 : extent;
  if (width == 0 || beyond == boundary::constant) return;
  if (extent > 0 && (beyond == boundary::edge || width <= most)) return;
  throw shape_error(fmt::format(
      "pad: a width of {} along axis {} of an array of shape {}, whose extent is {}; {}", width,
      axis, format_shape(shape), extent,
      extent == 0 ? "only a constant can lie beyond an axis without elements"
                  : fmt::format("boundary::{} shows at most {} elements, and boundary::edge and "
                                "boundary::constant any number",
                                name_of(beyond), most)));
}

}  // namespace

assembly assemble_joined(operand_layouts operands, std::size_t axis) {
  assembly result{{}, concat_layout(operands, axis)};
  const index_vector& shape = result.layout.shape;
  region box = region::whole(shape);
  box.stop[axis] = 0;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    box.start[axis] = box.stop[axis];
    box.stop[axis] += operands[i]->shape[axis];
    std::vector<axis_map> maps = index_map::identity(shape.size()).axes();
    maps[axis].offset = -box.start[axis];
    result.pieces.push_back({box, i, {shape.size(), std::move(maps)}});
  }
  return result;
}

assembly assemble_stacked(operand_layouts operands, std::size_t axis) {
  assembly result{{}, stack_layout(operands, axis)};
  const index_vector& shape = result.layout.shape;
  region box = region::whole(shape);
  box.stop[axis] = 0;
  std::vector<axis_map> maps = index_map::identity(shape.size()).axes();
  maps.erase(maps.begin() + static_cast<std::ptrdiff_t>(axis));
  for (std::size_t i = 0; i < operands.size(); ++i) {
    box.start[axis] = box.stop[axis]++;
    result.pieces.push_back({box, i, {shape.size(), maps}});
  }
  return result;
}

assembly assemble_rolled(const array_layout& layout, std::span<const std::size_t> axes,
                         std::span<const index_t> shifts) {
  std::vector<std::vector<interval>> by_axis;
  for (std::size_t axis = 0; axis < layout.shape.size(); ++axis) {
    const auto match = std::find(axes.begin(), axes.end(), axis);
    const index_t shift =
        match == axes.end() ? 0 : shifts[static_cast<std::size_t>(match - axes.begin())];
    by_axis.push_back(roll_axis(axis, layout.shape[axis], shift));
  }
  return {pieces_of(by_axis, layout.shape), layout};
}

assembly assemble_padded(const array_layout& layout, std::span<const std::array<index_t, 2>> widths,
                         boundary beyond) {
  index_vector shape = layout.shape;
  std::vector<std::vector<interval>> by_axis;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const auto [before, after] = widths[axis];
    check_width(axis, layout.shape, before, beyond);
    check_width(axis, layout.shape, after, beyond);
    if (__builtin_add_overflow(shape[axis], before, &shape[axis]) ||
        __builtin_add_overflow(shape[axis], after, &shape[axis])) {
      throw shape_error(fmt::format("pad: axis {} would have more than 2^63 - 1 elements", axis));
    }
    by_axis.push_back(pad_axis(axis, layout.shape[axis], before, after, beyond));
  }
  require_countable("pad", shape);
  return {pieces_of(by_axis, shape), resize_layout(layout, shape)};
}

}  // namespace tessera
