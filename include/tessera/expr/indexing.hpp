// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Indexing: `x(whole, slice(0, 10, 2), 3, newaxis, ellipsis)`.

#include "tessera/expr/slice.hpp"
#include "tessera/expr/view.hpp"
#include "tessera/expr/view_maps.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <span>

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

template <class I>
any_index to_any_index(const I& index) {
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

/// Tells whether `Indices` may index an array of rank `Rank`; says what is wrong where they may
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

/// The rank of what `Indices` select of an array of rank `Rank`.
template <std::size_t Rank, class... Indices>
inline constexpr std::size_t indexed_rank = Rank + count_kind<newaxis_t, Indices...> -
                                            (std::size_t{0} + ... +
                                             (is_integer_index<Indices> ? 1u : 0u));

/// Returns the map of an array of `shape` to what `indices` select.
template <class... Indices>
mapped_shape map_of_indices(const index_vector& shape, const Indices&... indices) {
  return map_indexed(shape, std::array<any_index, sizeof...(Indices)>{to_any_index(indices)...});
}

}  // namespace detail

/// Returns the part of `x` that `indices` select; what `x(indices...)` calls.
template <array_expression X, class... Indices>
[[nodiscard]] auto index_array(const X& x, const Indices&... indices) {
  if constexpr (detail::may_index<X::rank, Indices...>()) {
    return make_view<detail::indexed_rank<X::rank, Indices...>>(
        "index", x, detail::map_of_indices(x.layout().shape, indices...));
  } else {
    return x;
  }
}

/// Returns the whole chunks of `x` that `indices` select; what `x.blocks(indices...)` calls.
template <array_expression X, class... Indices>
[[nodiscard]] auto index_blocks(const X& x, const Indices&... indices) {
  constexpr bool keep_axes = detail::count_kind<newaxis_t, Indices...> == 0;
  static_assert(keep_axes,
                "tessera: x.blocks(...): requires each index to be an integer, tessera::slice, "
                "whole or ellipsis; x.blocks(...)(newaxis) adds an axis");
  if constexpr (keep_axes && detail::may_index<X::rank, Indices...>()) {
    const std::array<any_index, sizeof...(Indices)> chosen{detail::to_any_index(indices)...};
    return make_view<X::rank>("blocks", x, map_blocks(x.layout().shape, x.layout().chunks, chosen));
  } else {
    return x;
  }
}

}  // namespace tessera
