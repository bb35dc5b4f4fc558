// SPDX-License-Identifier: Apache-2.0
#include "tessera/expr/assemble.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace tessera {

namespace {

/// The indices [start, stop) along an axis of an assembly, which show `offset + step * index`;
/// nothing: a constant.
struct interval {
  index_t start = 0;
  index_t stop = 0;
  std::optional<axis_map> map;
};

/// Returns the pieces that have one of the intervals along each axis: `by_axis[k]` makes up axis
/// `k`. A constant takes all of the axes behind its own.
std::vector<assembled_piece> pieces_of(const std::vector<std::vector<interval>>& by_axis,
                                       const index_vector& shape) {
  std::vector<assembled_piece> open{{region::whole(shape), 0, index_map(shape.size(), {})}};
  std::vector<assembled_piece> pieces;
  for (std::size_t axis = 0; axis < by_axis.size(); ++axis) {
    std::vector<assembled_piece> longer;
    for (const assembled_piece& piece : open) {
      for (const interval& each : by_axis[axis]) {
        if (each.start == each.stop) continue;
        assembled_piece cut = piece;
        cut.where.start[axis] = each.start;
        cut.where.stop[axis] = each.stop;
        if (!each.map) {
          pieces.push_back({cut.where, 1, index_map(shape.size(), {})});
          continue;
        }
        std::vector<axis_map> maps = piece.map.axes();
        maps.push_back(*each.map);
        cut.map = {shape.size(), std::move(maps)};
        longer.push_back(std::move(cut));
      }
    }
    open = std::move(longer);
  }
  pieces.insert(pieces.end(), open.begin(), open.end());
  return pieces;
}

array_layout resized(const array_layout& of, index_vector shape) {
  array_layout made = of;
  made.chunks = clip_chunks(of.chunks, shape);
  made.shape = std::move(shape);
  return made;
}

std::vector<interval> rolled(std::size_t axis, index_t extent, index_t shift) {
  if (extent == 0) return {};
  const index_t moved = (shift % extent + extent) % extent;
  return {{0, moved, axis_map(axis, extent - moved, 1)},
          {moved, extent, axis_map(axis, -moved, 1)}};
}

/// Returns the intervals of an axis of `n` elements with `before` and `after` more.
std::vector<interval> padded(std::size_t axis, index_t n, index_t before, index_t after,
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

/// Throws shape_error where a boundary cannot show as much.
void check_width(std::size_t axis, const index_vector& shape, index_t width, boundary beyond) {
  if (width < 0) {
    throw shape_error(
        fmt::format("pad: a width of {} along axis {}; widths are at least 0, and slices take "
                    "elements away",
                    width, axis));
  }
  const index_t extent = shape[axis];
  const bool is_reflected = beyond == boundary::reflect;
  const index_t most = is_reflected ? extent - 1 : extent;
  if (width == 0 || beyond == boundary::constant) return;
  if (extent > 0 && (beyond == boundary::edge || width <= most)) return;
  throw shape_error(fmt::format(
      "pad: a width of {} along axis {} of an array of shape {}, whose extent is {}; {}", width,
      axis, format_shape(shape), extent,
      extent == 0 ? "only a constant can lie beyond an axis without elements"
                  : fmt::format("boundary::{} shows at most {} elements, and boundary::edge and "
                                "boundary::constant any number",
                                is_reflected                    ? "reflect"
                                : beyond == boundary::symmetric ? "symmetric"
                                                                : "wrap",
                                most)));
}

}  // namespace

assembly assemble_joined(operand_layouts operands, std::size_t axis) {
  assembly made{{}, concat_layout(operands, axis)};
  const index_vector& shape = made.layout.shape;
  region where = region::whole(shape);
  where.stop[axis] = 0;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    where.start[axis] = where.stop[axis];
    where.stop[axis] += operands[i]->shape[axis];
    std::vector<axis_map> maps = index_map::identity(shape.size()).axes();
    maps[axis].offset = -where.start[axis];
    made.pieces.push_back({where, i, {shape.size(), std::move(maps)}});
  }
  return made;
}

assembly assemble_stacked(operand_layouts operands, std::size_t axis) {
  assembly made{{}, stack_layout(operands, axis)};
  const index_vector& shape = made.layout.shape;
  region where = region::whole(shape);
  where.stop[axis] = 0;
  std::vector<axis_map> maps = index_map::identity(shape.size()).axes();
  maps.erase(maps.begin() + static_cast<std::ptrdiff_t>(axis));
  for (std::size_t i = 0; i < operands.size(); ++i) {
    where.start[axis] = where.stop[axis]++;
    made.pieces.push_back({where, i, {shape.size(), maps}});
  }
  return made;
}

assembly assemble_rolled(const array_layout& of, std::span<const std::size_t> axes,
                         std::span<const index_t> shifts) {
  std::vector<std::vector<interval>> by_axis;
  for (std::size_t axis = 0; axis < of.shape.size(); ++axis) {
    const auto found = std::find(axes.begin(), axes.end(), axis);
    const index_t shift =
        found == axes.end() ? 0 : shifts[static_cast<std::size_t>(found - axes.begin())];
    by_axis.push_back(rolled(axis, of.shape[axis], shift));
  }
  return {pieces_of(by_axis, of.shape), of};
}

assembly assemble_padded(const array_layout& of, std::span<const std::array<index_t, 2>> widths,
                         boundary beyond) {
  index_vector shape = of.shape;
  std::vector<std::vector<interval>> by_axis;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const auto [before, after] = widths[axis];
    check_width(axis, of.shape, before, beyond);
    check_width(axis, of.shape, after, beyond);
    if (__builtin_add_overflow(shape[axis], before, &shape[axis]) ||
        __builtin_add_overflow(shape[axis], after, &shape[axis])) {
      throw shape_error(fmt::format("pad: axis {} would have more than 2^63 - 1 elements", axis));
    }
    by_axis.push_back(padded(axis, of.shape[axis], before, after, beyond));
  }
  require_countable("pad", shape);
  return {pieces_of(by_axis, shape), resized(of, shape)};
}

}  // namespace tessera
