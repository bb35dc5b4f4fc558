// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Refused calls: arguments in another order, or functions under another name. One sentence gives
/// the remedy; without these overloads compilers would list every candidate.

#include "tessera/core/index.hpp"
#include "tessera/expr/expression.hpp"
#include "tessera/function/detail/apply_elementwise.hpp"
#include "tessera/function/detail/arguments.hpp"
#include "tessera/function/extremes.hpp"
#include "tessera/function/groupby.hpp"
#include "tessera/function/moments.hpp"
#include "tessera/function/sums.hpp"
#include "tessera/meta/axes.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>

namespace tessera {

namespace detail {

template <class T>
struct no_fold_of_nan {
  static_assert(is_allowed<T>,
                "tessera::op::nanmean{}, op::nansum{}, ...: requires op::mean{}, op::sum{}, ..., "
                "and where(!isnan(x)) behind the axis, which leaves NaN out");
};

/// Tells whether the tag of a reduction is among `Args`, but not the third of them.
template <class... Args>
inline constexpr bool is_fold_misplaced = [] {
  const std::array<bool, sizeof...(Args)> are_folds{is_fold_tag<Args>...};
  const auto fold = std::find(are_folds.begin(), are_folds.end(), true);
  return fold != are_folds.end() && fold != are_folds.begin() + 2;
}();

}  // namespace detail

namespace op {

// clang-format off
/// Refused, with the remedy.
template <class T = void> struct nansum : sum, detail::no_fold_of_nan<T> {};
template <class T = void> struct nanprod : prod, detail::no_fold_of_nan<T> {};
template <class T = void> struct nanmin : min, detail::no_fold_of_nan<T> {};
template <class T = void> struct nanmax : max, detail::no_fold_of_nan<T> {};
template <class T = void> struct nanmean : mean, detail::no_fold_of_nan<T> {};
template <class T = void> struct nanvar : var, detail::no_fold_of_nan<T> {};
template <class T = void> struct nanstd : stddev, detail::no_fold_of_nan<T> {};
// clang-format on

}  // namespace op

/// Refused, with the remedy: the function comes first.
template <array_argument X, class F>
requires(!array_argument<F> && !weak_scalar<F>)  //
    const X& map(const X& x, const F&) {
  static_assert(detail::is_allowed<X>,
                "tessera::map(f, xs...): requires the function before the arrays: map(f, x)");
  return x;
}

/// Refused, with the remedy: the fold comes third.
template <class... Args>
requires(has_array<Args...>&& detail::is_fold_misplaced<Args...>)  //
    auto groupby_reduce(const Args&... args) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::groupby_reduce(x, labels, fold, n, axis<...>): requires them in this "
                "order: groupby_reduce(x, labels, op::mean{}, 12, axis<0>)");
  return detail::first_array(args...);
}

/// Refused, with the remedy: the number of groups is behind the array.
template <array_argument X>
const X& bincount(const X& x) {
  static_assert(detail::is_allowed<X>,
                "tessera::bincount(x, n): requires the number n of the values that are counted, "
                "0 to n - 1, as the shape is known before elements are");
  return x;
}
template <std::integral N, array_argument X>
const X& bincount(N, const X& x) {
  static_assert(detail::is_allowed<X>,
                "tessera::bincount(x, n): requires the array before the number of values: "
                "bincount(x, 12)");
  return x;
}

/// Refused, with the remedy: the range of the bins is said with their number.
template <array_argument X, std::integral N, class... Options>
const X& histogram(const X& x, N, const Options&...) {
  static_assert(detail::is_allowed<X>,
                "tessera::histogram(x, bins): requires the range of the bins with their number, "
                "as elements are not known before: histogram(x, bins{10, 0, 1})");
  return x;
}
template <array_argument X, std::integral N>
const X& histogram(const X& x, N, const double (&)[2]) {
  static_assert(detail::is_allowed<X>,
                "tessera::histogram(x, bins): requires the range of the bins with their number, "
                "as elements are not known before: histogram(x, bins{10, 0, 1})");
  return x;
}
/// Refused, with the remedy: the array comes first.
template <class Bins, array_argument X, class... Options>
requires(!array_argument<Bins>) const X& histogram(const Bins&, const X& x, const Options&...) {
  static_assert(detail::is_allowed<X>,
                "tessera::histogram(x, bins): requires the array before the bins: "
                "histogram(x, bins{10, 0, 1})");
  return x;
}

/// Refused, with the remedy: the array comes first.
template <class Edges, array_argument X, class... Right>
requires(!array_argument<Edges>) const X& digitize(const Edges&, const X& x, Right...) {
  static_assert(detail::is_allowed<X>,
                "tessera::digitize(x, edges): requires the array before the edges");
  return x;
}

namespace detail {

template <class X>
const X& refuse_rolling_option(const X& x) {
  static_assert(is_allowed<X>,
                "tessera::rolling_mean(x, length, axis<k>), and functions as it: requires nothing "
                "behind the axis; of pad(x, widths, boundary) the result is as long as x");
  return x;
}

}  // namespace detail

/// Refused, with the remedy: there are no options.
template <array_argument X, int... Axis, class Option>
const X& rolling_sum(const X& x, index_t, axis_list<Axis...>, const Option&) {
  return detail::refuse_rolling_option(x);
}
template <array_argument X, int... Axis, class Option>
const X& rolling_mean(const X& x, index_t, axis_list<Axis...>, const Option&) {
  return detail::refuse_rolling_option(x);
}
template <array_argument X, int... Axis, class Option>
const X& rolling_min(const X& x, index_t, axis_list<Axis...>, const Option&) {
  return detail::refuse_rolling_option(x);
}
template <array_argument X, int... Axis, class Option>
const X& rolling_max(const X& x, index_t, axis_list<Axis...>, const Option&) {
  return detail::refuse_rolling_option(x);
}
template <array_argument X, int... Axis, class Option>
const X& rolling_stddev(const X& x, index_t, axis_list<Axis...>, const Option&) {
  return detail::refuse_rolling_option(x);
}

/// Refused, with the remedy: tolerances have names.
template <class A, class B>
requires has_array<A, B>
bool isclose(const A&, const B&, double) {
  static_assert(detail::is_allowed<A>,
                "tessera::isclose(a, b, {.rtol, .atol}): requires the name of a tolerance: "
                "isclose(a, b, {.rtol = 1e-3})");
  return false;
}

}  // namespace tessera
