// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The same elements with other axes, and several times.

#include "tessera/array/detail/shape_argument.hpp"
#include "tessera/core/index_argument.hpp"
#include "tessera/expr/gathered.hpp"
#include "tessera/meta/axes.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <optional>

namespace tessera {
namespace detail {

/// Returns the elements of `x` in the shape `extents`, one of which may be -1.
template <array_expression X, std::size_t N>
[[nodiscard]] auto reshaped(std::string_view function, const X& x,
                            const std::array<index_t, N>& extents) {
  const index_vector& shape = x.layout().shape;
  const index_vector to =
      resolved_shape(function, shape, index_vector(extents.begin(), extents.end()));
  return make_gathered<N>(function, x, map_reshaped(shape, to));
}

}  // namespace detail

/// Returns the elements of `x`, in row-major order, as an array of another shape:
/// `reshape(x, {12, -1})`. An extent of -1 follows from the remaining extents.
///
/// Chunks: of successive elements: as many as a row of chunks of `x` holds, if a tenth of the
///         allowed memory holds the row, else as many as one chunk. Axes that are only split keep
///         chunks of as many elements as `x` has along the axis.
/// Memory: the block, one chunk and its encoding.
/// Throws: shape_error <- two extents are -1, or the number of elements differs from that of `x`.
/// Complexity: a task reads each chunk once. If chunks would be read more than three times in all,
///             `x` is rechunked first. Arrays in memory and generated ones are not copied.
/// Source: the Array API's `reshape`, NumPy's.
template <array_expression X, std::size_t N>
[[nodiscard]] auto reshape(const X& x, const index_argument (&shape)[N]) {
  return detail::reshaped("reshape", x, detail::to_indices(shape));
}
template <array_expression X, fixed_extents Shape>
[[nodiscard]] auto reshape(const X& x, const Shape& shape) {
  return detail::reshaped("reshape", x, detail::extents_of("reshape", shape));
}
template <array_expression X, std::integral I>
[[nodiscard]] auto reshape(const X& x, I extent) {
  return detail::reshaped("reshape", x, std::array{static_cast<index_t>(extent)});
}

/// Returns the elements of `x` as one axis, in row-major order. As `reshape`.
template <array_expression X>
[[nodiscard]] auto ravel(const X& x) {
  return detail::reshaped("ravel", x, std::array{num_elements(x.layout().shape)});
}
template <array_expression X>
[[nodiscard]] auto flatten(const X& x) {
  return detail::reshaped("flatten", x, std::array{num_elements(x.layout().shape)});
}

/// Returns `x` `counts[k]` times along each axis, one copy behind the other: `tile(x, {2, 3})`.
/// With more counts than axes, `x` gets axes of extent 1 in front. Fewer counts are for the last
/// axes.
///
/// Throws: shape_error <- a count is negative.
/// Source: the Array API's `tile`, NumPy's.
template <array_expression X, fixed_extents Counts>
[[nodiscard]] auto tile(const X& x, const Counts& counts) {
  constexpr auto N = static_cast<std::size_t>(rank_of_shape<Counts>);
  constexpr std::size_t rank = std::max(N, X::rank);
  index_vector axis_counts(rank, 1);
  std::copy(std::begin(counts), std::end(counts), axis_counts.begin() + (rank - N));
  constexpr auto added = static_cast<axis_mask>((std::uint64_t{1} << (rank - X::rank)) - 1);
  const auto with_axes = add_axes<rank>("tile", x, added);
  return make_gathered<rank>("tile", with_axes, map_tiled(with_axes.layout().shape, axis_counts));
}
template <array_expression X, std::size_t N>
[[nodiscard]] auto tile(const X& x, const index_argument (&counts)[N]) {
  return tile(x, detail::to_indices(counts));
}
template <array_expression X, std::integral I>
[[nodiscard]] auto tile(const X& x, I count) {
  return tile(x, std::array{static_cast<index_t>(count)});
}

/// Returns each element of `x` `count` times along an axis. Without an axis, `x` is one axis, in
/// row-major order.
///
/// Throws: shape_error <- the count is negative.
/// Source: the Array API's `repeat`, NumPy's.
template <array_expression X, int... Axis>
[[nodiscard]] auto repeat(const X& x, index_t count, axis_list<Axis...>) {
  static_assert(count_is<sizeof...(Axis), 1> && axes_in_range<X::rank, Axis...>,
                "tessera::repeat(x, count, axis<k>): requires one axis in [-rank, rank) of x");
  if constexpr (sizeof...(Axis) == 1 && axes_in_range<X::rank, Axis...>) {
    constexpr std::size_t along = (normalised_axis(Axis, X::rank) + ...);
    return make_gathered<X::rank>("repeat", x, map_repeated(x.layout().shape, along, count));
  } else {
    return x;
  }
}
template <array_expression X>
[[nodiscard]] auto repeat(const X& x, index_t count) {
  return make_gathered<1>("repeat", x, map_repeated(x.layout().shape, std::nullopt, count));
}

}  // namespace tessera
