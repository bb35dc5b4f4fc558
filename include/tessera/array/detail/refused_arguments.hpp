// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Refused arguments: a shape without a value, numbers without their names, a std::vector for an
/// array. One sentence gives the remedy.

#include "tessera/array/creation.hpp"
#include "tessera/array/detail/refused_calls.hpp"
#include "tessera/array/detail/refused_options.hpp"
#include "tessera/array/grids.hpp"
#include "tessera/array/random.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/index_argument.hpp"
#include "tessera/expr/expression.hpp"
#include "tessera/function/detail/arguments.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {
namespace detail {

/// A vector. Functions of the user that take vectors win over the conversion.
struct any_vector {
  template <element T>
  any_vector(const std::vector<T>&) {}
};

}  // namespace detail

template <element T = double, std::size_t N>
array<T, N> full(const index_argument (&shape)[N]) {
  static_assert(detail::is_allowed<T>,
                "tessera::full<T>(shape, value): requires the value behind the shape: full<T>({m, "
                "n}, value)");
  return full<T>(shape, T{});
}
template <element T, std::integral I>
array<T, 1> full(I extent) {
  static_assert(detail::is_allowed<T>,
                "tessera::full<T>(shape, value): requires the value behind the shape: full<T>({m, "
                "n}, value)");
  return full<T>(extent, T{});
}
template <element T = double>
array<T, 2> eye(const index_argument (&)[2]) {
  static_assert(
      detail::is_allowed<T>,
      "tessera::eye<T>(n, m): requires the extents without braces: eye<T>(n), eye<T>(n, m)");
  return eye<T>(0);
}
template <unnamed_argument X, detail::foreign_option Order>
const X& reshape(const X& x, const detail::any_braces&, Order) {
  static_assert(detail::is_allowed<X>,
                "tessera::reshape(x, shape): requires no order: elements are in row-major order, "
                "x.T() has the columns as rows");
  return x;
}
template <unnamed_argument X>
const X& reshape(const X& x) {
  static_assert(detail::is_allowed<X>,
                "tessera::reshape(x, shape): requires the shape in braces: reshape(x, {m, n})");
  return x;
}
template <unnamed_argument X, std::integral I>
const X& reshape(const X& x, const std::vector<I>&) {
  static_assert(detail::is_allowed<X>,
                "tessera::reshape(x, shape): requires the shape in braces: reshape(x, {m, n})");
  return x;
}
template <array_expression A>
const A& outer(const A& a, const detail::any_vector&) {
  static_assert(detail::is_allowed<A>,
                "tessera::outer(a, b): requires arrays: outer(a, asarray(v)) of a vector v");
  return a;
}
template <array_expression B>
const B& outer(const detail::any_vector&, const B& b) {
  static_assert(detail::is_allowed<B>,
                "tessera::outer(a, b): requires arrays: outer(a, asarray(v)) of a vector v");
  return b;
}
template <array_expression A>
const A& kron(const A& a, const detail::any_vector&) {
  static_assert(detail::is_allowed<A>,
                "tessera::kron(a, b): requires arrays: kron(a, asarray(v)) of a vector v");
  return a;
}
template <array_expression B>
const B& kron(const detail::any_vector&, const B& b) {
  static_assert(detail::is_allowed<B>,
                "tessera::kron(a, b): requires arrays: kron(a, asarray(v)) of a vector v");
  return b;
}
template <array_expression A>
const A& dot(const A& a, const detail::any_vector&) {
  static_assert(detail::is_allowed<A>,
                "tessera::dot(a, b): requires arrays: dot(a, asarray(v)) of a vector v");
  return a;
}
template <array_expression B>
const B& dot(const detail::any_vector&, const B& b) {
  static_assert(detail::is_allowed<B>,
                "tessera::dot(a, b): requires arrays: dot(a, asarray(v)) of a vector v");
  return b;
}
template <array_expression A>
const A& matmul(const A& a, const detail::any_vector&) {
  static_assert(detail::is_allowed<A>,
                "tessera::matmul(a, b): requires arrays: matmul(a, asarray(v)) of a vector v");
  return a;
}
template <array_expression B>
const B& matmul(const detail::any_vector&, const B& b) {
  static_assert(detail::is_allowed<B>,
                "tessera::matmul(a, b): requires arrays: matmul(a, asarray(v)) of a vector v");
  return b;
}
template <array_expression A>
const A& vecdot(const A& a, const detail::any_vector&) {
  static_assert(detail::is_allowed<A>,
                "tessera::vecdot(a, b): requires arrays: vecdot(a, asarray(v)) of a vector v");
  return a;
}
template <array_expression B>
const B& vecdot(const detail::any_vector&, const B& b) {
  static_assert(detail::is_allowed<B>,
                "tessera::vecdot(a, b): requires arrays: vecdot(a, asarray(v)) of a vector v");
  return b;
}
template <array_expression A>
const A& cross(const A& a, const detail::any_vector&) {
  static_assert(detail::is_allowed<A>,
                "tessera::cross(a, b): requires arrays: cross(a, asarray(v)) of a vector v");
  return a;
}
template <array_expression B>
const B& cross(const detail::any_vector&, const B& b) {
  static_assert(detail::is_allowed<B>,
                "tessera::cross(a, b): requires arrays: cross(a, asarray(v)) of a vector v");
  return b;
}
template <array_expression A>
const A& solve(const A& a, const detail::any_vector&) {
  static_assert(detail::is_allowed<A>,
                "tessera::solve(a, b): requires arrays: solve(a, asarray(v)) of a vector v");
  return a;
}
template <array_expression B>
const B& solve(const detail::any_vector&, const B& b) {
  static_assert(detail::is_allowed<B>,
                "tessera::solve(a, b): requires arrays: solve(a, asarray(v)) of a vector v");
  return b;
}
template <class T = void>
double sum(const detail::any_vector&) {
  static_assert(detail::is_allowed<T>,
                "tessera::sum(x): requires an array: sum(asarray(v)) of a vector v");
  return {};
}
template <class T = void>
double mean(const detail::any_vector&) {
  static_assert(detail::is_allowed<T>,
                "tessera::mean(x): requires an array: mean(asarray(v)) of a vector v");
  return {};
}
template <class T = void>
double max(const detail::any_vector&) {
  static_assert(detail::is_allowed<T>,
                "tessera::max(x): requires an array: max(asarray(v)) of a vector v");
  return {};
}
template <class T = void>
double min(const detail::any_vector&) {
  static_assert(detail::is_allowed<T>,
                "tessera::min(x): requires an array: min(asarray(v)) of a vector v");
  return {};
}

namespace random {

template <std::floating_point T = double, std::size_t N, weak_scalar... Numbers>
requires(sizeof...(Numbers) > 0) array<T, N> uniform(const index_argument (&shape)[N], Numbers...) {
  static_assert(tessera::detail::is_allowed<T>,
                "tessera::random::uniform<T>(shape): requires names of numbers: uniform({m, n}, "
                "{.seed = 1, .low = 0, .high = 1})");
  return uniform<T>(shape);
}
template <std::floating_point T = double, std::size_t N, weak_scalar... Numbers>
requires(sizeof...(Numbers) > 0) array<T, N> normal(const index_argument (&shape)[N], Numbers...) {
  static_assert(tessera::detail::is_allowed<T>,
                "tessera::random::normal<T>(shape): requires names of numbers: normal({m, n}, "
                "{.seed = 1, .mean = 0, .stddev = 1})");
  return normal<T>(shape);
}
template <std::size_t N>
auto bernoulli(const index_argument (&shape)[N], double p) {
  static_assert(
      tessera::detail::is_allowed<index_t[N]>,
      "tessera::random::bernoulli(p, shape): requires the shape last: bernoulli(0.5, {m, n})");
  return bernoulli(p, shape);
}
template <std::floating_point T = double, weak_scalar Number, std::size_t N>
array<T, N> exponential(Number, const index_argument (&shape)[N]) {
  static_assert(tessera::detail::is_allowed<T>,
                "tessera::random::exponential<T>(shape): requires the shape first: exponential({m, "
                "n}, {.scale = 1})");
  return exponential<T>(shape);
}
template <integer_element T = std::int64_t, std::integral I>
array<T, 1> integers(I low, I high) {
  static_assert(tessera::detail::is_allowed<T>,
                "tessera::random::integers<T>(low, high, shape): requires the shape last: "
                "integers<int>(0, 10, {m, n})");
  return integers<T>(low, high, {1});
}

}  // namespace random
}  // namespace tessera
