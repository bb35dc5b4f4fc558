// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Refused options and braces: text for an enumerator, arguments that NumPy, SciPy or xarray takes
/// at this position. One sentence gives the remedy.

#include "tessera/array/creation.hpp"
#include "tessera/array/detail/refused_calls.hpp"
#include "tessera/array/random.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/index_argument.hpp"
#include "tessera/expr/expression.hpp"
#include "tessera/function/detail/arguments.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <type_traits>
#include <vector>

namespace tessera {
namespace detail {

/// Text or a number: the option of another library.
template <class T>
concept foreign_option = text_argument<T> || std::integral<T>;

}  // namespace detail

template <unnamed_argument X, detail::text_argument Mode>
const X& convolve(const X& x, const detail::any_braces&, const Mode&) {
  static_assert(detail::is_allowed<X>,
                "tessera::convolve(x, weights, overlap): requires overlap::valid, same or full, as "
                "in convolve(v, w, overlap::same)");
  return x;
}
template <unnamed_argument X, detail::text_argument Mode>
const X& correlate(const X& x, const detail::any_braces&, const Mode&) {
  static_assert(detail::is_allowed<X>,
                "tessera::correlate(x, weights, overlap): requires overlap::valid, same or full, "
                "as in correlate(v, w, overlap::same)");
  return x;
}
template <unnamed_argument X, detail::foreign_option Option>
const X& gaussian_filter(const X& x, const detail::any_braces&, const Option&) {
  static_assert(detail::is_allowed<X>,
                "tessera::gaussian_filter(x, sigma, axis<...>, boundary): requires axis<...> or a "
                "boundary behind sigma, as in gaussian_filter(x, 2.0, boundary::symmetric)");
  return x;
}
template <unnamed_argument X, detail::foreign_option Option>
const X& uniform_filter(const X& x, const detail::any_braces&, const Option&) {
  static_assert(detail::is_allowed<X>,
                "tessera::uniform_filter(x, length, axis<...>, boundary): requires axis<...> or a "
                "boundary behind the length, as in uniform_filter(x, 3, boundary::symmetric)");
  return x;
}
template <unnamed_argument X>
const X& coarsen(const X& x, const detail::any_braces&) {
  static_assert(
      detail::is_allowed<X>,
      "tessera::coarsen(op, x, {n, ...}): requires the fold first: coarsen(op::mean{}, x, {4, 4})");
  return x;
}
template <unnamed_argument X>
const X& histogram(const X& x) {
  static_assert(detail::is_allowed<X>,
                "tessera::histogram(x, bins): requires the range of the bins with their number, as "
                "elements are not known before: histogram(x, bins{10, 0, 1})");
  return x;
}
template <unnamed_argument X, unnamed_argument Y>
const X& histogram2d(const X& x, const Y&, const detail::any_option& = 0) {
  static_assert(detail::is_allowed<X>,
                "tessera::histogram2d(x, y, x_bins, y_bins): requires bins for each: "
                "histogram2d(x, y, bins{10, 0, 1}, bins{10, 0, 1})");
  return x;
}
template <unnamed_argument X, weak_scalar Number>
const X& digitize(const X& x, Number) {
  static_assert(detail::is_allowed<X>,
                "tessera::digitize(x, edges): requires edges in a std::vector or a span");
  return x;
}
template <unnamed_argument X, std::integral... I>
requires(sizeof...(I) > 1) const X& reshape(const X& x, I...) {
  static_assert(detail::is_allowed<X>,
                "tessera::reshape(x, shape): requires the shape in braces: reshape(x, {m, n})");
  return x;
}
template <unnamed_argument X, std::integral... I>
requires(sizeof...(I) > 1) const X& broadcast_to(const X& x, I...) {
  static_assert(
      detail::is_allowed<X>,
      "tessera::broadcast_to(x, shape): requires the shape in braces: broadcast_to(x, {m, n})");
  return x;
}
template <unnamed_argument X, std::integral... I>
requires(sizeof...(I) > 1) const X& rechunk(const X& x, I...) {
  static_assert(detail::is_allowed<X>,
                "tessera::rechunk(x, chunks): requires the lengths in braces: rechunk(x, {m, n})");
  return x;
}
template <unnamed_argument X, std::integral... I>
requires(sizeof...(I) > 1) const X& tile(const X& x, I...) {
  static_assert(detail::is_allowed<X>,
                "tessera::tile(x, counts): requires the counts in braces: tile(x, {m, n})");
  return x;
}
template <element T, std::integral I>
array<T, 1> full(I, I, T value) {
  static_assert(
      detail::is_allowed<T>,
      "tessera::full<T>(shape, value): requires the shape in braces: full<T>({m, n}, value)");
  return full<T>(I{}, value);
}
template <element T, std::size_t N>
array<T, N> full(T value, const index_argument (&shape)[N]) {
  static_assert(detail::is_allowed<T>,
                "tessera::full<T>(shape, value): requires the shape first: full<T>({m, n}, value)");
  return full<T>(shape, value);
}
template <std::floating_point T = double>
array<T, 1> linspace(std::type_identity_t<T> start, std::type_identity_t<T> stop) {
  static_assert(
      detail::is_allowed<T>,
      "tessera::linspace(start, stop, num): requires the number of values: linspace(0, 1, 50)");
  return linspace<T>(start, stop, 0);
}
template <array_argument A, weak_scalar Number, weak_scalar... Numbers>
const A& allclose(const A& a, const detail::any_argument&, Number, Numbers...) {
  static_assert(detail::is_allowed<A>,
                "tessera::allclose(a, b, {.rtol, .atol}): requires the name of a tolerance: "
                "allclose(a, b, {.rtol = 1e-3})");
  return a;
}
template <array_argument B, weak_scalar Number, weak_scalar... Numbers>
const B& allclose(const detail::any_option&, const B& b, Number, Numbers...) {
  static_assert(detail::is_allowed<B>,
                "tessera::allclose(a, b, {.rtol, .atol}): requires the name of a tolerance: "
                "allclose(a, b, {.rtol = 1e-3})");
  return b;
}
template <unnamed_argument X>
const X& map_blocks(const detail::any_option&, const X& x, const detail::any_argument& = 0,
                    const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>,
                "tessera::map_blocks<R>(f, xs...): requires the element type of the result: "
                "map_blocks<double>(f, x)");
  return x;
}
template <unnamed_argument X>
const X& map_overlap(const detail::any_option&, const X& x, const detail::any_argument& = 0,
                     const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>,
                "tessera::map_overlap<R>(f, xs..., {.depth, .beyond}): requires the element type "
                "of the result: map_overlap<double>(f, x, {.depth = {{1, 1}, {0, 0}}})");
  return x;
}
template <unnamed_argument A, std::integral I>
const A& tensordot(const A& a, const detail::any_argument&, I) {
  static_assert(detail::is_allowed<A>,
                "tessera::tensordot(a, b): requires the number of axes in angle brackets, or the "
                "axes of each: tensordot<1>(a, b), tensordot(a, b, axis<1>, axis<0>)");
  return a;
}
template <unnamed_argument A, std::size_t N>
const A& tensordot(const A& a, const detail::any_argument&,
                   const std::initializer_list<index_t> (&)[N]) {
  static_assert(detail::is_allowed<A>,
                "tessera::tensordot(a, b): requires the number of axes in angle brackets, or the "
                "axes of each: tensordot<1>(a, b), tensordot(a, b, axis<1>, axis<0>)");
  return a;
}
template <unnamed_argument X, weak_scalar Number>
const X& pad(const X& x, const detail::any_braces&, Number) {
  static_assert(detail::is_allowed<X>,
                "tessera::pad(x, widths, boundary, value): requires a boundary before the value: "
                "pad(x, 1, boundary::constant, 0.0)");
  return x;
}
template <unnamed_argument X, std::integral I>
const X& isel(const X& x, I) {
  static_assert(
      detail::is_allowed<X>,
      "tessera::isel(x, dim<...>(index)): requires the name of the axis; x(0) is the first row");
  return x;
}
template <array_expression X>
X hstack(std::initializer_list<X> xs) {
  static_assert(detail::is_allowed<X>,
                "tessera::hstack(a, b, ...): requires the arrays without braces: hstack(a, b)");
  return *xs.begin();
}
template <array_expression X>
X vstack(std::initializer_list<X> xs) {
  static_assert(detail::is_allowed<X>,
                "tessera::vstack(a, b, ...): requires the arrays without braces: vstack(a, b)");
  return *xs.begin();
}
template <array_expression X>
X dstack(std::initializer_list<X> xs) {
  static_assert(detail::is_allowed<X>,
                "tessera::dstack(a, b, ...): requires the arrays without braces: dstack(a, b)");
  return *xs.begin();
}

namespace random {

template <std::floating_point T = double, std::integral I>
array<T, 1> uniform(I size, I) {
  static_assert(
      tessera::detail::is_allowed<T>,
      "tessera::random::uniform<T>(shape): requires the shape in braces: uniform({m, n})");
  return uniform<T>(size);
}
template <std::floating_point T = double, std::integral I>
array<T, 1> normal(I size, I) {
  static_assert(tessera::detail::is_allowed<T>,
                "tessera::random::normal<T>(shape): requires the shape in braces: normal({m, n})");
  return normal<T>(size);
}
template <std::integral... I>
int rand(I...) {
  static_assert(tessera::detail::is_allowed<I...>,
                "tessera::random::rand: requires its name here: uniform({m, n})");
  return 0;
}
template <std::integral... I>
int randn(I...) {
  static_assert(tessera::detail::is_allowed<I...>,
                "tessera::random::randn: requires its name here: normal({m, n})");
  return 0;
}
template <std::integral... I>
int randint(I...) {
  static_assert(
      tessera::detail::is_allowed<I...>,
      "tessera::random::randint: requires its name here: integers<int>(low, high, {m, n})");
  return 0;
}

}  // namespace random
}  // namespace tessera
