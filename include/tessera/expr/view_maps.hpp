// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The maps and shapes of views.

#include "tessera/core/index.hpp"
#include "tessera/core/index_map.hpp"
#include "tessera/expr/index_list.hpp"
#include "tessera/expr/slice.hpp"
#include "tessera/meta/axes.hpp"

#include <cstddef>
#include <span>
#include <string_view>
#include <variant>

namespace tessera {

/// An index map and the shape that it is seen in.
struct mapped_shape {
  index_map map;
  index_vector shape;
};

/// Returns the view with axes of extent 1 at the axes in `added`, a mask over the `rank` axes of
/// the view.
[[nodiscard]] mapped_shape map_added_axes(const index_vector& shape, axis_mask added,
                                          std::size_t rank);

/// Returns the view without the axes in `removed`.
///
/// Throws: shape_error <- one of them has an extent other than 1.
[[nodiscard]] mapped_shape map_squeezed(const index_vector& shape, axis_mask removed);

/// Returns the view whose axis `i` is axis `order[i]` of the array.
[[nodiscard]] mapped_shape map_permuted(const index_vector& shape,
                                        std::span<const std::size_t> order);

/// Returns the view that runs backwards along the axes in `flipped`.
[[nodiscard]] mapped_shape map_flipped(const index_vector& shape, axis_mask flipped);

/// Returns the view broadcast to `to`. Throws: shape_error <- it cannot be.
[[nodiscard]] mapped_shape map_broadcast(const index_vector& shape, const index_vector& to);

/// Returns the view of all windows of `lengths` elements along `axes`; the windows' own axes come
/// last.
///
/// Throws: shape_error <- a length is less than 1, or greater than its axis.
[[nodiscard]] mapped_shape map_windows(const index_vector& shape, std::span<const std::size_t> axes,
                                       std::span<const index_t> lengths);

/// Returns the view whose axis `2 k` is the block of `lengths[k]` elements of axis `k`, and whose
/// axis `2 k + 1` is the position in the block.
///
/// Throws: shape_error <- a length is less than 1, or does not divide its axis.
[[nodiscard]] mapped_shape map_blocks(std::string_view function, const index_vector& shape,
                                      std::span<const index_t> lengths);

/// Returns the view of the elements that have indices along `first` and `second` which differ
/// by `offset`; their axis comes last.
[[nodiscard]] mapped_shape map_diagonal(const index_vector& shape, std::size_t first,
                                        std::size_t second, index_t offset);

/// One index of `x(...)`.
using any_index = std::variant<index_t, slice, whole_t, newaxis_t, ellipsis_t, index_list>;

/// Returns the view that `indices` select; a gather if lists are among them.
///
/// Throws: shape_error <- an integer is out of range, or a mask is as long as no axis. value_error
/// <- a step is zero.
[[nodiscard]] mapped_shape map_indexed(const index_vector& shape,
                                       std::span<const any_index> indices);

/// Returns the view of the elements that `part` selects along `axis`.
[[nodiscard]] mapped_shape map_slice(const index_vector& shape, std::size_t axis,
                                     const slice& part);

/// Returns the view, without `axis`, of the elements at `index` along `axis`.
///
/// Throws: shape_error <- `index` is out of range.
[[nodiscard]] mapped_shape map_index(const index_vector& shape, std::size_t axis, index_t index);

/// Returns the view of the chunks that `indices`, none of them `newaxis`, select of their grid.
///
/// Throws: shape_error <- an integer is out of range. value_error <- a step is not 1.
[[nodiscard]] mapped_shape map_blocks(const index_vector& shape, const index_vector& chunks,
                                      std::span<const any_index> indices);

}  // namespace tessera
