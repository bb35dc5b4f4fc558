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

#include <concepts>

namespace tessera {

namespace detail {

template <class T>
struct no_fold_of_nan {
  static_assert(is_allowed<T>,
                "tessera::op::nanmean{}, op::nansum{}, ...: requires op::mean{}, op::sum{}, ..., "
                "and where(!isnan(x)) behind the axis, which leaves NaN out");
};

template <class F>
concept fold_tag = is_fold_tag<F>;

template <class X>
const X& refuse_order_of_groups(const X& x) {
  static_assert(is_allowed<X>,
                "tessera::groupby_reduce(x, labels, fold, n, axis<...>): requires them in this "
                "order: groupby_reduce(x, labels, op::mean{}, 12, axis<0>)");
  return x;
}

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
template <array_argument X>
const X& map(const X& x, const detail::any_option&) {
  static_assert(detail::is_allowed<X>,
                "tessera::map(f, xs...): requires the function before the arrays: map(f, x)");
  return x;
}

/// Refused, with the remedy: the fold comes third.
template <detail::fold_tag Fold, unnamed_argument X>
const X& groupby_reduce(const Fold&, const X& x, const detail::any_argument&,
                        const detail::any_option&, const detail::any_option& = 0) {
  return detail::refuse_order_of_groups(x);
}
template <unnamed_argument X, detail::fold_tag Fold, class... Rest>
const X& groupby_reduce(const X& x, const Fold&, const Rest&...) {
  return detail::refuse_order_of_groups(x);
}
template <unnamed_argument X, detail::fold_tag Fold>
const X& groupby_reduce(const X& x, const detail::any_argument&, const detail::any_option&,
                        const Fold&, const detail::any_option& = 0) {
  return detail::refuse_order_of_groups(x);
}

/// Refused, with the remedy: the number of groups is behind the fold.
template <unnamed_argument X, detail::fold_tag Fold, int... Axes>
const X& groupby_reduce(const X& x, const detail::any_argument&, const Fold&,
                        axis_list<Axes...> = {}) {
  static_assert(detail::is_allowed<X>,
                "tessera::groupby_reduce(x, labels, fold, n, axis<...>): requires the number n of "
                "groups, as the shape is known before labels are: groupby_reduce(x, labels, "
                "op::mean{}, 12, axis<0>)");
  return x;
}

/// Refused, with the remedy: the number of groups is behind the array.
template <unnamed_argument X>
const X& bincount(const X& x) {
  static_assert(detail::is_allowed<X>,
                "tessera::bincount(x, n): requires the number n of the values that are counted, "
                "0 to n - 1, as the shape is known before elements are");
  return x;
}
template <std::integral N, unnamed_argument X>
const X& bincount(N, const X& x) {
  static_assert(detail::is_allowed<X>,
                "tessera::bincount(x, n): requires the array before the number of values: "
                "bincount(x, 12)");
  return x;
}

/// Refused, with the remedy: the range of the bins is said with their number.
template <unnamed_argument X, std::integral N>
const X& histogram(const X& x, N, const detail::any_braces& = 0, const detail::any_option& = 0) {
  static_assert(detail::is_allowed<X>,
                "tessera::histogram(x, bins): requires the range of the bins with their number, "
                "as elements are not known before: histogram(x, bins{10, 0, 1})");
  return x;
}
/// Refused, with the remedy: the array comes first.
template <unnamed_argument X>
const X& histogram(const detail::any_option&, const X& x, const detail::any_option& = 0) {
  static_assert(detail::is_allowed<X>,
                "tessera::histogram(x, bins): requires the array before the bins: "
                "histogram(x, bins{10, 0, 1})");
  return x;
}

/// Refused, with the remedy: the array comes first.
template <unnamed_argument X>
const X& digitize(const detail::any_option&, const X& x, const detail::any_option& = 0) {
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
template <array_argument X, int... Axis>
const X& rolling_sum(const X& x, index_t, axis_list<Axis...>, const detail::any_option&) {
  return detail::refuse_rolling_option(x);
}
template <array_argument X, int... Axis>
const X& rolling_mean(const X& x, index_t, axis_list<Axis...>, const detail::any_option&) {
  return detail::refuse_rolling_option(x);
}
template <array_argument X, int... Axis>
const X& rolling_min(const X& x, index_t, axis_list<Axis...>, const detail::any_option&) {
  return detail::refuse_rolling_option(x);
}
template <array_argument X, int... Axis>
const X& rolling_max(const X& x, index_t, axis_list<Axis...>, const detail::any_option&) {
  return detail::refuse_rolling_option(x);
}
template <array_argument X, int... Axis>
const X& rolling_stddev(const X& x, index_t, axis_list<Axis...>, const detail::any_option&) {
  return detail::refuse_rolling_option(x);
}

/// Refused, with the remedy: an argument too few, or one too many.
template <array_argument Condition>
const Condition& where(const Condition& condition, const detail::any_argument&,
                       const detail::any_argument&, const detail::any_argument&) {
  static_assert(detail::is_allowed<Condition>,
                "tessera::where(condition, a, b): requires nothing behind a and b; "
                "select(c, a, d, b, otherwise) takes several conditions");
  return condition;
}
template <array_argument X>
const X& quantile(const X& x) {
  static_assert(detail::is_allowed<X>,
                "tessera::quantile(x, q, axis<...>): requires q in [0, 1]: quantile(x, 0.9)");
  return x;
}
template <array_argument X>
const X& percentile(const X& x) {
  static_assert(detail::is_allowed<X>,
                "tessera::percentile(x, q, axis<...>): requires q in [0, 100]: percentile(x, 90)");
  return x;
}
template <array_argument X>
const X& topk(const X& x) {
  static_assert(detail::is_allowed<X>,
                "tessera::topk(x, k, axis<k>): requires the number of elements: topk(x, 5, "
                "axis<0>)");
  return x;
}
template <array_argument X, int... Axes>
const X& topk(const X& x, axis_list<Axes...>, const detail::any_option& = 0) {
  static_assert(detail::is_allowed<X>,
                "tessera::topk(x, k, axis<k>): requires the number of elements before the axis: "
                "topk(x, 5, axis<0>)");
  return x;
}

}  // namespace tessera
