// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Elements by lists of indices. A list in memory is known when the array is made, so that tasks
/// read only the chunks of its indices, each once. With a lazy list, tasks pass over all chunks.

#include "tessera/array/detail/taking.hpp"
#include "tessera/array/ndarray.hpp"
#include "tessera/expr/gathered.hpp"
#include "tessera/expr/index_list.hpp"
#include "tessera/expr/indexing.hpp"
#include "tessera/meta/axes.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera {

/// Tells whether an `I` lists indices: it is a range of integers, or a computed array of them.
template <class I>
inline constexpr bool lists_indices = false;
template <class I>
requires is_integer_range<I>
inline constexpr bool lists_indices<I> =
    !std::same_as<std::iter_value_t<detail::iterator_of<I>>, bool>;
template <class T, std::size_t N>
inline constexpr bool lists_indices<const ndarray<T, N>> =
    std::integral<T> && !std::same_as<T, bool>;

namespace detail {

/// The rank of a list of indices.
template <class I>
inline constexpr std::size_t rank_of_list = 1;
template <class T, std::size_t N>
inline constexpr std::size_t rank_of_list<ndarray<T, N>> = N;

/// Returns the indices of a list in row-major order, and its shape.
template <class I>
std::pair<std::vector<index_t>, index_vector> listed(const I& indices) {
  std::vector<index_t> values(std::begin(indices), std::end(indices));
  const index_vector shape{static_cast<index_t>(values.size())};
  return {std::move(values), shape};
}
template <class T, std::size_t N>
std::pair<std::vector<index_t>, index_vector> listed(const ndarray<T, N>& indices) {
  const auto elements = indices.span();
  return {std::vector<index_t>(elements.begin(), elements.end()),
          index_vector(indices.shape().begin(), indices.shape().end())};
}

}  // namespace detail

/// Returns the elements of `x` at `indices` along an axis: `take(x, {3, 1, 1, 7}, axis<0>)`.
/// Without an axis, `x` is one axis, in row-major order.
///
/// Indices: of a list, span, `std::vector` or computed array, or a lazy array; negative ones count
///          from the end.
/// Shape:   that of `x` with the shape of `indices` in the place of the axis.
/// Chunks:  along the list as long as the chunks of `x` along the axis; along a lazy list its
///          chunks, as far as no chunk has more elements than the greatest of both.
/// Memory:  the block, one chunk and its encoding, and 8 bytes for each index of the block; for
///          lazy ones also their block, and 4 bytes in place of 8.
/// Throws:  shape_error <- an index is out of range. task_error <- one of a lazy array is.
/// Complexity: a task reads each chunk of its indices once. If they are lazy, it reads all of `x`
///             along the axis. Its block has as much of the list as a quarter of the memory holds.
///             If that is not the whole list, `x` is read once for each block.
/// Source:  the Array API's `take`, NumPy's.
template <array_expression X, class I, int... Axis>
[[nodiscard]] auto take(const X& x, const I& indices, axis_list<Axis...>) {
  static_assert(lists_indices<const I> || is_lazy_indices<I>,
                "tessera::take(x, indices, axis<k>): requires indices that are integers, in a "
                "list, span, std::vector, computed or lazy array");
  static_assert(count_is<sizeof...(Axis), 1> && axes_in_range<X::rank, Axis...>,
                "tessera::take(x, indices, axis<k>): requires one axis in [-rank, rank) of x");
  if constexpr (lists_indices<const I> && sizeof...(Axis) == 1 && axes_in_range<X::rank, Axis...>) {
    auto [list, shape] = detail::listed(indices);
    constexpr std::size_t along = (normalised_axis(Axis, X::rank) + ...);
    return make_gathered<X::rank - 1 + detail::rank_of_list<I>>(
        "take", x, map_taken("take", x.layout().shape, along, std::move(list), shape));
  } else if constexpr (is_lazy_indices<I> && sizeof...(Axis) == 1 &&
                       axes_in_range<X::rank, Axis...>) {
    return detail::take_list<(normalised_axis(Axis, X::rank) + ...)>("take", x, indices);
  } else {
    return x;
  }
}
template <array_expression X, int... Axis>
[[nodiscard]] auto take(const X& x, std::initializer_list<index_t> indices,
                        axis_list<Axis...> along) {
  return take(x, std::vector<index_t>(indices), along);
}
template <array_expression X, class I>
[[nodiscard]] auto take(const X& x, const I& indices) {
  static_assert(lists_indices<const I> || is_lazy_indices<I>,
                "tessera::take(x, indices): requires indices that are integers, in a list, span, "
                "std::vector, computed or lazy array");
  if constexpr (lists_indices<const I>) {
    auto [list, shape] = detail::listed(indices);
    return make_gathered<detail::rank_of_list<I>>(
        "take", x, map_taken("take", x.layout().shape, {}, std::move(list), shape));
  } else if constexpr (is_lazy_indices<I> && X::rank > 0) {
    return detail::take_points("take", x, indices);
  } else if constexpr (is_lazy_indices<I>) {
    return take(x(newaxis), indices, axis<0>);
  } else {
    return x;
  }
}
template <array_expression X>
[[nodiscard]] auto take(const X& x, std::initializer_list<index_t> indices) {
  return take(x, std::vector<index_t>(indices));
}

/// Returns each element of `x` along an axis repeated: element `i` `counts[i]` times.
///
/// Requires: a list, span, `std::vector` or computed array of integers, one for each element of the
///           axis.
/// Throws:   shape_error <- there are more or fewer, or one is negative.
/// Source:   the Array API's `repeat`, NumPy's.
template <array_expression X, class I, int... Axis>
requires lists_indices<const I>
[[nodiscard]] auto repeat(const X& x, const I& counts, axis_list<Axis...>) {
  static_assert(count_is<sizeof...(Axis), 1> && axes_in_range<X::rank, Axis...>,
                "tessera::repeat(x, counts, axis<k>): requires one axis in [-rank, rank) of x");
  if constexpr (sizeof...(Axis) == 1 && axes_in_range<X::rank, Axis...>) {
    constexpr std::size_t along = (normalised_axis(Axis, X::rank) + ...);
    return make_gathered<X::rank>(
        "repeat", x, map_repeated(x.layout().shape, along, detail::listed(counts).first));
  } else {
    return x;
  }
}
template <array_expression X, int... Axis>
[[nodiscard]] auto repeat(const X& x, std::initializer_list<index_t> counts,
                          axis_list<Axis...> along) {
  return repeat(x, std::vector<index_t>(counts), along);
}

}  // namespace tessera
