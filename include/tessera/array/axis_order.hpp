// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Views with the axes in another order, or running the other way.
///
/// Memory: none; nothing is computed or copied.

#include "tessera/expr/view.hpp"
#include "tessera/expr/view_maps.hpp"
#include "tessera/meta/axes.hpp"

#include <array>
#include <cstddef>
#include <utility>

namespace tessera {

namespace detail {

/// Returns the order of the axes with the axes `from` at the positions `to`; the remaining axes
/// keep their order. Requires: axes in range, each list without repeats.
template <std::size_t Rank, int... From, int... To>
consteval std::array<std::size_t, Rank> moved_order(axis_list<From...>, axis_list<To...>) {
  std::array<std::size_t, Rank> order{};
  std::array<bool, Rank> is_taken{};
  std::array<bool, Rank> is_moved{};
  ((order[normalised_axis(To, Rank)] = normalised_axis(From, Rank),
    is_taken[normalised_axis(To, Rank)] = true, is_moved[normalised_axis(From, Rank)] = true),
   ...);
  std::size_t next = 0;
  for (std::size_t axis = 0; axis < Rank; ++axis) {
    if (is_taken[axis]) continue;
    while (is_moved[next]) ++next;
    order[axis] = next++;
  }
  return order;
}

template <std::size_t Rank>
constexpr std::array<std::size_t, Rank> exchanged_order(int a, int b) {
  std::array<std::size_t, Rank> order{};
  for (std::size_t axis = 0; axis < Rank; ++axis) order[axis] = axis;
  std::swap(order[normalised_axis(a, Rank)], order[normalised_axis(b, Rank)]);
  return order;
}

}  // namespace detail

/// Returns `x` with its axes in reverse order, as `x.T()`.
///
/// Source: numpy.transpose; `permute_dims(x, axis<...>)` gives any other order.
template <array_expression X>
[[nodiscard]] auto transpose(const X& x) {
  std::array<std::size_t, X::rank> order{};
  for (std::size_t axis = 0; axis < X::rank; ++axis) order[axis] = X::rank - 1 - axis;
  return make_view<X::rank>("transpose", x, map_permuted(x.layout().shape, order));
}

/// Returns `x` with the axes `From` moved to the positions `To` of the result; the remaining axes
/// keep their order.
///
/// Source: numpy.moveaxis.
template <array_expression X, int... From, int... To>
[[nodiscard]] auto moveaxis(const X& x, axis_list<From...> from, axis_list<To...> to) {
  constexpr bool are_as_many = count_is<sizeof...(From), sizeof...(To)>;
  constexpr bool are_in_range = axes_in_range<X::rank, From..., To...>;
  static_assert(are_as_many,
                "tessera::moveaxis(x, axis<...>, axis<...>): requires as many places as axes");
  static_assert(are_in_range,
                "tessera::moveaxis(x, axis<...>, axis<...>): requires every axis and place to be "
                "in [-rank, rank) of x");
  if constexpr (are_as_many && are_in_range) {
    constexpr bool are_distinct = axes_distinct<X::rank, From...> && axes_distinct<X::rank, To...>;
    static_assert(are_distinct,
                  "tessera::moveaxis(x, axis<...>, axis<...>): requires axes, and places, that "
                  "differ from each other");
    if constexpr (are_distinct) {
      constexpr auto order = detail::moved_order<X::rank>(from, to);
      return make_view<X::rank>("moveaxis", x, map_permuted(x.layout().shape, order));
    } else {
      return x;
    }
  } else {
    return x;
  }
}

/// Returns `x` with the axes `A` and `B` exchanged.
///
/// Source: numpy.swapaxes.
template <array_expression X, int A, int B>
[[nodiscard]] auto swapaxes(const X& x, axis_list<A>, axis_list<B>) {
  constexpr bool are_in_range = axes_in_range<X::rank, A, B>;
  static_assert(are_in_range,
                "tessera::swapaxes(x, axis<a>, axis<b>): requires both axes to be in [-rank, rank) "
                "of x");
  if constexpr (are_in_range) {
    constexpr auto order = detail::exchanged_order<X::rank>(A, B);
    return make_view<X::rank>("swapaxes", x, map_permuted(x.layout().shape, order));
  } else {
    return x;
  }
}

/// Returns `x` with the axis `A` rolled backwards until it is in front of the axis `Start`,
/// which may be the rank. `moveaxis` is clearer.
///
/// Source: numpy.rollaxis.
template <array_expression X, int A, int Start = 0>
[[nodiscard]] auto rollaxis(const X& x, axis_list<A>, axis_list<Start> = {}) {
  constexpr auto rank = static_cast<int>(X::rank);
  constexpr bool are_in_range = axes_in_range<X::rank, A> && Start >= -rank && Start <= rank;
  static_assert(are_in_range,
                "tessera::rollaxis(x, axis<a>, axis<start>): requires an axis in [-rank, rank) of "
                "x, and a start in [-rank, rank]");
  if constexpr (are_in_range) {
    constexpr int from = A < 0 ? A + rank : A;
    constexpr int start = Start < 0 ? Start + rank : Start;
    return moveaxis(x, axis<from>, axis<(from < start ? start - 1 : start)>);
  } else {
    return x;
  }
}

/// Returns `x` with its rows in reverse order.
///
/// Source: numpy.flipud.
template <array_expression X>
[[nodiscard]] auto flipud(const X& x) {
  static_assert(rank_at_least<X::rank, 1>,
                "tessera::flipud(x): requires an array of rank 1 or more");
  return make_view<X::rank>("flipud", x, map_flipped(x.layout().shape, 1));
}

/// Returns `x` with its columns in reverse order.
///
/// Source: numpy.fliplr.
template <array_expression X>
[[nodiscard]] auto fliplr(const X& x) {
  static_assert(rank_at_least<X::rank, 2>,
                "tessera::fliplr(x): requires an array of rank 2 or more");
  return make_view<X::rank>("fliplr", x, map_flipped(x.layout().shape, 2));
}

/// Returns `x` turned `k` times by 90 degrees, from the axis `A` towards the axis `B`; backwards if
/// `k` is negative.
///
/// Source: numpy.rot90.
template <array_expression X, int A = 0, int B = 1>
[[nodiscard]] auto rot90(const X& x, index_t k = 1, axis_list<A, B> = {}) {
  constexpr bool are_in_range = axes_in_range<X::rank, A, B>;
  static_assert(are_in_range,
                "tessera::rot90(x, k, axis<a, b>): requires both axes to be in [-rank, rank) of x");
  if constexpr (are_in_range) {
    constexpr bool are_distinct = axes_distinct<X::rank, A, B>;
    static_assert(are_distinct,
                  "tessera::rot90(x, k, axis<a, b>): requires axes that differ from each other");
    constexpr axis_mask a = axis_mask{1} << normalised_axis(A, X::rank);
    constexpr axis_mask b = axis_mask{1} << normalised_axis(B, X::rank);
    constexpr std::array<axis_mask, 4> flipped{0, b, a | b, a};
    const auto turns = static_cast<std::size_t>(((k % 4) + 4) % 4);
    const auto order = detail::exchanged_order<X::rank>(A, turns % 2 == 0 ? A : B);
    return make_view<X::rank>(
        "rot90", make_view<X::rank>("rot90", x, map_flipped(x.layout().shape, flipped[turns])),
        map_permuted(x.layout().shape, order));
  } else {
    return x;
  }
}

}  // namespace tessera
