// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Refused calls of functions of arrays: arguments in another order, or of another kind. One
/// sentence gives the remedy; without these overloads compilers would list every candidate.

#include "tessera/array/map_blocks.hpp"
#include "tessera/array/map_lines.hpp"
#include "tessera/array/padding.hpp"
#include "tessera/array/random.hpp"
#include "tessera/array/windows.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"
#include "tessera/expr/expression.hpp"
#include "tessera/function/detail/arguments.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace tessera {

using pad_mode [[deprecated("tessera: it is boundary, as in boundary::edge")]] = boundary;

/// Refused, with the remedy: the fold comes first.
template <array_argument X, class L = std::array<index_t, X::rank>,
          class F = std::array<index_t, X::rank>>
const X& coarsen(const X& x, const L&, const F&) {
  static_assert(detail::is_allowed<X>,
                "tessera::coarsen(op, x, {n, ...}): requires them in this order: "
                "coarsen(op::mean{}, x, {4, 4})");
  return x;
}

/// Refused, with the remedy: the function comes first, then the array, then its axis.
template <class F, class Axis, array_argument X>
requires(!array_argument<Axis>) const X& apply_along_axis(const F&, const Axis&, const X& x) {
  static_assert(detail::is_allowed<X>,
                "tessera::apply_along_axis(f, x, axis<k>): requires them in this order: "
                "apply_along_axis(f, x, axis<0>)");
  return x;
}
template <array_argument X, class F, class Axis>
requires(!array_argument<F>) const X& apply_along_axis(const X& x, const F&, const Axis&) {
  static_assert(detail::is_allowed<X>,
                "tessera::apply_along_axis(f, x, axis<k>): requires them in this order: "
                "apply_along_axis(f, x, axis<0>)");
  return x;
}

/// Refused, with the remedy: the function comes first.
template <element... Rs, array_argument X, class F>
requires(sizeof...(Rs) > 0 && !array_argument<F>) const X& map_blocks(const X& x, const F&) {
  static_assert(detail::is_allowed<X>,
                "tessera::map_blocks<R>(f, xs...): requires the function before the arrays: "
                "map_blocks<double>(f, x)");
  return x;
}

/// Refused, with the remedy: a boundary is no text.
template <array_argument X, class W = index_t[X::rank][2], std::convertible_to<std::string_view> T>
const X& pad(const X& x, const W&, const T&) {
  static_assert(detail::is_allowed<X>,
                "tessera::pad(x, widths, boundary): requires boundary::constant, edge, reflect, "
                "symmetric or wrap, as in pad(x, 1, boundary::edge)");
  return x;
}

/// Refused, with the remedy: a number is no array.
template <array_argument X, weak_scalar Number>
const X& matmul(const X& x, Number) {
  static_assert(detail::is_allowed<X>,
                "tessera::matmul(a, b): requires two arrays; a * 2.0 multiplies elements");
  return x;
}
template <class V, weak_scalar Number, class... Right>
index_t searchsorted(const V&, Number, Right...) {
  static_assert(detail::is_allowed<V>,
                "tessera::searchsorted(sorted, x): requires an array for x: "
                "searchsorted(sorted, asarray({2.0}))");
  return 0;
}

namespace random {

/// Refused, with the remedy.
template <class T>
requires(!std::floating_point<T>) auto uniform(std::initializer_list<index_t>,
                                               const uniform_options& = {}) {
  static_assert(tessera::detail::is_allowed<T>,
                "tessera::random::uniform<T>(shape): requires T to be float or double; "
                "astype<T>(uniform(shape)) converts them");
  return uniform({0});
}
template <std::floating_point T = double, std::size_t N>
array<T, N> uniform(double, double, const index_t (&shape)[N]) {
  static_assert(tessera::detail::is_allowed<T>,
                "tessera::random::uniform<T>(shape): requires the shape first: "
                "uniform({m, n}, {.low = 0, .high = 1})");
  return uniform<T>(shape);
}

/// Refused, with the remedy.
template <class T>
requires(!std::floating_point<T>) auto normal(std::initializer_list<index_t>,
                                              const normal_options& = {}) {
  static_assert(tessera::detail::is_allowed<T>,
                "tessera::random::normal<T>(shape): requires T to be float or double; "
                "astype<T>(normal(shape)) converts them");
  return normal({0});
}
template <std::floating_point T = double, std::size_t N>
array<T, N> normal(double, double, const index_t (&shape)[N]) {
  static_assert(tessera::detail::is_allowed<T>,
                "tessera::random::normal<T>(shape): requires the shape first: "
                "normal({m, n}, {.mean = 0, .stddev = 1})");
  return normal<T>(shape);
}

/// Refused, with the remedy.
template <integer_element T = std::int64_t, std::size_t N>
array<T, N> integers(const index_t (&shape)[N], index_t low, index_t high) {
  static_assert(tessera::detail::is_allowed<T>,
                "tessera::random::integers<T>(low, high, shape): requires the shape last: "
                "integers<int>(0, 10, {m, n})");
  return integers<T>(low, high, shape);
}

/// Refused, with the remedy.
template <std::size_t N, class P>
auto binomial(const index_t (&shape)[N], index_t n, P p) {
  static_assert(tessera::detail::is_allowed<P>,
                "tessera::random::binomial(n, p, shape): requires the shape last: "
                "binomial(10, 0.5, {m, n})");
  return binomial(n, p, shape);
}

}  // namespace random
}  // namespace tessera
