// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Refused arguments: empty braces for extents, elements or a number, and elements of several
/// types. One sentence gives the remedy.

#include "tessera/array/creation.hpp"
#include "tessera/array/from_memory.hpp"
#include "tessera/array/grids.hpp"
#include "tessera/array/random.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"
#include "tessera/expr/expression.hpp"
#include "tessera/function/detail/arguments.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace tessera {
namespace detail {

/// Empty braces, or nothing.
struct no_extents {};

/// Empty braces where a number is expected: the compiler takes them for 0, but prefers a list.
using empty_braces = std::initializer_list<no_extents>;

/// A number of any type, or numbers in braces. A list of numbers of one type is preferred.
struct any_elements {
  template <element T>
  constexpr any_elements(T /*value*/) {}  // NOLINT(google-explicit-constructor)
  constexpr any_elements(std::initializer_list<any_elements> /*values*/) {}
};

}  // namespace detail

template <element T = double>
array<T, 1> zeros(detail::no_extents = {}) {
  static_assert(detail::is_allowed<T>,
                "tessera::zeros<T>(shape): requires extents between the braces: zeros<T>({m, n})");
  return zeros<T>(0);
}
template <element T = double>
array<T, 1> ones(detail::no_extents = {}) {
  static_assert(detail::is_allowed<T>,
                "tessera::ones<T>(shape): requires extents between the braces: ones<T>({m, n})");
  return ones<T>(0);
}
template <element T = double>
array<T, 1> empty(detail::no_extents = {}) {
  static_assert(detail::is_allowed<T>,
                "tessera::empty<T>(shape): requires extents between the braces: empty<T>({m, n})");
  return empty<T>(0);
}
template <element T>
array<T, 1> full(detail::no_extents, T value, const creation_options& = {}) {
  static_assert(
      detail::is_allowed<T>,
      "tessera::full<T>(shape, value): requires extents between the braces: full({m, n}, value)");
  return full<T>(0, value);
}
template <element T = double>
array<T, 2> eye(detail::empty_braces, const creation_options& = {}) {
  static_assert(detail::is_allowed<T>,
                "tessera::eye<T>(n): requires a number of rows: eye<T>(n), eye<T>(n, m)");
  return eye<T>(0);
}
template <element T = double>
array<T, 2> eye(detail::empty_braces, index_t, index_t = 0, const creation_options& = {}) {
  static_assert(detail::is_allowed<T>,
                "tessera::eye<T>(n, m): requires a number of rows: eye<T>(n), eye<T>(n, m)");
  return eye<T>(0);
}
template <element T = double>
array<T, 2> identity(detail::empty_braces, const creation_options& = {}) {
  static_assert(detail::is_allowed<T>,
                "tessera::identity<T>(n): requires a number of rows: identity<T>(n)");
  return eye<T>(0);
}
template <element T = double>
array<T, 1> arange(detail::empty_braces, const creation_options& = {}) {
  static_assert(detail::is_allowed<T>,
                "tessera::arange(stop): requires a number: arange(10), arange(0., 1., 0.1)");
  return zeros<T>(0);
}
template <element T = double>
array<T, 1> asarray(std::initializer_list<detail::any_elements>, const creation_options& = {}) {
  static_assert(detail::is_allowed<T>,
                "tessera::asarray({...}): requires elements of one type between the braces: "
                "asarray<double>({1, 2.5}) converts them; zeros<T>({0}) is an array without "
                "elements");
  return zeros<T>(0);
}
template <element T = double>
array<T, 1> indices(detail::no_extents, const creation_options& = {}) {
  static_assert(detail::is_allowed<T>,
                "tessera::indices(shape): requires extents between the braces: indices({m, n})");
  return zeros<T>(0);
}
template <class F>
const F& fromfunction(const F& f, detail::no_extents, const creation_options& = {}) {
  static_assert(detail::is_allowed<F>,
                "tessera::fromfunction(f, shape): requires extents between the braces: "
                "fromfunction(f, {m, n})");
  return f;
}
template <unnamed_argument X>
const X& reshape(const X& x, detail::no_extents) {
  static_assert(
      detail::is_allowed<X>,
      "tessera::reshape(x, shape): requires extents between the braces: reshape(x, {m, n})");
  return x;
}
template <unnamed_argument X>
const X& broadcast_to(const X& x, detail::no_extents) {
  static_assert(detail::is_allowed<X>,
                "tessera::broadcast_to(x, shape): requires extents between the braces: "
                "broadcast_to(x, {m, n})");
  return x;
}
template <unnamed_argument X>
const X& tile(const X& x, detail::no_extents) {
  static_assert(detail::is_allowed<X>,
                "tessera::tile(x, counts): requires counts between the braces: tile(x, {m, n})");
  return x;
}

namespace random {

template <std::floating_point T = double>
array<T, 1> uniform(tessera::detail::no_extents, const uniform_options& = {}) {
  static_assert(
      tessera::detail::is_allowed<T>,
      "tessera::random::uniform<T>(shape): requires extents between the braces: uniform({m, n})");
  return zeros<T>(0);
}
template <std::floating_point T = double>
array<T, 1> normal(tessera::detail::no_extents, const normal_options& = {}) {
  static_assert(
      tessera::detail::is_allowed<T>,
      "tessera::random::normal<T>(shape): requires extents between the braces: normal({m, n})");
  return zeros<T>(0);
}
template <std::floating_point T = double>
array<T, 1> exponential(tessera::detail::no_extents, const exponential_options& = {}) {
  static_assert(tessera::detail::is_allowed<T>,
                "tessera::random::exponential<T>(shape): requires extents between the braces: "
                "exponential({m, n})");
  return zeros<T>(0);
}
template <element T = double>
array<T, 1> lognormal(tessera::detail::no_extents, const normal_options& = {}) {
  static_assert(
      tessera::detail::is_allowed<T>,
      "tessera::random::lognormal(shape): requires extents between the braces: lognormal({m, n})");
  return zeros<T>(0);
}
template <integer_element T = std::int64_t>
array<T, 1> integers(index_t, index_t, tessera::detail::no_extents, const integers_options& = {}) {
  static_assert(tessera::detail::is_allowed<T>,
                "tessera::random::integers<T>(low, high, shape): requires extents between the "
                "braces: integers(low, high, {m, n})");
  return zeros<T>(0);
}
template <element T = double>
array<T, 1> bernoulli(double, tessera::detail::no_extents, const options& = {}) {
  static_assert(tessera::detail::is_allowed<T>,
                "tessera::random::bernoulli(p, shape): requires extents between the braces: "
                "bernoulli(p, {m, n})");
  return zeros<T>(0);
}
template <element T = double>
array<T, 1> poisson(double, tessera::detail::no_extents, const options& = {}) {
  static_assert(tessera::detail::is_allowed<T>,
                "tessera::random::poisson(mean, shape): requires extents between the braces: "
                "poisson(mean, {m, n})");
  return zeros<T>(0);
}
template <element T = double>
array<T, 1> binomial(index_t, double, tessera::detail::no_extents, const options& = {}) {
  static_assert(tessera::detail::is_allowed<T>,
                "tessera::random::binomial(n, p, shape): requires extents between the braces: "
                "binomial(n, p, {m, n})");
  return zeros<T>(0);
}
template <element T = double>
array<T, 1> gamma(double, tessera::detail::no_extents, const exponential_options& = {}) {
  static_assert(
      tessera::detail::is_allowed<T>,
      "tessera::random::gamma(k, shape): requires extents between the braces: gamma(k, {m, n})");
  return zeros<T>(0);
}

}  // namespace random
}  // namespace tessera
