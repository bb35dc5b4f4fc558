// SPDX-License-Identifier: Apache-2.0
/// \file
/// Copies and fills of boxes with strides.
///
/// Problem: the order of the loops decides how much of a cache line is used, and source and target
/// may ask for different orders. Three steps settle it:
///
///   1. axes that are contiguous on both sides are merged, which mostly leaves one or two loops
///   2. the innermost loop has the smallest stride of the target, the loop around it the smallest
///      stride of the source
///   3. if these are different axes, the two loops are a plane, which is copied in tiles: a
///      transposition moves whole cache lines on both sides
#include "tessera/core/strided_copy.hpp"

#include "core/api/cache_sizes.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <type_traits>

namespace tessera::detail {

namespace {

struct copy_axis {
  index_t extent;
  index_t to;    // stride in bytes
  index_t from;  // stride in bytes
};

/// The loops of a copy, outermost first. Adjacent axes that are contiguous on both sides are
/// merged.
///
/// The last loop has the smallest stride of `to`; the loop before it has the smallest stride of
/// `from` among the rest. A transposition is then a loop over planes.
struct copy_loops {
  std::array<copy_axis, max_rank> axes;
  std::size_t size = 0;
  index_t itemsize;

  copy_loops(std::span<const index_t> to, std::span<const index_t> from,
             std::span<const index_t> extents, std::size_t item, std::size_t from_unit)
      : itemsize(static_cast<index_t>(item)) {
    const auto unit = static_cast<index_t>(from_unit);
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      if (extents[axis] == 1) continue;
      const copy_axis next{extents[axis], to[axis] * itemsize, from[axis] * unit};
      if (size > 0 && continues(axes[size - 1], next)) {
        axes[size - 1] = {axes[size - 1].extent * next.extent, next.to, next.from};
      } else {
        axes[size++] = next;
      }
    }
    const auto end = axes.begin() + size;
    std::stable_sort(axes.begin(), end,
                     [](const copy_axis& a, const copy_axis& b) { return longer(a.to, b.to); });
    if (size > 2) {
      const auto smallest = std::min_element(
          axes.begin(), end - 1,
          [](const copy_axis& a, const copy_axis& b) { return longer(b.from, a.from); });
      std::rotate(smallest, smallest + 1, end - 1);
    }
  }

  /// Compares strides by size, without direction.
  static bool longer(index_t a, index_t b) { return std::abs(a) > std::abs(b); }

  /// Tells whether a step along `outer` continues a whole run along `inner`, on both sides.
  static bool continues(const copy_axis& outer, const copy_axis& inner) {
    return outer.to == inner.to * inner.extent && outer.from == inner.from * inner.extent;
  }
};

// memcpy of a constant size compiles to a single move. Buffers of bytes may be unaligned, and hold
// elements of types that are unknown here.

template <class Size, class ToStride, class FromStride>
void copy_elements(std::byte* to, ToStride to_stride, const std::byte* from, FromStride from_stride,
                   index_t size, Size itemsize) {
  for (index_t i = 0; i < size; ++i) {
    std::memcpy(to + i * to_stride, from + i * from_stride, itemsize);
  }
}

/// A constant stride of `to` lets the compiler write whole vectors; a constant stride of `from`, of
/// two elements or of one backwards, lets it read vectors as well.
template <class Size>
void copy_run(std::byte* to, const std::byte* from, const copy_axis& axis, Size itemsize) {
  if constexpr (!std::is_same_v<Size, std::size_t>) {
    constexpr std::integral_constant<index_t, static_cast<index_t>(Size::value)> dense{};
    constexpr std::integral_constant<index_t, 2 * dense> every_second{};
    constexpr std::integral_constant<index_t, -dense> backwards{};
    if (axis.to == dense && axis.from == every_second) {
      return copy_elements(to, dense, from, every_second, axis.extent, itemsize);
    }
    if (axis.to == dense && axis.from == backwards) {
      return copy_elements(to, dense, from, backwards, axis.extent, itemsize);
    }
    if (axis.to == dense) {
      return copy_elements(to, dense, from, axis.from, axis.extent, itemsize);
    }
  }
  copy_elements(to, axis.to, from, axis.from, axis.extent, itemsize);
}

/// Rows and columns of a tile are cache lines of `to` and of `from`.
constexpr index_t line_size = cache_line;
template <class Size>
constexpr index_t turned_side = line_size / index_t{Size::value};

/// Transposes a tile of `rows` x `columns` elements: `from` is dense along the rows' axis, `to`
/// along the columns' axis.
///
/// Whole lines are read in turn into a buffer. If extents are powers of two, the lines of a tile
/// map to the same sets of the cache, which cannot hold them together.
template <class Size, class Rows, class Columns>
void turn_tile(std::byte* to, index_t to_row, const std::byte* from, index_t from_column, Rows rows,
               Columns columns, Size itemsize) {
  constexpr index_t item = Size::value;
  alignas(line_size) std::array<std::byte, line_size * turned_side<Size>> tile;
  for (index_t j = 0; j < columns; ++j) {
    std::memcpy(tile.data() + j * line_size, from + j * from_column,
                static_cast<std::size_t>(rows * item));
  }
  for (index_t i = 0; i < rows; ++i) {
    std::byte* const row = to + i * to_row;
    for (index_t j = 0; j < columns; ++j) {
      std::memcpy(row + j * item, tile.data() + j * line_size + i * item, itemsize);
    }
  }
}

/// Transposes a plane that is dense along `row` in `from`, along `column` in `to`.
template <class Size>
void turn_plane(std::byte* to, const std::byte* from, const copy_axis& row, const copy_axis& column,
                Size itemsize) {
  constexpr std::integral_constant<index_t, turned_side<Size>> side{};
  for (index_t i = 0; i < row.extent; i += side) {
    for (index_t j = 0; j < column.extent; j += side) {
      std::byte* const t = to + i * row.to + j * column.to;
      const std::byte* const f = from + i * row.from + j * column.from;
      const index_t rows = std::min<index_t>(side, row.extent - i);
      const index_t columns = std::min<index_t>(side, column.extent - j);
      if (rows == side && columns == side) {
        turn_tile(t, row.to, f, column.from, side, side, itemsize);
      } else {
        turn_tile(t, row.to, f, column.from, rows, columns, itemsize);
      }
    }
  }
}

/// Tells whether a plane is transposed by whole cache lines: dense, and wide enough on both sides.
template <class Size>
bool is_turned(const copy_axis& row, const copy_axis& column) {
  constexpr index_t item = Size::value;
  constexpr index_t side = turned_side<Size>;
  return row.from == item && column.to == item && 4 * row.extent >= side &&
         2 * column.extent >= side;
}

/// Copies a plane tile by tile, so that both sides stay in the first-level cache.
template <class Size>
void copy_plane(std::byte* to, const std::byte* from, const copy_axis& row, const copy_axis& column,
                Size itemsize) {
  if constexpr (!std::is_same_v<Size, std::size_t>) {
    if (is_turned<Size>(row, column)) return turn_plane(to, from, row, column, itemsize);
  }
  constexpr index_t tile = 32;
  for (index_t i0 = 0; i0 < row.extent; i0 += tile) {
    const index_t i1 = std::min(i0 + tile, row.extent);
    for (index_t j0 = 0; j0 < column.extent; j0 += tile) {
      const index_t j1 = std::min(j0 + tile, column.extent);
      for (index_t i = i0; i < i1; ++i) {
        for (index_t j = j0; j < j1; ++j) {
          std::memcpy(to + i * row.to + j * column.to, from + i * row.from + j * column.from,
                      itemsize);
        }
      }
    }
  }
}

void copy_rows(std::byte* to, const std::byte* from, const copy_axis& row, std::size_t length) {
  for (index_t i = 0; i < row.extent; ++i) {
    std::memcpy(to + i * row.to, from + i * row.from, length);
  }
}

template <class Size>
void fill_plane(std::byte* to, const std::byte* value, const copy_axis& row,
                const copy_axis& column, Size itemsize) {
  const auto item = static_cast<index_t>(itemsize);
  const bool is_uniform = std::count(value, value + item, value[0]) == item;
  const bool is_dense = column.to == item;
  for (index_t i = 0; i < row.extent; ++i) {
    std::byte* const first = to + i * row.to;
    if (is_uniform && is_dense) {
      std::memset(first, std::to_integer<int>(value[0]),
                  static_cast<std::size_t>(column.extent) * itemsize);
      continue;
    }
    for (index_t j = 0; j < column.extent; ++j) {
      std::memcpy(first + j * column.to, value, itemsize);
    }
  }
}

/// Calls `plane(to, from, row, column)` for each plane of the two innermost loops.
template <class Plane>
void for_each_plane(std::byte* to, const std::byte* from, const copy_loops& loops, Plane plane) {
  const std::size_t size = loops.size;
  // A missing loop becomes a loop of extent 1.
  const copy_axis column = size > 0 ? loops.axes[size - 1] : copy_axis{1, loops.itemsize, 0};
  const copy_axis row = size > 1 ? loops.axes[size - 2] : copy_axis{1, 0, 0};
  const std::size_t outer = size > 2 ? size - 2 : 0;

  std::array<index_t, max_rank> position{};
  while (true) {
    plane(to, from, row, column);
    std::size_t axis = outer;
    for (; axis > 0; --axis) {
      const copy_axis& loop = loops.axes[axis - 1];
      to += loop.to;
      from += loop.from;
      if (++position[axis - 1] < loop.extent) break;
      to -= loop.to * loop.extent;
      from -= loop.from * loop.extent;
      position[axis - 1] = 0;
    }
    if (axis == 0) return;
  }
}

/// Calls `f` with `itemsize`, as a constant if it is the size of a number.
template <class F>
void with_itemsize(std::size_t itemsize, F f) {
  switch (itemsize) {
    case 1:
      return f(std::integral_constant<std::size_t, 1>{});
    case 2:
      return f(std::integral_constant<std::size_t, 2>{});
    case 4:
      return f(std::integral_constant<std::size_t, 4>{});
    case 8:
      return f(std::integral_constant<std::size_t, 8>{});
    case 16:
      return f(std::integral_constant<std::size_t, 16>{});
    default:
      return f(itemsize);
  }
}

}  // namespace

namespace {

/// Copies a box of elements; `from_unit` is the unit of the strides of `from`, in bytes.
void copy_box(std::byte* to, std::span<const index_t> to_strides, const std::byte* from,
              std::span<const index_t> from_strides, std::span<const index_t> extents,
              std::size_t itemsize, std::size_t from_unit) {
  if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return;
  const copy_loops loops(to_strides, from_strides, extents, itemsize, from_unit);
  const auto item = static_cast<index_t>(itemsize);
  const bool is_dense = loops.size == 0 || (loops.axes[loops.size - 1].to == item &&
                                            loops.axes[loops.size - 1].from == item);
  if (is_dense) {
    return for_each_plane(to, from, loops, [=](auto* t, auto* f, auto& row, auto& column) {
      copy_rows(t, f, row, static_cast<std::size_t>(column.extent) * itemsize);
    });
  }
  with_itemsize(itemsize, [&](auto size) {
    for_each_plane(to, from, loops, [=](auto* t, auto* f, auto& row, auto& column) {
      if (row.extent > 1 && copy_loops::longer(column.from, row.from)) {
        return copy_plane(t, f, row, column, size);
      }
      for (index_t i = 0; i < row.extent; ++i) {
        copy_run(t + i * row.to, f + i * row.from, column, size);
      }
    });
  });
}

}  // namespace

void copy_strided(std::byte* to, index_t to_stride, const std::byte* from, index_t from_stride,
                  index_t size, std::size_t itemsize) {
  const auto item = static_cast<index_t>(itemsize);
  if (to_stride == item && from_stride == item) {
    std::memcpy(to, from, itemsize * static_cast<std::size_t>(size));
    return;
  }
  with_itemsize(itemsize, [&](auto constant) {
    copy_run(to, from, {size, to_stride, from_stride}, constant);
  });
}

void strided_copy(std::byte* to, std::span<const index_t> to_strides, const std::byte* from,
                  std::span<const index_t> from_strides, std::span<const index_t> extents,
                  std::size_t itemsize) {
  copy_box(to, to_strides, from, from_strides, extents, itemsize, itemsize);
}

void strided_gather(std::byte* to, std::span<const index_t> to_strides, const std::byte* from,
                    std::span<const index_t> from_strides, std::span<const index_t> extents,
                    std::size_t itemsize) {
  copy_box(to, to_strides, from, from_strides, extents, itemsize, 1);
}

void strided_fill(std::byte* to, std::span<const index_t> to_strides,
                  std::span<const index_t> extents, const std::byte* value, std::size_t itemsize) {
  if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return;
  // Strides of 0: all elements come from `value`.
  const index_vector still(extents.size(), 0);
  const copy_loops loops(to_strides, still, extents, itemsize, itemsize);
  with_itemsize(itemsize, [&](auto size) {
    for_each_plane(to, value, loops, [=](auto* t, auto* f, auto& row, auto& column) {
      fill_plane(t, f, row, column, size);
    });
  });
}

void swap_bytes(std::span<std::byte> elements, std::size_t itemsize) {
  if (itemsize < 2) return;
  with_itemsize(itemsize, [&](auto size) {
    for (std::size_t i = 0; i < elements.size(); i += size) {
      std::reverse(elements.data() + i, elements.data() + i + size);
    }
  });
}

}  // namespace tessera::detail
