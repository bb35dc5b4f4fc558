// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Shape arguments besides braces: an extent, a `std::array`, or, for a given rank, any list of
/// extents.

#include "tessera/core/index.hpp"
#include "tessera/core/shape_array.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <span>
#include <string_view>
#include <type_traits>

namespace tessera {

/// Tells whether the number of extents in an `S` is known: its rank, as `rank_of_shape`.
template <class S>
inline constexpr int rank_of_shape = std::integral<S> ? 1 : -1;
template <std::integral I, std::size_t N>
inline constexpr int rank_of_shape<std::array<I, N>> = static_cast<int>(N);
template <std::size_t N>
inline constexpr int rank_of_shape<shape_array<N>> = static_cast<int>(N);
template <std::integral I, std::size_t N>
inline constexpr int rank_of_shape<I[N]> = static_cast<int>(N);

/// A list of integers of a length that the compiler knows: `std::array<I, N>`, `I[N]`.
template <class S>
concept fixed_extents = !std::integral<S> && rank_of_shape<S> >= 0;

/// Tells whether an `S` is a list of extents.
template <class S>
inline constexpr bool is_extent_list = requires(const S& s) {
  { *std::begin(s) } -> std::convertible_to<index_t>;
  { std::size(s) } -> std::convertible_to<std::size_t>;
};

/// Tells whether the rank of a shape is known to the compiler, from `S` or from `N`.
template <class S, std::size_t... N>
inline constexpr bool is_rank_known = rank_of_shape<S> >= 0 ||
                                      (sizeof...(N) == 1 && is_extent_list<S>);

namespace detail {

/// Throws shape_error unless `given` extents are as many as the rank that was asked for.
void check_rank(std::string_view function, std::size_t given, std::size_t rank);

/// Returns the extents in `shape`, of rank `N` if it is given. Returns none if `shape` is no shape:
/// the caller's static_assert has refused it already.
template <class Shape, std::size_t... N>
[[nodiscard]] auto extents_of(std::string_view function, const Shape& shape) {
  constexpr std::size_t given = (std::size_t{0} + ... + N);
  constexpr std::size_t rank = sizeof...(N) == 1 || !is_rank_known<Shape, N...>
                                   ? given
                                   : static_cast<std::size_t>(rank_of_shape<Shape>);
  std::array<index_t, rank> result{};
  if constexpr (std::integral<Shape>) {
    result[0] = static_cast<index_t>(shape);
  } else if constexpr (is_rank_known<Shape, N...>) {
    check_rank(function, std::size(shape), rank);
    auto extent = std::begin(shape);
    for (index_t& value : result) value = static_cast<index_t>(*extent++);
  }
  return result;
}

}  // namespace detail
}  // namespace tessera
