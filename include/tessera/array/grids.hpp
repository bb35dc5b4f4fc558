// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Arrays of functions of the positions of their elements.
///
/// Memory: nothing is stored; a task generates the elements that it needs.

#include "tessera/array/array.hpp"
#include "tessera/array/broadcasting.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/array/detail/along.hpp"
#include "tessera/array/detail/shape_argument.hpp"
#include "tessera/array/joining.hpp"
#include "tessera/array/padding.hpp"
#include "tessera/core/index_argument.hpp"
#include "tessera/expr/rechunk.hpp"
#include "tessera/function/arithmetic.hpp"
#include "tessera/function/comparison.hpp"
#include "tessera/function/conversion.hpp"
#include "tessera/function/map.hpp"
#include "tessera/function/selection.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace tessera {

namespace detail {

/// Returns `n`. Throws: value_error <- it is not positive.
[[nodiscard]] index_t checked_length(std::string_view function, index_t n);

/// Returns the extents of the matrix that has `n` elements on its diagonal `k`.
///
/// Throws: shape_error <- it has more rows than an array may have.
[[nodiscard]] index_t extent_around(index_t n, index_t k);

/// Returns `first`, `first + 1`, ... along `axis` of an array of rank `N`, which broadcasts.
template <std::size_t N>
auto positions_along(std::string_view function, index_t first, index_t extent, std::size_t axis,
                     const std::optional<spec>& limits = {}) {
  return stand_along<N>(function, arange<std::int64_t>(first, first + extent, 1, {.spec = limits}),
                        axis);
}

/// Returns `k`, or the nearest diagonal that a matrix of `n` rows and `m` columns lacks.
inline index_t diagonal_within(index_t k, index_t n, index_t m) {
  return std::clamp(k, -std::max<index_t>(n, 0), std::max<index_t>(m, 0));
}

/// Returns `x` in the chunks of the options, if they have any.
template <array_expression X>
array<typename X::value_type, X::rank> in_chunks(const X& x, const chunk_lengths& chunks) {
  if (chunks.is_automatic()) return x;
  const auto resolved =
      chunks.resolve("rechunk", x.layout().shape, sizeof(typename X::value_type), x.spec());
  return expression<op::rechunk, X>(op::rechunk{resolved}, x);
}

}  // namespace detail

/// Returns the index of each element along each axis of an array of `shape`: `auto [i, j] =
/// indices({m, n});`.
///
/// Throws: as `full`.
/// Source: numpy.indices.
template <element T = std::int64_t, fixed_extents Shape>
[[nodiscard]] auto indices(const Shape& shape, const creation_options& options = {}) {
  constexpr auto N = static_cast<std::size_t>(rank_of_shape<Shape>);
  const auto along = [&](std::size_t axis) {
    const auto line = astype<T>(arange<index_t>(0, shape[axis], 1, {.spec = options.spec}));
    return detail::in_chunks(broadcast_to(detail::stand_along<N>("indices", line, axis), shape),
                             options.chunks);
  };
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<array<T, N>, N>{along(I)...};
  }
  (std::make_index_sequence<N>{});
}
template <element T = std::int64_t, std::size_t N>
[[nodiscard]] auto indices(const index_argument (&shape)[N], const creation_options& options = {}) {
  return indices<T>(detail::to_indices(shape), options);
}

/// Returns the array of `shape` with the element `f(i, j, ...)` at `i, j, ...`, called with int64.
///
/// Requires: as `map`.
/// Throws:   as `full`.
/// Source:   numpy.fromfunction, which calls `f` once with all indices.
template <class F, fixed_extents Shape>
[[nodiscard]] auto fromfunction(const F& f, const Shape& shape,
                                const creation_options& options = {}) {
  return [&]<std::size_t... I>(const auto& along, std::index_sequence<I...>) {
    return map(f, along[I]...);
  }
  (indices(shape, options),
   std::make_index_sequence<static_cast<std::size_t>(rank_of_shape<Shape>)>{});
}
template <class F, std::size_t N>
[[nodiscard]] auto fromfunction(const F& f, const index_argument (&shape)[N],
                                const creation_options& options = {}) {
  return fromfunction(f, detail::to_indices(shape), options);
}

/// Returns the matrix that is 1 on the diagonal `k` and 0 elsewhere; above the main one if `k` is
/// positive.
///
/// Shape:  (n, m).
/// Throws: as `full`.
/// Source: numpy.eye.
template <element T = double>
[[nodiscard]] array<T, 2> eye(index_t n, index_t m, index_t k = 0,
                              const creation_options& options = {}) {
  const index_t first = detail::diagonal_within(k, n, m);
  const auto row = detail::positions_along<2>("eye", first, n, 0, options.spec);
  const auto column = detail::positions_along<2>("eye", 0, m, 1, options.spec);
  return detail::in_chunks(astype<T>(column == row), options.chunks);
}
template <element T = double>
[[nodiscard]] array<T, 2> eye(index_t n, const creation_options& options = {}) {
  return eye<T>(n, n, 0, options);
}

/// Returns the square matrix that is 1 on its diagonal and 0 elsewhere.
///
/// Source: numpy.identity.
template <element T = double>
[[nodiscard]] array<T, 2> identity(index_t n, const creation_options& options = {}) {
  return eye<T>(n, n, 0, options);
}

/// Returns `x` with zeros above the diagonal `k` of its last two axes.
///
/// Source: numpy.tril.
template <array_expression X>
[[nodiscard]] auto tril(const X& x, index_t k = 0) {
  static_assert(rank_at_least<X::rank, 2>,
                "tessera::tril(x, k): requires an array of rank 2 or more");
  if constexpr (rank_at_least<X::rank, 2>) {
    const auto& shape = x.layout().shape;
    const index_t n = shape[X::rank - 2];
    const index_t m = shape[X::rank - 1];
    const auto row = detail::positions_along<2>("tril", detail::diagonal_within(k, n, m), n, 0);
    const auto column = detail::positions_along<2>("tril", 0, m, 1);
    return where(column <= row, x, typename X::value_type{});
  } else {
    return x;
  }
}

/// Returns `x` with zeros below the diagonal `k` of its last two axes.
///
/// Source: numpy.triu.
template <array_expression X>
[[nodiscard]] auto triu(const X& x, index_t k = 0) {
  static_assert(rank_at_least<X::rank, 2>,
                "tessera::triu(x, k): requires an array of rank 2 or more");
  if constexpr (rank_at_least<X::rank, 2>) {
    const auto& shape = x.layout().shape;
    const index_t n = shape[X::rank - 2];
    const index_t m = shape[X::rank - 1];
    const auto row = detail::positions_along<2>("triu", detail::diagonal_within(k, n, m), n, 0);
    const auto column = detail::positions_along<2>("triu", 0, m, 1);
    return where(column >= row, x, typename X::value_type{});
  } else {
    return x;
  }
}

/// Returns the matrix that has `v`, of rank 1, on its diagonal `k` and zeros elsewhere.
///
/// Shape:  (n + |k|, n + |k|).
/// Throws: shape_error <- it has more rows than an array may have.
/// Source: numpy.diag of a vector; `diagonal(x, k)` is that of a matrix.
template <array_expression V>
[[nodiscard]] auto diag(const V& v, index_t k = 0) {
  using value_type = typename V::value_type;
  static_assert(rank_is<V::rank, 1>,
                "tessera::diag(v, k): requires an array of rank 1; diagonal(x, k) takes that of a "
                "matrix");
  if constexpr (rank_is<V::rank, 1>) {
    const index_t size = detail::extent_around(v.shape()[0], k);
    const index_t added = size - v.shape()[0];
    array<value_type, 1> line = v;
    if (added > 0) line = concat(line, zeros<value_type>({added}), axis<0>);
    const auto row = detail::positions_along<2>("diag", k, size, 0);
    const auto column = detail::positions_along<2>("diag", 0, size, 1);
    const auto values = detail::stand_along<2>("diag", line, k >= 0 ? 0 : 1);
    return array<value_type, 2>(where(column == row, values, value_type{}));
  } else {
    return v;
  }
}

/// Returns the frequencies of the discrete Fourier transform of `n` values that are `d` apart.
///
/// Shape:  (n,).
/// Throws: value_error <- `n` is not positive.
/// Source: numpy.fft.fftfreq.
template <std::floating_point T = double>
[[nodiscard]] auto fftfreq(index_t n, double d = 1, const creation_options& options = {}) {
  const double step = 1 / (static_cast<double>(detail::checked_length("fftfreq", n)) * d);
  const auto i = arange<std::int64_t>(0, n, 1, options);
  return converted<T>(where(i < (n - 1) / 2 + 1, i, i - n) * step);
}

/// Returns the frequencies of `fftfreq` that are not negative.
///
/// Shape:  (n / 2 + 1,).
/// Throws: value_error <- `n` is not positive.
/// Source: numpy.fft.rfftfreq.
template <std::floating_point T = double>
[[nodiscard]] auto rfftfreq(index_t n, double d = 1, const creation_options& options = {}) {
  const double step = 1 / (static_cast<double>(detail::checked_length("rfftfreq", n)) * d);
  return converted<T>(arange<std::int64_t>(0, n / 2 + 1, 1, options) * step);
}

namespace detail {

/// Returns `x` rolled by half of each of the axes, rounded up or down.
template <array_expression X, int... Axes>
auto rolled_by_half(const X& x, axis_list<Axes...> axes, [[maybe_unused]] index_t rounding) {
  const std::array<index_t, sizeof...(Axes)> shifts{
      ((x.layout().shape[normalised_axis(Axes, X::rank)] + rounding) / 2)...};
  return roll(x, shifts, axes);
}

}  // namespace detail

/// Returns `x` with the frequency zero in the middle of the axes, by default of all axes.
///
/// Source: numpy.fft.fftshift.
template <array_expression X, int... Axes>
[[nodiscard]] auto fftshift(const X& x, axis_list<Axes...> axes) {
  static_assert(axes_in_range<X::rank, Axes...>,
                "tessera::fftshift(x, axis<...>): requires every axis to be in [-rank, rank) of x");
  if constexpr (axes_in_range<X::rank, Axes...>) {
    return detail::rolled_by_half(x, axes, 0);
  } else {
    return x;
  }
}
template <array_expression X>
[[nodiscard]] auto fftshift(const X& x) {
  return fftshift(x, detail::axes_or_all<X::rank>{});
}

/// Returns `x` with the frequency zero, which `fftshift` put into the middle of the axes, first.
///
/// Source: numpy.fft.ifftshift.
template <array_expression X, int... Axes>
[[nodiscard]] auto ifftshift(const X& x, axis_list<Axes...> axes) {
  static_assert(axes_in_range<X::rank, Axes...>,
                "tessera::ifftshift(x, axis<...>): requires every axis to be in [-rank, rank) of "
                "x");
  if constexpr (axes_in_range<X::rank, Axes...>) {
    return detail::rolled_by_half(x, axes, 1);
  } else {
    return x;
  }
}
template <array_expression X>
[[nodiscard]] auto ifftshift(const X& x) {
  return ifftshift(x, detail::axes_or_all<X::rank>{});
}

}  // namespace tessera
