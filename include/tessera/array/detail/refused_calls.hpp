// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Refused calls of functions of arrays: arguments in another order, or of another kind. One
/// sentence gives the remedy; without these overloads compilers would list every candidate.

#include "tessera/array/creation.hpp"
#include "tessera/array/map_blocks.hpp"
#include "tessera/array/map_lines.hpp"
#include "tessera/array/padding.hpp"
#include "tessera/array/random.hpp"
#include "tessera/array/windows.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/index_argument.hpp"
#include "tessera/expr/expression.hpp"
#include "tessera/function/detail/arguments.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

namespace tessera {

namespace detail {

template <class T>
concept text_argument = std::convertible_to<const T&, std::string_view>;

/// A list of values, of the library or of the standard.
template <class V>
inline constexpr bool is_value_list = unnamed_argument<V>;
template <element T>
inline constexpr bool is_value_list<std::vector<T>> = true;
template <element T, std::size_t N>
inline constexpr bool is_value_list<std::array<T, N>> = true;
template <class T>
inline constexpr bool is_value_list<std::span<T>> = true;
template <class V>
concept value_list = is_value_list<V>;

}  // namespace detail

using pad_mode [[deprecated("tessera: it is boundary, as in boundary::edge")]] = boundary;

/// Refused, with the remedy: the fold comes first.
template <unnamed_argument X>
const X& coarsen(const X& x, const detail::any_braces&, const detail::any_braces&) {
  static_assert(detail::is_allowed<X>,
                "tessera::coarsen(op, x, {n, ...}): requires them in this order: "
                "coarsen(op::mean{}, x, {4, 4})");
  return x;
}

/// Refused, with the remedy: the function comes first, then the array, then its axis.
template <unnamed_argument X>
const X& apply_along_axis(const detail::any_option&, const detail::any_option&, const X& x) {
  static_assert(detail::is_allowed<X>,
                "tessera::apply_along_axis(f, x, axis<k>): requires them in this order: "
                "apply_along_axis(f, x, axis<0>)");
  return x;
}
template <unnamed_argument X>
const X& apply_along_axis(const X& x, const detail::any_option&, const detail::any_option&) {
  static_assert(detail::is_allowed<X>,
                "tessera::apply_along_axis(f, x, axis<k>): requires them in this order: "
                "apply_along_axis(f, x, axis<0>)");
  return x;
}

/// Refused, with the remedy: the function comes first.
template <element... Rs, unnamed_argument X>
requires(sizeof...(Rs) > 0) const X& map_blocks(const X& x, const detail::any_option&) {
  static_assert(detail::is_allowed<X>,
                "tessera::map_blocks<R>(f, xs...): requires the function before the arrays: "
                "map_blocks<double>(f, x)");
  return x;
}

/// Refused, with the remedy: a boundary is no text.
template <unnamed_argument X, std::convertible_to<std::string_view> Mode>
const X& pad(const X& x, const detail::any_braces&, const Mode&) {
  static_assert(detail::is_allowed<X>,
                "tessera::pad(x, widths, boundary): requires boundary::constant, edge, reflect, "
                "symmetric or wrap, as in pad(x, 1, boundary::edge)");
  return x;
}

/// Refused, with the remedy: numbers, names of arrays and lazy arrays are no elements.
template <weak_scalar Number>
auto asarray(Number) {
  static_assert(detail::is_allowed<Number>,
                "tessera::asarray(v): requires elements: asarray({1.0}) has one of them, and "
                "full({m, n}, 1.0) has it everywhere");
  return zeros<double>(0);
}
template <detail::text_argument Text>
auto asarray(const Text&) {
  static_assert(detail::is_allowed<Text>,
                "tessera::asarray(v): requires elements; open<double, 2>(path) is a stored array");
  return zeros<double>(0);
}

/// Refused, with the remedy: a number is no array.
template <unnamed_argument X, weak_scalar Number>
const X& matmul(const X& x, Number) {
  static_assert(detail::is_allowed<X>,
                "tessera::matmul(a, b): requires two arrays; a * 2.0 multiplies elements");
  return x;
}
template <detail::value_list V, weak_scalar Number>
index_t searchsorted(const V&, Number, const detail::any_option& = 0) {
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
array<T, N> uniform(double, double, const index_argument (&shape)[N]) {
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
array<T, N> normal(double, double, const index_argument (&shape)[N]) {
  static_assert(tessera::detail::is_allowed<T>,
                "tessera::random::normal<T>(shape): requires the shape first: "
                "normal({m, n}, {.mean = 0, .stddev = 1})");
  return normal<T>(shape);
}

/// Refused, with the remedy.
template <integer_element T = std::int64_t, std::size_t N>
array<T, N> integers(const index_argument (&shape)[N], index_t low, index_t high) {
  static_assert(tessera::detail::is_allowed<T>,
                "tessera::random::integers<T>(low, high, shape): requires the shape last: "
                "integers<int>(0, 10, {m, n})");
  return integers<T>(low, high, shape);
}

/// Refused, with the remedy.
template <std::size_t N, class P>
auto binomial(const index_argument (&shape)[N], index_t n, P p) {
  static_assert(tessera::detail::is_allowed<P>,
                "tessera::random::binomial(n, p, shape): requires the shape last: "
                "binomial(10, 0.5, {m, n})");
  return binomial(n, p, shape);
}

}  // namespace random
}  // namespace tessera
