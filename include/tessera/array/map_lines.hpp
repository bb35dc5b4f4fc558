// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// User functions of the lines of an array, and of several of its axes one after the other.

#include "tessera/array/axis_order.hpp"
#include "tessera/array/manipulation.hpp"
#include "tessera/array/map_blocks.hpp"
#include "tessera/core/index.hpp"
#include "tessera/meta/axes.hpp"

#include <type_traits>

namespace tessera {

/// Returns `f` of each line of `x` along an axis, which is gone then: `apply_along_axis(f, x,
/// axis<0>)`. `f` takes a `std::span<const T>` and returns an element.
///
/// Memory: as `apply_gufunc<"(i)->()">`, which it is. Source: numpy.apply_along_axis.
template <class F, array_expression X, int... Axis>
[[nodiscard]] auto apply_along_axis(const F& f, const X& x, axis_list<Axis...> along) {
  constexpr bool is_axis = count_is<sizeof...(Axis), 1> && axes_in_range<X::rank, Axis...>;
  static_assert(
      is_axis, "tessera::apply_along_axis(f, x, axis<k>): requires one axis in [-rank, rank) of x");
  if constexpr (is_axis) {
    return apply_gufunc<"(i)->()">(f, moveaxis(x, along, axis<-1>));
  } else {
    return x;
  }
}

/// Returns the lines of `length` elements of type `R` that `f` computes from the lines of `x` along
/// an axis:
/// `apply_along_axis<float>(f, x, axis<0>, 5)`. `f` takes a `std::span<const T>` and, to write, a
/// `std::span<R>`.
///
/// Memory: as `apply_gufunc<"(i)->(k)", R>`, which it is. Source: numpy.apply_along_axis.
template <element R, class F, array_expression X, int... Axis>
[[nodiscard]] auto apply_along_axis(const F& f, const X& x, axis_list<Axis...> along,
                                    index_t length) {
  constexpr bool is_axis = count_is<sizeof...(Axis), 1> && axes_in_range<X::rank, Axis...>;
  static_assert(
      is_axis, "tessera::apply_along_axis(f, x, axis<k>): requires one axis in [-rank, rank) of x");
  if constexpr (is_axis) {
    const auto lines = moveaxis(x, along, axis<-1>);
    return moveaxis(apply_gufunc<"(i)->(k)", R>(f, lines, letter<"k">(length)), axis<-1>, along);
  } else {
    return x;
  }
}

/// Returns `f(f(x, axis<k>), axis<l>)` and so on: an axis that `f` removes stays, with extent 1.
/// `apply_over_axes([](const auto& y, auto along) { return sum(y, along); }, x, axis<0, 2>)`.
///
/// Source: numpy.apply_over_axes.
template <class F, array_expression X>
[[nodiscard]] auto apply_over_axes(const F&, const X& x, axis_list<>) {
  return x;
}
template <class F, array_expression X, int Axis, int... Axes>
[[nodiscard]] auto apply_over_axes(const F& f, const X& x, axis_list<Axis, Axes...>) {
  constexpr bool are_axes = axes_in_range<X::rank, Axis, Axes...>;
  static_assert(are_axes,
                "tessera::apply_over_axes(f, x, axis<...>): requires axes in [-rank, rank) of x");
  if constexpr (are_axes) {
    constexpr auto along = axis<static_cast<int>(normalised_axis(Axis, X::rank))>;
    const auto applied = f(x, along);
    using applied_type = std::remove_const_t<decltype(applied)>;
    constexpr bool keeps_rank = [] {
      if constexpr (array_expression<applied_type>) {
        return applied_type::rank == X::rank || applied_type::rank + 1 == X::rank;
      } else {
        return false;
      }
    }();
    static_assert(keeps_rank,
                  "tessera::apply_over_axes(f, x, axis<...>): requires f(x, axis<k>) to return a "
                  "lazy array of the rank of x, or of one axis less");
    if constexpr (!keeps_rank) {
      return x;
    } else if constexpr (applied_type::rank == X::rank) {
      return apply_over_axes(f, applied, axis<Axes...>);
    } else {
      return apply_over_axes(f, expand_dims(applied, along), axis<Axes...>);
    }
  } else {
    return x;
  }
}

}  // namespace tessera
