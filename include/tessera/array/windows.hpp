// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Views along windows, blocks and diagonals. None of them copies elements: an operation reads the
/// array through the view, each chunk as if there were no view.

#include "tessera/core/index.hpp"
#include "tessera/expr/reduction.hpp"
#include "tessera/expr/view.hpp"
#include "tessera/expr/view_maps.hpp"
#include "tessera/function/detail/reduce.hpp"
#include "tessera/function/sums.hpp"
#include "tessera/meta/axes.hpp"

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace tessera {

/// Returns all windows of `lengths` elements along the axes, one behind each element that has one:
/// `mean(sliding_window_view(x, 24, axis<0>), axis<-1>)` is the rolling mean over 24 elements.
///
/// Shape:  `n - length + 1` along each of the axes, then the lengths, as new axes at the end.
/// Throws: shape_error <- a length is less than 1, or greater than the axis.
/// Source: NumPy's `numpy.lib.stride_tricks.sliding_window_view`.
template <array_expression X, int... Axes>
[[nodiscard]] auto sliding_window_view(const X& x,
                                       const std::array<index_t, sizeof...(Axes)>& lengths,
                                       axis_list<Axes...>) {
  static_assert(axes_in_range<X::rank, Axes...>,
                "tessera::sliding_window_view(x, lengths, axis<...>): requires every axis to be in "
                "[-rank, rank) of x");
  static_assert(!axes_in_range<X::rank, Axes...> || axes_distinct<X::rank, Axes...>,
                "tessera::sliding_window_view(x, lengths, axis<...>): requires axes that differ "
                "from each other");
  if constexpr (axes_in_range<X::rank, Axes...> && axes_distinct<X::rank, Axes...>) {
    const std::array<std::size_t, sizeof...(Axes)> axes{normalised_axis(Axes, X::rank)...};
    return make_view<X::rank + sizeof...(Axes)>("sliding_window_view", x,
                                                map_windows(x.layout().shape, axes, lengths));
  } else {
    return x;
  }
}
template <array_expression X, int Axis>
[[nodiscard]] auto sliding_window_view(const X& x, index_t length, axis_list<Axis> along) {
  return sliding_window_view(x, std::array{length}, along);
}

/// Returns the elements at the indices `i` and `i + offset` of two axes, for each `i`.
///
/// Shape:  that of `x` without the two axes, then the diagonal.
/// Source: NumPy's `numpy.diagonal`.
template <array_expression X, int First = 0, int Second = 1>
[[nodiscard]] auto diagonal(const X& x, index_t offset = 0, axis_list<First, Second> = {}) {
  constexpr bool are_axes = axes_in_range<X::rank, First, Second>;
  static_assert(are_axes,
                "tessera::diagonal(x, offset, axis<i, j>): requires two axes in [-rank, rank) of "
                "x, the first two where none are given");
  static_assert(!are_axes || axes_distinct<X::rank, First, Second>,
                "tessera::diagonal(x, offset, axis<i, j>): requires axes that differ from each "
                "other");
  if constexpr (are_axes && axes_distinct<X::rank, First, Second>) {
    return make_view<X::rank - 1>("diagonal", x,
                                  map_diagonal(x.layout().shape, normalised_axis(First, X::rank),
                                               normalised_axis(Second, X::rank), offset));
  } else {
    return x;
  }
}

/// Returns the sum along each diagonal of two axes. Source: NumPy's `numpy.trace`.
template <array_expression X, int First = 0, int Second = 1>
[[nodiscard]] auto trace(const X& x, index_t offset = 0, axis_list<First, Second> axes = {}) {
  return sum(diagonal(x, offset, axes), axis<-1>);
}

namespace detail {

/// Returns `x` with each axis as two: the number of a block of `lengths`, and the index in it.
template <array_expression X>
[[nodiscard]] auto split_in_blocks(std::string_view function, const X& x,
                                   const std::array<index_t, X::rank>& lengths) {
  return make_view<2 * X::rank>(function, x, map_blocks(function, x.layout().shape, lengths));
}

template <class Fold, class X, std::size_t... K>
auto fold_blocks(const Fold& fold, const X& blocks, std::index_sequence<K...>) {
  return reduce(fold, blocks, axis<static_cast<int>(2 * K + 1)...>);
}

}  // namespace detail

/// Returns the fold of each block of `lengths` elements: `coarsen(op::mean{}, x, {4, 4})`.
///
/// Shape:  `n / length` along each axis.
/// Throws: shape_error <- a length is less than 1, or does not divide its extent.
/// Source: `dask.array.coarsen`, xarray's `coarsen(boundary="exact")`.
template <class Fold, array_expression X>
[[nodiscard]] auto coarsen(const Fold& fold, const X& x,
                           const std::array<index_t, X::rank>& lengths) {
  constexpr bool is_taken = fold_takes<Fold, typename X::value_type>;
  static_assert(is_taken,
                "tessera::coarsen(op, x, {n, ...}): requires an op that takes the "
                "elements of x");
  if constexpr (is_taken) {
    return detail::fold_blocks(fold, detail::split_in_blocks("coarsen", x, lengths),
                               std::make_index_sequence<X::rank>());
  } else {
    return x;
  }
}
/// As above, with blocks as long along each axis.
template <class Fold, array_expression X>
[[nodiscard]] auto coarsen(const Fold& fold, const X& x, index_t length) {
  std::array<index_t, X::rank> lengths{};
  lengths.fill(length);
  return coarsen(fold, x, lengths);
}
}  // namespace tessera
