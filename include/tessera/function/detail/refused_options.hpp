// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Refused options and braces of functions: arguments that NumPy takes at this position. One
/// sentence gives the remedy.

#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"
#include "tessera/expr/expression.hpp"
#include "tessera/function/detail/arguments.hpp"

#include <concepts>
#include <cstddef>
#include <initializer_list>

namespace tessera {

template <lazy_array X>
const X& astype(const X& x, const detail::any_option& = 0) {
  static_assert(detail::is_allowed<X>,
                "tessera::astype<T>(x): requires the type in angle brackets: astype<float>(x)");
  return x;
}
template <lazy_array X>
const X& astype(const X& x, dtype) {
  static_assert(detail::is_allowed<X>,
                "tessera::astype<T>(x): requires the type in angle brackets: astype<float>(x)");
  return x;
}
template <array_argument X>
const X& clip(const X& x, const double (&)[2]) {
  static_assert(detail::is_allowed<X>,
                "tessera::clip(x, low, high): requires the bounds without braces: clip(x, 0, 1)");
  return x;
}
template <array_argument X, weak_scalar Number, weak_scalar... Numbers>
const X& nan_to_num(const X& x, Number, Numbers...) {
  static_assert(
      detail::is_allowed<X>,
      "tessera::nan_to_num(x, {.nan}): requires the name of a number: nan_to_num(x, {.nan = 0})");
  return x;
}
template <array_argument A, weak_scalar Number, weak_scalar... Numbers>
const A& isclose(const A& a, const detail::any_argument&, Number, Numbers...) {
  static_assert(detail::is_allowed<A>,
                "tessera::isclose(a, b, {.rtol, .atol}): requires the name of a tolerance: "
                "isclose(a, b, {.rtol = 1e-3})");
  return a;
}
template <array_argument B, weak_scalar Number, weak_scalar... Numbers>
const B& isclose(const detail::any_option&, const B& b, Number, Numbers...) {
  static_assert(detail::is_allowed<B>,
                "tessera::isclose(a, b, {.rtol, .atol}): requires the name of a tolerance: "
                "isclose(a, b, {.rtol = 1e-3})");
  return b;
}
template <array_argument X, std::integral Length>
const X& rolling(const X& x, Length) {
  static_assert(detail::is_allowed<X>,
                "tessera::rolling(m, x, length, axis<k>): requires a monoid first; rolling_mean(x, "
                "30, axis<0>) is the mean of 30");
  return x;
}
template <element T, lazy_array X>
const X& astype(const X& x, const detail::any_option&) {
  static_assert(detail::is_allowed<T>,
                "tessera::astype<T>(x): requires nothing behind x: lazy arrays share elements");
  return x;
}
template <array_argument Condition>
const Condition& where(const Condition& condition, const detail::any_argument&) {
  static_assert(detail::is_allowed<Condition>,
                "tessera::where(condition, a, b): requires a value for true and one for false: "
                "where(x > 0, x, 0.0)");
  return condition;
}
template <array_expression C, array_expression X>
X select(std::initializer_list<C>, std::initializer_list<X> xs, const detail::any_argument&) {
  static_assert(detail::is_allowed<X>,
                "tessera::select(condition, a, ..., otherwise): requires each array behind its "
                "condition, without braces: select(x > 0, a, x < 0, b, 0.0)");
  return *xs.begin();
}
template <lazy_array Index, array_expression X>
X choose(const Index&, std::initializer_list<X> xs) {
  static_assert(
      detail::is_allowed<X>,
      "tessera::choose(index, arrays...): requires the arrays without braces: choose(index, a, b)");
  return *xs.begin();
}
template <array_argument X>
const X& maximum(const X& x) {
  static_assert(
      detail::is_allowed<X>,
      "tessera::maximum(a, b): requires two operands; max(x) is the greatest element of x");
  return x;
}
template <array_argument X>
const X& minimum(const X& x) {
  static_assert(detail::is_allowed<X>,
                "tessera::minimum(a, b): requires two operands; min(x) is the least element of x");
  return x;
}
template <array_argument X>
const X& log(const X& x, const detail::any_argument&) {
  static_assert(detail::is_allowed<X>,
                "tessera::log(x): requires no base: log2(x), log10(x), log(x) / std::log(base)");
  return x;
}
namespace detail {

/// Axes between braces.
template <std::size_t N>
using refused_axes = const index_t (&)[N];

}  // namespace detail

template <array_argument X, std::size_t N>
const X& argmax(const X& x, detail::refused_axes<N>) {
  static_assert(
      detail::is_allowed<X>,
      "tessera::argmax(x, axis<...>): requires the axes as axis<...>, as in argmax(x, axis<0>)");
  return x;
}
template <array_argument X, std::size_t N>
const X& argmin(const X& x, detail::refused_axes<N>) {
  static_assert(
      detail::is_allowed<X>,
      "tessera::argmin(x, axis<...>): requires the axes as axis<...>, as in argmin(x, axis<0>)");
  return x;
}
template <array_argument X, std::size_t N>
const X& median(const X& x, detail::refused_axes<N>) {
  static_assert(
      detail::is_allowed<X>,
      "tessera::median(x, axis<...>): requires the axes as axis<...>, as in median(x, axis<0>)");
  return x;
}
template <array_argument X, std::size_t N>
const X& nanmean(const X& x, detail::refused_axes<N>) {
  static_assert(
      detail::is_allowed<X>,
      "tessera::nanmean(x, axis<...>): requires the axes as axis<...>, as in nanmean(x, axis<0>)");
  return x;
}
template <array_argument X, std::size_t N>
const X& nansum(const X& x, detail::refused_axes<N>) {
  static_assert(
      detail::is_allowed<X>,
      "tessera::nansum(x, axis<...>): requires the axes as axis<...>, as in nansum(x, axis<0>)");
  return x;
}
template <array_argument X, std::size_t N>
const X& nanmax(const X& x, detail::refused_axes<N>) {
  static_assert(
      detail::is_allowed<X>,
      "tessera::nanmax(x, axis<...>): requires the axes as axis<...>, as in nanmax(x, axis<0>)");
  return x;
}
template <array_argument X, std::size_t N>
const X& nanmin(const X& x, detail::refused_axes<N>) {
  static_assert(
      detail::is_allowed<X>,
      "tessera::nanmin(x, axis<...>): requires the axes as axis<...>, as in nanmin(x, axis<0>)");
  return x;
}
template <array_argument X, std::size_t N>
const X& nanstd(const X& x, detail::refused_axes<N>) {
  static_assert(
      detail::is_allowed<X>,
      "tessera::nanstd(x, axis<...>): requires the axes as axis<...>, as in nanstd(x, axis<0>)");
  return x;
}
template <array_argument X, std::size_t N>
const X& nanvar(const X& x, detail::refused_axes<N>) {
  static_assert(
      detail::is_allowed<X>,
      "tessera::nanvar(x, axis<...>): requires the axes as axis<...>, as in nanvar(x, axis<0>)");
  return x;
}
template <array_argument X, std::size_t N>
const X& nanmedian(const X& x, detail::refused_axes<N>) {
  static_assert(detail::is_allowed<X>,
                "tessera::nanmedian(x, axis<...>): requires the axes as axis<...>, as in "
                "nanmedian(x, axis<0>)");
  return x;
}
template <array_argument X, std::size_t N>
const X& count_nonzero(const X& x, detail::refused_axes<N>) {
  static_assert(detail::is_allowed<X>,
                "tessera::count_nonzero(x, axis<...>): requires the axes as axis<...>, as in "
                "count_nonzero(x, axis<0>)");
  return x;
}
template <array_argument X, std::size_t N>
const X& ptp(const X& x, detail::refused_axes<N>) {
  static_assert(
      detail::is_allowed<X>,
      "tessera::ptp(x, axis<...>): requires the axes as axis<...>, as in ptp(x, axis<0>)");
  return x;
}
template <array_argument X, std::size_t N>
const X& sort(const X& x, detail::refused_axes<N>) {
  static_assert(
      detail::is_allowed<X>,
      "tessera::sort(x, axis<...>): requires the axes as axis<...>, as in sort(x, axis<0>)");
  return x;
}
template <array_argument X, std::size_t N>
const X& argsort(const X& x, detail::refused_axes<N>) {
  static_assert(
      detail::is_allowed<X>,
      "tessera::argsort(x, axis<...>): requires the axes as axis<...>, as in argsort(x, axis<0>)");
  return x;
}
// Of `int` alone, as the options of these functions are between braces too.
template <array_argument X, std::same_as<int> I, std::size_t N>
const X& cumulative_sum(const X& x, const I (&)[N]) {
  static_assert(detail::is_allowed<X>,
                "tessera::cumulative_sum(x, axis<...>): requires the axes as axis<...>, as in "
                "cumulative_sum(x, axis<0>)");
  return x;
}
template <array_argument X, std::same_as<int> I, std::size_t N>
const X& cumulative_prod(const X& x, const I (&)[N]) {
  static_assert(detail::is_allowed<X>,
                "tessera::cumulative_prod(x, axis<...>): requires the axes as axis<...>, as in "
                "cumulative_prod(x, axis<0>)");
  return x;
}
template <array_argument X, std::size_t N>
const X& skew(const X& x, detail::refused_axes<N>) {
  static_assert(
      detail::is_allowed<X>,
      "tessera::skew(x, axis<...>): requires the axes as axis<...>, as in skew(x, axis<0>)");
  return x;
}
template <array_argument X, std::size_t N>
const X& kurtosis(const X& x, detail::refused_axes<N>) {
  static_assert(detail::is_allowed<X>,
                "tessera::kurtosis(x, axis<...>): requires the axes as axis<...>, as in "
                "kurtosis(x, axis<0>)");
  return x;
}

}  // namespace tessera
