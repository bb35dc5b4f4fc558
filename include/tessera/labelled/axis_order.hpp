// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Views with the axes in another order, of arrays with names.
///
/// Memory: none; nothing is computed or copied.

#include "tessera/array/axis_order.hpp"
#include "tessera/array/linear_algebra.hpp"
#include "tessera/array/manipulation.hpp"
#include "tessera/labelled/detail/call.hpp"
#include "tessera/labelled/labelled.hpp"
#include "tessera/meta/axes.hpp"
#include "tessera/meta/dims.hpp"

#include <cstddef>

namespace tessera {

namespace detail {

/// Axis numbers that are the order of axes `Order::value`.
template <class Order>
struct axes_of_order {
  static constexpr axis_numbers value = [] {
    axis_numbers result;
    for (const std::size_t axis : Order::value) result.add(axis);
    return result;
  }();
};
template <std::size_t Rank, class From, class To>
struct order_moved {
  static constexpr auto value = moved_order<Rank>(From{}, To{});
};
template <std::size_t Rank, int A, int B>
struct order_exchanged {
  static constexpr auto value = exchanged_order<Rank>(A, B);
};
template <class D, class Order>
using ordered_dims = chosen_dims_t<axes_of_order<Order>, D>;

template <class T>
inline constexpr bool says_axes = is_axis_list<T> || is_dim_list<T>;

/// `Axes` of an array of the names `D`, by number.
template <class D, class Axes>
using axes_in = std::remove_cvref_t<decltype(under_names<D, false>(Axes{}))>;

template <std::size_t Rank, class From, class To>
inline constexpr bool may_move = false;
template <std::size_t Rank, int... From, int... To>
inline constexpr bool may_move<Rank, axis_list<From...>, axis_list<To...>> =
    sizeof...(From) == sizeof...(To) && axes_in_range<Rank, From..., To...>;

template <class X, int A, int B>
auto exchange_axes(const X& x, axis_list<A> a, axis_list<B> b) {
  const auto exchanged = tessera::swapaxes(x.array(), a, b);
  if constexpr (axes_in_range<X::rank, A, B>) {
    using names = ordered_dims<typename X::dims, order_exchanged<X::rank, A, B>>;
    return labelled_as<names>(exchanged);
  } else {
    return x;
  }
}

}  // namespace detail

/// Returns `x` with its axes in the order of the names: `permute_dims(x, dim<"latitude", "time">)`.
///
/// Requires: each dimension of `x` once.
template <labelled_array X, fixed_string... Names>
[[nodiscard]] auto permute_dims(const X& x, dim_list<Names...>) {
  using names = dims<Names...>;
  constexpr bool are_same = names_are_those_of<names, typename X::dims> && names_differ<names>;
  static_assert(are_same,
                "tessera::permute_dims(x, dim<...>): requires each dimension of x exactly once");
  if constexpr (are_same) {
    return detail::labelled_as<names>(detail::laid_along<names, true>(x));
  } else {
    return x;
  }
}

/// Returns `x` with its axes in reverse order.
template <labelled_array X>
[[nodiscard]] auto transpose(const X& x) {
  return x.T();
}

/// Returns `x` with some axes moved to other places of the result: `moveaxis(x, dim<"time">,
/// axis<-1>)`.
template <labelled_array X, class From, int... To>
requires(detail::says_axes<From>)
    [[nodiscard]] auto moveaxis(const X& x, const From&, axis_list<To...> to) {
  using from = detail::axes_in<typename X::dims, From>;
  const auto moved = tessera::moveaxis(x.array(), from{}, to);
  if constexpr (detail::may_move<X::rank, from, axis_list<To...>>) {
    using order = detail::order_moved<X::rank, from, axis_list<To...>>;
    return detail::labelled_as<detail::ordered_dims<typename X::dims, order>>(moved);
  } else {
    return x;
  }
}

/// Returns `x` with two axes exchanged.
template <labelled_array X, class A, class B>
requires(detail::says_axes<A>&& detail::says_axes<B>)
    [[nodiscard]] auto swapaxes(const X& x, const A&, const B&) {
  using names = typename X::dims;
  return detail::exchange_axes(x, detail::axes_in<names, A>{}, detail::axes_in<names, B>{});
}

/// Returns `x` with its last two axes exchanged.
template <labelled_array X>
[[nodiscard]] auto matrix_transpose(const X& x) {
  return swapaxes(x, axis<-2>, axis<-1>);
}

}  // namespace tessera
