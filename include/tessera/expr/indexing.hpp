// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Indexing: `x(whole, slice(0, 10, 2), 3, newaxis, ellipsis)`, `x(whole, index({3, 1, 1}))`.

#include "tessera/expr/gathered.hpp"
#include "tessera/expr/index_list.hpp"
#include "tessera/expr/slice.hpp"
#include "tessera/expr/view.hpp"
#include "tessera/expr/view_maps.hpp"
#include "tessera/meta/axes.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <numeric>
#include <span>
#include <tuple>
#include <type_traits>
#include <vector>

namespace tessera {
namespace detail {

template <class I>
inline constexpr bool is_integer_index = std::integral<I> && !std::same_as<I, bool>;
template <class I>
inline constexpr bool takes_axis =
    is_integer_index<I> || std::same_as<I, slice> || std::same_as<I, whole_t>;

template <class... Indices>
inline constexpr std::size_t count_axes = (std::size_t{0} + ... + (takes_axis<Indices> ? 1u : 0u));
template <class Kind, class... Indices>
inline constexpr std::size_t count_kind = (std::size_t{0} + ... +
                                           (std::same_as<Kind, Indices> ? 1u : 0u));

/// Returns an index as an alternative of `any_index`.
template <class I>
auto index_alternative(const I& index) {
  if constexpr (is_integer_index<I>) {
    return static_cast<index_t>(index);
  } else {
    return index;
  }
}

}  // namespace detail

/// Tells whether `I` may stand as an index: an integer, slice, whole, newaxis or ellipsis.
template <class I>
inline constexpr bool is_basic_index =
    detail::takes_axis<I> || std::same_as<I, newaxis_t> || std::same_as<I, ellipsis_t>;

namespace detail {

/// Tells whether `Indices` may index an array of rank `Rank`; a static_assert names the mistake if
/// not.
template <std::size_t Rank, class... Indices>
consteval bool may_index() {
  constexpr bool are_indices = (is_basic_index<Indices> && ...);
  static_assert(are_indices,
                "tessera: x(...): requires each index to be an integer, "
                "tessera::slice, whole, newaxis or ellipsis; where(mask, a, b) is for masks");
  if constexpr (are_indices) {
    static_assert(rank_at_most<count_axes<Indices...>, Rank>,
                  "tessera: x(...): requires at most as many indices as the array has axes");
    static_assert(rank_at_most<count_kind<ellipsis_t, Indices...>, 1>,
                  "tessera: x(...): requires at most one ellipsis");
    return count_axes<Indices...> <= Rank && count_kind<ellipsis_t, Indices...> <= 1;
  }
  return false;
}

/// The rank of the part that `Indices` select of an array of rank `Rank`.
template <std::size_t Rank, class... Indices>
inline constexpr std::size_t indexed_rank = Rank + count_kind<newaxis_t, Indices...> -
                                            (std::size_t{0} + ... +
                                             (is_integer_index<Indices> ? 1u : 0u));

/// Returns the map of an array of `shape` to the part that `indices` select.
template <class... Indices>
mapped_shape map_of_indices(const index_vector& shape, const Indices&... indices) {
  return map_indexed(shape,
                     std::array<any_index, sizeof...(Indices)>{index_alternative(indices)...});
}

}  // namespace detail

namespace detail {

template <class I>
inline constexpr bool is_lazy_list = false;
template <array_expression I>
inline constexpr bool is_lazy_list<lazy_index_list<I>> = true;

/// A list of indices is replaced by the whole axis.
template <class I>
using whole_for_list =
    std::conditional_t<std::same_as<I, index_list> || is_lazy_list<I>, whole_t, I>;

/// Returns the index, or the whole axis for a lazy list.
template <class I>
auto whole_or(const I& index) {
  if constexpr (is_lazy_list<I>) {
    return whole;
  } else {
    return index;
  }
}

/// The axis of index `At` in the part that `Indices` select of an array of rank `Rank`.
template <std::size_t Rank, std::size_t At, class... Indices>
inline constexpr std::size_t axis_of_index = [] {
  constexpr std::size_t num_whole = Rank - count_axes<whole_for_list<Indices>...>;
  const std::array<std::size_t, sizeof...(Indices)> axes{(std::same_as<Indices, ellipsis_t>
                                                              ? num_whole
                                                          : is_integer_index<Indices> ? 0
                                                                                      : 1)...};
  return std::accumulate(axes.begin(), axes.begin() + At, std::size_t{0});
}();

/// Returns the elements that the lazy lists among `indices` take of `x`, one list after the other.
/// The other indices have selected `x` from an array of rank `Rank`.
template <std::size_t Rank, std::size_t At, class X, class... Indices>
auto take_lazy_lists(const X& x, const std::tuple<const Indices&...>& indices) {
  if constexpr (At == sizeof...(Indices)) {
    return x;
  } else if constexpr (is_lazy_list<std::tuple_element_t<At, std::tuple<Indices...>>>) {
    constexpr auto along = axis<int{axis_of_index<Rank, At, Indices...>}>;
    return take_lazy_lists<Rank, At + 1>(take(x, std::get<At>(indices).indices, along), indices);
  } else {
    return take_lazy_lists<Rank, At + 1>(x, indices);
  }
}

/// Tells whether the one index is an array: a mask.
template <class... Indices>
inline constexpr bool is_one_array = sizeof...(Indices) == 1 && (array_expression<Indices> && ...);

}  // namespace detail

/// Tells whether `Mask` may select elements of an `X`.
template <class Mask, class X>
inline constexpr bool is_mask_of =
    std::same_as<typename Mask::value_type, bool>&& Mask::rank == X::rank;

/// Returns the part of `x` that `indices` select; the body of `x(indices...)`.
template <array_expression X, class... Indices>
[[nodiscard]] auto index_array(const X& x, const Indices&... indices) {
  if constexpr (detail::is_one_array<Indices...>) {
    static_assert((is_mask_of<Indices, X> && ...),
                  "tessera: x(mask): requires a mask of dtype bool and of the rank of x");
    if constexpr ((is_mask_of<Indices, X> && ...)) {
      return extract(indices..., x);
    } else {
      return x;
    }
  } else if constexpr (!detail::may_index<X::rank, detail::whole_for_list<Indices>...>()) {
    return x;
  } else if constexpr ((detail::is_lazy_list<Indices> || ...)) {
    return detail::take_lazy_lists<X::rank, 0>(index_array(x, detail::whole_or(indices)...),
                                               std::tuple<const Indices&...>(indices...));
  } else if constexpr ((std::same_as<Indices, index_list> || ...)) {
    return make_gathered<detail::indexed_rank<X::rank, Indices...>>(
        "index", x, detail::map_of_indices(x.layout().shape, indices...));
  } else {
    return make_view<detail::indexed_rank<X::rank, Indices...>>(
        "index", x, detail::map_of_indices(x.layout().shape, indices...));
  }
}

/// Returns the elements of `x` at the points of `lists`; the body of `x.at(lists...)`.
template <array_expression X, class... Lists>
[[nodiscard]] auto index_points(const X& x, const Lists&... lists) {
  constexpr bool are_lazy = sizeof...(Lists) > 0 && (is_lazy_indices<Lists> && ...);
  constexpr bool are_lists =
      count_is<sizeof...(Lists), X::rank> && (are_lazy || (is_integer_range<const Lists> && ...));
  static_assert(are_lists,
                "tessera: x.at(lists...): requires a list of integers for each axis of x, in "
                "memory, or for each a lazy array");
  if constexpr (are_lists && are_lazy) {
    return take_points("at", x, lists...);
  } else if constexpr (are_lists) {
    const std::array<std::vector<index_t>, sizeof...(Lists)> values{index(lists).values()...};
    const index_t count = static_cast<index_t>(values.front().size());
    return make_gathered<1>("at", x, map_points("at", x.layout().shape, values, {count}));
  } else {
    return x;
  }
}

/// Returns the whole chunks of `x` that `indices` select; the body of `x.blocks(indices...)`.
template <array_expression X, class... Indices>
[[nodiscard]] auto index_blocks(const X& x, const Indices&... indices) {
  constexpr bool keep_axes = detail::count_kind<newaxis_t, Indices...> == 0;
  static_assert(keep_axes,
                "tessera: x.blocks(...): requires each index to be an integer, tessera::slice, "
                "whole or ellipsis; x.blocks(...)(newaxis) adds an axis");
  if constexpr (keep_axes && detail::may_index<X::rank, Indices...>()) {
    const std::array<any_index, sizeof...(Indices)> chosen{detail::index_alternative(indices)...};
    return make_view<X::rank>("blocks", x, map_blocks(x.layout().shape, x.layout().chunks, chosen));
  } else {
    return x;
  }
}

}  // namespace tessera
