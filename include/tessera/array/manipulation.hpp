// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Functions that move elements without computing: views, concatenations, rechunking.

#include "tessera/array/axis_order.hpp"
#include "tessera/array/broadcasting.hpp"
#include "tessera/array/chunk_lengths.hpp"
#include "tessera/array/joining.hpp"
#include "tessera/array/splitting.hpp"
#include "tessera/expr/rechunk.hpp"
#include "tessera/expr/view.hpp"
#include "tessera/expr/view_maps.hpp"
#include "tessera/meta/axes.hpp"

#include <array>
#include <cstddef>

namespace tessera {

/// Returns `x` with its axes in another order: axis `i` of the result is axis `Axes[i]` of `x`.
///
/// Requires: each axis of `x` once.
template <array_expression X, int... Axes>
[[nodiscard]] auto permute_dims(const X& x, axis_list<Axes...>) {
  constexpr bool is_complete = count_is<sizeof...(Axes), X::rank>;
  constexpr bool is_in_range = !is_complete || axes_in_range<X::rank, Axes...>;
  static_assert(count_is<sizeof...(Axes), X::rank>,
                "tessera::permute_dims(x, axis<...>): requires as many axes as x has");
  static_assert(is_in_range,
                "tessera::permute_dims(x, axis<...>): requires every axis to be in [-rank, rank)");
  static_assert(!is_in_range || axes_distinct<X::rank, Axes...>,
                "tessera::permute_dims(x, axis<...>): requires each axis of x exactly once");
  if constexpr (is_complete && is_in_range && axes_distinct<X::rank, Axes...>) {
    const std::array<std::size_t, X::rank> order{normalised_axis(Axes, X::rank)...};
    return make_view<X::rank>("permute_dims", x, map_permuted(x.layout().shape, order));
  } else {
    return x;
  }
}

/// Returns `x` with new axes of extent 1 at the places `Axes` of the result.
template <array_expression X, int... Axes>
[[nodiscard]] auto expand_dims(const X& x, axis_list<Axes...>) {
  constexpr std::size_t rank = X::rank + sizeof...(Axes);
  static_assert(axes_in_range<rank, Axes...>,
                "tessera::expand_dims(x, axis<...>): requires every axis to be in [-rank, rank) of "
                "the result");
  static_assert(!axes_in_range<rank, Axes...> || axes_distinct<rank, Axes...>,
                "tessera::expand_dims(x, axis<...>): requires axes that differ from each other");
  if constexpr (axes_in_range<rank, Axes...> && axes_distinct<rank, Axes...>) {
    constexpr axis_mask added =
        (axis_mask{0} | ... | (axis_mask{1} << normalised_axis(Axes, rank)));
    return add_axes<rank>("expand_dims", x, added);
  } else {
    return x;
  }
}

/// Returns `x` without the axes `Axes`.
///
/// Throws: shape_error <- one of them has an extent other than 1.
template <array_expression X, int... Axes>
[[nodiscard]] auto squeeze(const X& x, axis_list<Axes...>) {
  static_assert(axes_in_range<X::rank, Axes...>,
                "tessera::squeeze(x, axis<...>): requires every axis to be in [-rank, rank) of x");
  static_assert(!axes_in_range<X::rank, Axes...> || axes_distinct<X::rank, Axes...>,
                "tessera::squeeze(x, axis<...>): requires axes that differ from each other");
  if constexpr (axes_in_range<X::rank, Axes...> && axes_distinct<X::rank, Axes...>) {
    constexpr axis_mask removed =
        (axis_mask{0} | ... | (axis_mask{1} << normalised_axis(Axes, X::rank)));
    return make_view<X::rank - sizeof...(Axes)>("squeeze", x,
                                                map_squeezed(x.layout().shape, removed));
  } else {
    return x;
  }
}

/// Returns `x` backwards along the axes `Axes`; along all of them if none is given.
template <array_expression X, int... Axes>
[[nodiscard]] auto flip(const X& x, axis_list<Axes...> = {}) {
  static_assert(axes_in_range<X::rank, Axes...>,
                "tessera::flip(x, axis<...>): requires every axis to be in [-rank, rank) of x");
  static_assert(!axes_in_range<X::rank, Axes...> || axes_distinct<X::rank, Axes...>,
                "tessera::flip(x, axis<...>): requires axes that differ from each other");
  if constexpr (axes_in_range<X::rank, Axes...> && axes_distinct<X::rank, Axes...>) {
    return make_view<X::rank>("flip", x,
                              map_flipped(x.layout().shape, axis_mask_of<X::rank, Axes...>));
  } else {
    return x;
  }
}

/// Returns `x` in other chunks.
///
/// An elementwise function, reduction or product is computed in these chunks at once; only an array
/// that is there already is copied.
/// Throws: shape_error <- not as many chunks as axes. value_error <- a chunk is not positive.
template <array_expression X>
[[nodiscard]] auto rechunk(const X& x, const chunk_lengths& chunks) {
  const index_vector resolved =
      chunks.resolve("rechunk", x.layout().shape, sizeof(typename X::value_type), x.spec());
  return expression<op::rechunk, X>(op::rechunk{resolved}, x);
}

}  // namespace tessera
