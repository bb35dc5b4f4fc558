// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Differences of neighbours, and derivatives by them.

#include "tessera/array/array.hpp"
#include "tessera/array/detail/along.hpp"
#include "tessera/array/joining.hpp"
#include "tessera/function/arithmetic.hpp"
#include "tessera/function/comparison.hpp"
#include "tessera/function/conversion.hpp"
#include "tessera/function/detail/reduce.hpp"
#include "tessera/function/division.hpp"
#include "tessera/function/sign.hpp"
#include "tessera/meta/axes.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tessera {

namespace detail {

/// Throws value_error <- `order` is negative.
void check_order(index_t order);

/// Throws shape_error <- an axis is shorter than `least`.
void check_gradient_extent(const index_vector& shape, std::size_t axis, index_t least);

/// Throws shape_error <- the coordinates are not as many as there are elements along the axis.
void check_coordinates(const index_vector& shape, std::size_t axis, index_t coordinates);

template <array_expression X>
auto difference_along(const X& x, std::size_t axis) {
  const auto after = slice_along(x, axis, slice(1, none));
  const auto before = slice_along(x, axis, slice(none, -1));
  if constexpr (boolean_element<typename X::value_type>) {
    return after != before;
  } else {
    return after - before;
  }
}

}  // namespace detail

/// Returns the difference of each element and the one before it along an axis, the last one unless
/// another is given. Of bool: whether they differ.
///
/// Shape:  that of `x`, shorter by 1 along the axis; 0 stays 0.
/// Source: numpy.diff.
template <array_expression X, int Axis = -1>
[[nodiscard]] auto diff(const X& x, axis_list<Axis> = {}) {
  static_assert(axes_in_range<X::rank, Axis>,
                "tessera::diff(x, axis<k>): requires an axis in [-rank, rank) of x");
  if constexpr (axes_in_range<X::rank, Axis>) {
    return detail::difference_along(x, normalised_axis(Axis, X::rank));
  } else {
    return x;
  }
}

/// Returns the differences of order `n`: the differences of the differences of order `n - 1`.
///
/// Throws: value_error <- `n` is negative.
template <array_expression X, int Axis = -1>
[[nodiscard]] auto diff(const X& x, index_t n, axis_list<Axis> = {}) {
  static_assert(axes_in_range<X::rank, Axis>,
                "tessera::diff(x, n, axis<k>): requires an axis in [-rank, rank) of x");
  detail::check_order(n);
  array<typename X::value_type, X::rank> result = x;
  if constexpr (axes_in_range<X::rank, Axis>) {
    const std::size_t axis = normalised_axis(Axis, X::rank);
    // Each difference is one element shorter, down to none.
    for (index_t order = std::min(n, x.shape()[axis]); order > 0; --order) {
      result = detail::difference_along(result, axis);
    }
  }
  return result;
}

/// The type of `edge_order`.
template <int Order>
struct edge_order_t {
  explicit edge_order_t() = default;
};
/// The number of differences of `gradient` at the ends of an axis: `edge_order<1>`,
/// `edge_order<2>`.
template <int Order>
inline constexpr edge_order_t<Order> edge_order{};

namespace detail {

template <class T>
inline constexpr int edge_order_of = 0;
template <int Order>
inline constexpr int edge_order_of<edge_order_t<Order>> = Order;

/// Tells whether a `T` states distances of elements: a number, or coordinates.
template <class T>
inline constexpr bool is_spacing = weak_scalar<T>;
template <array_expression X>
inline constexpr bool is_spacing<X> = X::rank == 1;

template <class T>
auto spacing_or_nothing(const T& option) {
  if constexpr (is_spacing<T>) {
    return std::tuple<const T&>(option);
  } else {
    return std::tuple();
  }
}

/// Three neighbours from the element `first` on, along an axis, times `a`, `b`, `c`; for each of
/// `count` elements.
template <class X, class A, class B, class C>
auto weighted(const X& x, std::size_t axis, index_t first, index_t count, const A& a, const B& b,
              const C& c) {
  const auto part = [&](index_t from) {
    return slice_along(x, axis, slice(first + from, first + from + count));
  };
  return a * part(0) + b * part(1) + c * part(2);
}

/// The derivative of `x` along an axis of elements that are `h` apart: at the first element, at
/// inner elements, at the last one.
template <int Order, class X, weak_scalar Step>
auto derivatives(const X& x, std::size_t axis, Step step) {
  const auto h = static_cast<double>(step);
  const auto after = slice_along(x, axis, slice(2, none));
  const auto between = (after - slice_along(x, axis, slice(none, -2))) / (2 * h);
  if constexpr (Order == 2) {
    const index_t n = x.layout().shape[axis];
    return std::tuple{weighted(x, axis, 0, 1, -1.5 / h, 2 / h, -0.5 / h), between,
                      weighted(x, axis, n - 3, 1, 0.5 / h, -2 / h, 1.5 / h)};
  } else {
    const auto ends = difference_along(x, axis);
    return std::tuple{slice_along(ends, axis, slice(0, 1)) / h, between,
                      slice_along(ends, axis, slice(-1, none)) / h};
  }
}

/// The same for elements at `coordinates`: the derivative of the parabola through three.
template <int Order, class X, array_expression Coordinates>
auto derivatives(const X& x, std::size_t axis, const Coordinates& coordinates) {
  const index_t n = x.layout().shape[axis];
  check_coordinates(x.layout().shape, axis, coordinates.shape()[0]);
  const auto at = stand_along<X::rank>("gradient", as_floating(coordinates), axis);
  const auto steps = difference_along(at, axis);
  const auto p = slice_along(steps, axis, slice(none, -1));
  const auto q = slice_along(steps, axis, slice(1, none));
  const auto between =
      weighted(x, axis, 0, n - 2, -q / (p * (p + q)), (q - p) / (p * q), p / (q * (p + q)));
  if constexpr (Order == 2) {
    const auto first = [&](const auto& values) { return slice_along(values, axis, slice(0, 1)); };
    const auto last = [&](const auto& values) {
      return slice_along(values, axis, slice(-1, none));
    };
    return std::tuple{weighted(x, axis, 0, 1, first(-(2 * p + q) / (p * (p + q))),
                               first((p + q) / (p * q)), first(-p / (q * (p + q)))),
                      between,
                      weighted(x, axis, n - 3, 1, last(q / (p * (p + q))), last(-(p + q) / (p * q)),
                               last((p + 2 * q) / (q * (p + q))))};
  } else {
    const auto ends = difference_along(x, axis) / steps;
    return std::tuple{slice_along(ends, axis, slice(0, 1)), between,
                      slice_along(ends, axis, slice(-1, none))};
  }
}

template <int Order, std::size_t Axis, class X, class Spacing>
auto gradient_along(const X& x, const Spacing& spacing) {
  check_gradient_extent(x.layout().shape, Axis, Order + 1);
  const auto [first, between, last] = derivatives<Order>(x, Axis, spacing);
  return converted<typename X::value_type>(
      concat(first, between, last, axis<static_cast<int>(Axis)>));
}

template <int Order, class X, int... Axes, class Spacings, std::size_t... I>
auto gradients(const X& x, axis_list<Axes...>, const Spacings& spacings,
               std::index_sequence<I...>) {
  constexpr bool has_one = std::tuple_size_v<Spacings> == 1;
  const auto spacing = [&]<std::size_t Number>(std::integral_constant<std::size_t, Number>) {
    if constexpr (std::tuple_size_v<Spacings> == 0) {
      return 1.0;
    } else {
      return std::get < has_one ? 0 : Number > (spacings);
    }
  };
  std::tuple results{gradient_along<Order, normalised_axis(Axes, X::rank)>(
      x, spacing(std::integral_constant<std::size_t, I>{}))...};
  if constexpr (sizeof...(I) == 1) {
    return std::get<0>(std::move(results));
  } else {
    return results;
  }
}

}  // namespace detail

/// Tells whether each of `Options` is one of a gradient.
template <class... Options>
inline constexpr bool are_gradient_options = ((detail::is_axis_list<Options> ||
                                               detail::is_spacing<Options> ||
                                               detail::edge_order_of<Options> == 1 ||
                                               detail::edge_order_of<Options> == 2) &&
                                              ...);

/// Returns the derivative of `x` along an axis, or a tuple of derivatives along several axes, by
/// default along all: `gradient(x, 0.5, axis<0>)`,
/// `gradient(x, latitudes, longitudes, axis<1, 2>)`.
///
/// Between the ends it is the second order difference of both neighbours.
/// Options: the distance of elements, 1 by default: one number for all axes, or for each axis a
///          number or its coordinates, of rank 1; `edge_order<2>` for differences of three elements
///          at the ends, in the place of two; axes.
/// Dtype:   that of `x`; float64 of integers.
/// Throws:  shape_error <- an axis has fewer elements than a difference at its end takes, or not as
///          many as coordinates are given.
/// Source:  numpy.gradient.
template <array_expression X, class... Options>
[[nodiscard]] auto gradient(const X& x, const Options&... options) {
  constexpr bool are_options = are_gradient_options<Options...>;
  static_assert(are_options,
                "tessera::gradient(x, options...): requires each option to be a number or array of "
                "rank 1 for the spacing, axis<k>, edge_order<1> or edge_order<2>");
  using axes = detail::axes_or_all<X::rank, Options...>;
  constexpr bool fit = axes_fit<X::rank, axes>;
  static_assert(fit,
                "tessera::gradient(x, axis<...>): requires every axis to be in [-rank, rank) of x");
  constexpr std::size_t num_spacings = (std::size_t{0} + ... + detail::is_spacing<Options>);
  constexpr bool are_enough = num_spacings <= 1 || num_spacings == axes::size;
  static_assert(are_enough,
                "tessera::gradient(x, spacings...): requires one spacing, or one for each axis");
  if constexpr (are_options && fit && are_enough) {
    constexpr int order = std::max({1, detail::edge_order_of<Options>...});
    return detail::gradients<order>(detail::as_floating(x), axes{},
                                    std::tuple_cat(detail::spacing_or_nothing(options)...),
                                    std::make_index_sequence<axes::size>{});
  } else {
    return x;
  }
}

}  // namespace tessera
