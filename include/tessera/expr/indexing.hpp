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

/// Returns the part of `x` that `indices` select; what `x(indices...)` calls.
template <array_expression X, class... Indices>
[[nodiscard]] auto index_array(const X& x, const Indices&... indices) {
  constexpr bool are_indices = (is_basic_index<Indices> && ...);
  static_assert(are_indices,
                "tessera: x(...): requires each index to be an integer, "
                "tessera::slice, whole, newaxis or ellipsis");
  if constexpr (are_indices) {
    constexpr std::size_t axes = detail::count_axes<Indices...>;
    static_assert(rank_at_most<axes, X::rank>,
                  "tessera: x(...): requires at most as many indices as the array has axes");
    static_assert(rank_at_most<detail::count_kind<ellipsis_t, Indices...>, 1>,
                  "tessera: x(...): requires at most one ellipsis");
    if constexpr (rank_at_most<axes, X::rank> && detail::count_kind<ellipsis_t, Indices...> <= 1) {
      constexpr std::size_t integers =
          (std::size_t{0} + ... + (detail::is_integer_index<Indices> ? 1u : 0u));
      constexpr std::size_t rank = X::rank - integers + detail::count_kind<newaxis_t, Indices...>;
      const std::array<any_index, sizeof...(Indices)> given{detail::to_any_index(indices)...};
      return make_view<rank>("index", x, map_indexed(x.layout().shape, given));
    } else {
      return x;
    }
  } else {
    return x;
  }
}

}  // namespace tessera
