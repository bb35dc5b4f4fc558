// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Functions that take an array apart along an axis. Their results are lazy, and are joined again
/// by `concat` and `stack`.

#include "tessera/array/array.hpp"
#include "tessera/array/detail/along.hpp"
#include "tessera/core/index.hpp"
#include "tessera/meta/axes.hpp"

#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace tessera {

namespace detail {

/// Returns `sections` parts of an axis; the first ones are longer by one if it does not divide.
///
/// Throws: value_error <- `sections` is not positive. shape_error <- it does not divide the extent,
/// though `must_divide`.
[[nodiscard]] std::vector<slice> sections_of(std::string_view function, const index_vector& shape,
                                             std::size_t axis, index_t sections, bool must_divide);

/// Returns the parts of an axis before, between and behind `indices`.
[[nodiscard]] std::vector<slice> sections_between(const std::vector<index_t>& indices);

template <element T, std::size_t N>
std::vector<array<T, N>> sections_of(const array<T, N>& x, std::size_t axis,
                                     const std::vector<slice>& parts) {
  std::vector<array<T, N>> result;
  for (const slice& part : parts) result.emplace_back(slice_along(x, axis, part));
  return result;
}

}  // namespace detail

/// Returns the slices of `x` along an axis, without that axis: the first one, unless another is
/// given.
///
/// Source: the Python Array API standard.
template <array_expression X, int Axis = 0>
[[nodiscard]] auto unstack(const X& x, axis_list<Axis> = {}) {
  using value_type = typename X::value_type;
  static_assert(axes_in_range<X::rank, Axis>,
                "tessera::unstack(x, axis<k>): requires an axis in [-rank, rank) of x");
  if constexpr (axes_in_range<X::rank, Axis>) {
    constexpr std::size_t along = normalised_axis(Axis, X::rank);
    const array<value_type, X::rank> lowered(x);
    std::vector<array<value_type, X::rank - 1>> result;
    for (index_t i = 0; i < x.shape()[along]; ++i) {
      result.emplace_back(detail::index_along(lowered, along, i));
    }
    return result;
  } else {
    return std::vector<array<value_type, X::rank>>{};
  }
}

/// Returns parts of `x` along an axis: `sections` of equal extents, or, with indices in braces,
/// the parts before, between and behind them. `split(x, {3, 5}, axis<0>)` is `x(slice(3))`,
/// `x(slice(3, 5))`, `x(slice(5, none))`.
///
/// Throws: value_error <- `sections` is not positive. shape_error <- it does not divide the extent;
///         `array_split` takes that.
/// Source: numpy.split.
template <array_expression X, int Axis = 0>
[[nodiscard]] auto split(const X& x, index_t sections, axis_list<Axis> = {}) {
  constexpr bool is_in_range = axes_in_range<X::rank, Axis>;
  static_assert(is_in_range,
                "tessera::split(x, sections, axis<k>): requires an axis in [-rank, rank) of x");
  constexpr std::size_t along = is_in_range ? normalised_axis(Axis, X::rank) : 0;
  return detail::sections_of(array<typename X::value_type, X::rank>(x), along,
                             detail::sections_of("split", x.layout().shape, along, sections, true));
}
template <array_expression X, int Axis = 0>
[[nodiscard]] auto split(const X& x, const std::vector<index_t>& indices, axis_list<Axis> = {}) {
  constexpr bool is_in_range = axes_in_range<X::rank, Axis>;
  static_assert(is_in_range,
                "tessera::split(x, {indices}, axis<k>): requires an axis in [-rank, rank) of x");
  constexpr std::size_t along = is_in_range ? normalised_axis(Axis, X::rank) : 0;
  return detail::sections_of(array<typename X::value_type, X::rank>(x), along,
                             detail::sections_between(indices));
}
template <array_expression X, int Axis = 0>
[[nodiscard]] auto split(const X& x, std::initializer_list<index_t> indices,
                         axis_list<Axis> along = {}) {
  return split(x, std::vector<index_t>(indices), along);
}

/// Returns `sections` parts of `x` along an axis, the first ones longer by one if the extent
/// does not divide. With indices in braces, returns the same parts as `split`.
///
/// Throws: value_error <- `sections` is not positive.
/// Source: numpy.array_split.
template <array_expression X, int Axis = 0>
[[nodiscard]] auto array_split(const X& x, index_t sections, axis_list<Axis> = {}) {
  constexpr bool is_in_range = axes_in_range<X::rank, Axis>;
  static_assert(is_in_range,
                "tessera::array_split(x, sections, axis<k>): requires an axis in "
                "[-rank, rank) of x");
  constexpr std::size_t along = is_in_range ? normalised_axis(Axis, X::rank) : 0;
  return detail::sections_of(
      array<typename X::value_type, X::rank>(x), along,
      detail::sections_of("array_split", x.layout().shape, along, sections, false));
}
template <array_expression X, int Axis = 0>
[[nodiscard]] auto array_split(const X& x, const std::vector<index_t>& indices,
                               axis_list<Axis> along = {}) {
  return split(x, indices, along);
}
template <array_expression X, int Axis = 0>
[[nodiscard]] auto array_split(const X& x, std::initializer_list<index_t> indices,
                               axis_list<Axis> along = {}) {
  return split(x, std::vector<index_t>(indices), along);
}

}  // namespace tessera
