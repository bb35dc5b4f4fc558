// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The maps and shapes of gathers.

#include "tessera/core/index.hpp"
#include "tessera/core/index_map.hpp"
#include "tessera/expr/layout.hpp"
#include "tessera/expr/view_maps.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tessera {

/// Returns `extents` with the one that is -1, if any is, found from the elements of `shape`.
///
/// Throws: shape_error <- two are -1, another is negative, or there are more or fewer elements.
[[nodiscard]] index_vector resolved_shape(std::string_view function, const index_vector& shape,
                                          const index_vector& extents);

/// Returns the view of the elements of `shape`, in row-major order, as an array of shape `to`,
/// which has as many: a gather, or an affine map if axes are only split.
[[nodiscard]] mapped_shape map_reshaped(const index_vector& shape, const index_vector& to);

/// Returns the gather of the elements whose indices along `axis` are listed, in the shape
/// `of_list`, whose axes take its place; without `axis`, along all axes, numbered as one.
///
/// Throws: shape_error <- an index is out of range.
[[nodiscard]] mapped_shape map_taken(std::string_view function, const index_vector& shape,
                                     std::optional<std::size_t> axis, std::vector<index_t> list,
                                     const index_vector& of_list);

/// Returns the gather of the elements whose indices along `axis` are listed for each element of an
/// array of shape `of_list`.
///
/// Throws: shape_error <- an index is out of range, or `of_list` has other extents along other
/// axes.
[[nodiscard]] mapped_shape map_taken_along(const index_vector& shape, std::size_t axis,
                                           std::vector<index_t> list, const index_vector& of_list);

/// Returns the gather of the elements at the points of `lists`, one list for each axis.
///
/// Throws: shape_error <- lists differ in length, or an index is out of range.
[[nodiscard]] mapped_shape map_points(std::string_view function, const index_vector& shape,
                                      std::span<const std::vector<index_t>> lists,
                                      const index_vector& of_lists);

/// Returns the gather that shows the array `counts[k]` times along each axis, one copy behind the
/// other. Requires: a count for each axis.
///
/// Throws: shape_error <- a count is negative, or there are too many elements.
[[nodiscard]] mapped_shape map_tiled(const index_vector& shape, const index_vector& counts);

/// Returns the gather that shows each element along `axis` `count` times; without `axis`, all
/// elements, numbered as one axis.
///
/// Throws: shape_error <- the count is negative, or there are too many elements.
[[nodiscard]] mapped_shape map_repeated(const index_vector& shape, std::optional<std::size_t> axis,
                                        index_t count);

/// Returns the gather that shows each element along `axis` as often as `counts` says.
///
/// Throws: shape_error <- there is not one count for each, or one is negative.
[[nodiscard]] mapped_shape map_repeated(const index_vector& shape, std::size_t axis,
                                        const std::vector<index_t>& counts);

/// Returns the layout of an array seen through `map`, which ends in a gather.
///
/// Chunks: along an axis that is read through a table, as long as those of the array. Of axes that
///         are numbered anew, so that the elements of a chunk follow each other, as many as a row
///         of the array's chunks holds, if that is little enough, else as many as one of them.
[[nodiscard]] array_layout gathered_layout(const array_layout& of, const index_map& map,
                                           const index_vector& shape);

}  // namespace tessera
