// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Elements put at listed positions along an axis, with a list for each line.

#include "tessera/array/array.hpp"
#include "tessera/array/compute.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/array/indexing.hpp"
#include "tessera/array/ndarray.hpp"
#include "tessera/array/reshaping.hpp"
#include "tessera/function/map.hpp"
#include "tessera/kernel/detail/put_elements.hpp"
#include "tessera/meta/axes.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {
namespace detail {

/// Returns pairs of positions in row-major order: of an element in an array of `shape`, and of its
/// new value in an array of `of_values`. The indices `list`, of the shape `of_list`, run along
/// `axis`. Of several values at one position the last one is put.
///
/// Throws: shape_error <- an index is out of range, or shapes do not fit.
[[nodiscard]] std::vector<put_target> put_targets(const index_vector& shape, std::size_t axis,
                                                  const std::vector<index_t>& list,
                                                  const index_vector& of_list,
                                                  const index_vector& of_values);

/// Tells whether a `V` is put into arrays of elements of type `T`.
template <class T, class V>
inline constexpr bool is_put_into = std::is_convertible_v<V, T>;
template <class T, element U, std::size_t N>
inline constexpr bool is_put_into<T, ndarray<U, N>> = complex_element<T> || !complex_element<U>;
template <class T, array_expression V>
inline constexpr bool is_put_into<T, V> = is_put_into<T, ndarray<typename V::value_type, V::rank>>;

/// Returns the elements that are put, and their shape.
template <element T, class V>
std::pair<std::vector<T>, index_vector> put_values(const V& values) {
  if constexpr (array_expression<V>) {
    return put_values<T>(values.compute());
  } else if constexpr (std::is_convertible_v<V, T>) {
    return {{static_cast<T>(values)}, {}};
  } else {
    std::vector<T> elements;
    for (const auto& value : values.span()) elements.push_back(static_cast<T>(value));
    return {std::move(elements), index_vector(values.shape().begin(), values.shape().end())};
  }
}

}  // namespace detail

/// Returns `x` with `values` at places along an axis: `result(indices(i, j), j) = values(i, j)`
/// along axis 0. Of several values for one place it is the last one, in row-major order.
///
/// Indices:  of an array, lazy or in memory; negative ones count from the end. Along other axes
///           they, and values, are broadcast.
/// Shape, chunks, dtype: as `x`.
/// Memory:   lazy indices and values are computed at once; each worker holds 16 bytes and one
///           element for each index.
/// Throws:   shape_error <- an index is out of range, or extents differ.
/// Complexity: each element searches its position among the indices.
/// Source:   numpy.put_along_axis, but that `x` does not change.
template <array_expression X, element I, std::size_t N, class V, int Axis>
[[nodiscard]] auto put_along_axis(const X& x, const ndarray<I, N>& indices, const V& values,
                                  axis_list<Axis>) {
  using value_type = typename X::value_type;
  constexpr bool is_right =
      N == X::rank && axes_in_range<X::rank, Axis> && std::integral<I> && !std::same_as<I, bool>;
  static_assert(is_right,
                "tessera::put_along_axis(x, indices, values, axis<k>): requires integers of the "
                "rank of x, and an axis in [-rank, rank) of x");
  constexpr bool is_put = detail::is_put_into<value_type, V>;
  static_assert(is_put,
                "tessera::put_along_axis(x, indices, values, axis<k>): requires values that become "
                "elements of x: one, an array of them, lazy or computed");
  if constexpr (is_right && is_put) {
    const auto [list, of_list] = detail::listed(indices);
    auto [elements, of_values] = detail::put_values<value_type>(values);
    const index_vector& shape = x.layout().shape;
    detail::put_elements<value_type> put(
        detail::put_targets(shape, normalised_axis(Axis, X::rank), list, of_list, of_values),
        elements);
    std::array<index_t, N> extents{};
    std::copy(shape.begin(), shape.end(), extents.begin());
    return map(put, x, reshape(arange<std::int64_t>(num_elements(shape)), extents));
  } else {
    return x;
  }
}
template <array_expression X, array_expression I, class V, int Axis>
[[nodiscard]] auto put_along_axis(const X& x, const I& indices, const V& values,
                                  axis_list<Axis> along) {
  return put_along_axis(x, indices.compute(), values, along);
}

}  // namespace tessera
