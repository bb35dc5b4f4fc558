// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Views in which arrays have more axes, or longer ones.
///
/// Memory: none; nothing is computed or copied.

#include "tessera/array/detail/along.hpp"
#include "tessera/array/detail/shape_argument.hpp"
#include "tessera/core/index_argument.hpp"
#include "tessera/expr/layout.hpp"
#include "tessera/expr/view.hpp"
#include "tessera/expr/view_maps.hpp"
#include "tessera/function/detail/arguments.hpp"
#include "tessera/meta/axes.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <tuple>
#include <utility>

namespace tessera {

/// Returns `x` broadcast to `shape`; nothing is copied.
///
/// Throws: shape_error <- an extent of `x` is neither that of `shape` nor 1, or there are more than
///         2^63 - 1 elements.
template <array_expression X, fixed_extents Shape>
[[nodiscard]] auto broadcast_to(const X& x, const Shape& shape) {
  constexpr auto N = static_cast<std::size_t>(rank_of_shape<Shape>);
  static_assert(rank_at_most<X::rank, N>,
                "tessera::broadcast_to(x, shape): requires at least as many extents as x has axes");
  if constexpr (rank_at_most<X::rank, N>) {
    return make_view<N>("broadcast_to", x,
                        map_broadcast(x.layout().shape, {std::begin(shape), std::end(shape)}));
  } else {
    return x;
  }
}
template <array_expression X, std::size_t N>
[[nodiscard]] auto broadcast_to(const X& x, const index_argument (&shape)[N]) {
  return broadcast_to(x, detail::to_indices(shape));
}

/// Returns the shape that arrays of these shapes have when they are computed together.
///
/// Throws: shape_error <- two extents of an axis differ, and neither is 1.
/// Source: numpy.broadcast_shapes.
template <std::size_t... N>
[[nodiscard]] auto broadcast_shapes(const std::array<index_t, N>&... shapes) {
  index_vector result;
  ((result = broadcast_shapes("broadcast_shapes", result, {shapes.begin(), shapes.end()})), ...);
  return detail::to_array<std::max({std::size_t{0}, N...})>(result);
}

/// Returns the arrays, each broadcast to the shape that they have together: a tuple.
///
/// Throws: as `broadcast_shapes`.
/// Source: numpy.broadcast_arrays.
template <array_expression... Xs>
[[nodiscard]] auto broadcast_arrays(const Xs&... xs) {
  const auto shape = broadcast_shapes(xs.shape()...);
  return std::tuple{broadcast_to(xs, shape)...};
}

/// Returns `x` with axes of extent 1 in front, so that it has at least `N`.
///
/// Source: array_api_extra.atleast_nd.
template <std::size_t N, array_expression X>
[[nodiscard]] auto atleast_nd(const X& x) {
  if constexpr (X::rank >= N) {
    return x;
  } else {
    return add_axes<N>("atleast_nd", x, (axis_mask{1} << (N - X::rank)) - 1);
  }
}

/// Returns `x`, or a number as an array of one element.
template <array_expression X>
[[nodiscard]] auto atleast_1d(const X& x) {
  return atleast_nd<1>(x);
}

/// Returns `x`, of rank 1 as one row.
template <array_expression X>
[[nodiscard]] auto atleast_2d(const X& x) {
  return atleast_nd<2>(x);
}

/// Returns `x`, of rank 2 as many columns of one element behind each other, of rank 1 as one row
/// of them.
///
/// Source: numpy.atleast_3d.
template <array_expression X>
[[nodiscard]] auto atleast_3d(const X& x) {
  if constexpr (X::rank == 2) {
    return add_axes<3>("atleast_3d", x, axis_mask{4});
  } else if constexpr (X::rank == 1) {
    return add_axes<3>("atleast_3d", x, axis_mask{5});
  } else {
    return atleast_nd<3>(x);
  }
}

/// The type of `ij`.
struct ij_t {
  explicit ij_t() = default;
};
/// Asks `meshgrid` for axes in the order of the arrays, as matrices have them.
inline constexpr ij_t ij{};

namespace detail {

template <class X>
inline constexpr bool is_line = false;
template <array_expression X>
inline constexpr bool is_line<X> = X::rank == 1;

/// Tells whether `Args` are arrays of rank 1, and the last of them may be `ij`.
template <class... Args>
inline constexpr bool are_lines = false;
template <>
inline constexpr bool are_lines<> = true;
template <>
inline constexpr bool are_lines<ij_t> = true;
template <class Arg, class... Args>
requires is_line<Arg>
inline constexpr bool are_lines<Arg, Args...> = are_lines<Args...>;

template <bool IsIj, class Args, std::size_t... I>
auto meshgrid_of(const Args& args, std::index_sequence<I...>) {
  constexpr std::size_t rank = sizeof...(I);
  constexpr auto axis_of = [](std::size_t i) { return IsIj || rank < 2 || i > 1 ? i : 1 - i; };
  std::array<index_t, rank> shape{};
  ((shape[axis_of(I)] = std::get<I>(args).shape()[0]), ...);
  return std::tuple{
      broadcast_to(stand_along<rank>("meshgrid", std::get<I>(args), axis_of(I)), shape)...};
}

}  // namespace detail

/// Returns the coordinates `xs`, each of rank 1, at each point of the grid that they span: a tuple
/// of arrays of one shape. The first varies along axis 1 and the second along axis 0, as pictures
/// are drawn; `meshgrid(x, y, ij)` keeps the order of the arrays.
///
/// Source: numpy.meshgrid.
template <class... Args>
requires has_unnamed_array<Args...>
[[nodiscard]] auto meshgrid(const Args&... args) {
  constexpr bool are_lines = detail::are_lines<Args...>;
  static_assert(are_lines,
                "tessera::meshgrid(xs..., ij): requires arrays of rank 1, and at most ij after "
                "them");
  if constexpr (are_lines) {
    const std::tuple<const Args&...> arrays(args...);
    constexpr bool is_ij = (std::same_as<Args, ij_t> || ...);
    return detail::meshgrid_of<is_ij>(arrays, std::make_index_sequence<sizeof...(Args) - is_ij>{});
  } else {
    return std::tuple{args...};
  }
}

}  // namespace tessera
