// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Statistical and utility functions: reductions along axes.
///
/// Each takes an array and, in any order, `axis<...>` (all axes without it), `keepdims` and, where
/// it says so, `correction(n)`: `mean(u, axis<0>, keepdims)`, `var(x, correction(1))`.
///
/// Shape:  that of `x` without the axes; with `keepdims` they stay, with extent 1.
/// Chunks: those of `x` on the axes that stay.
/// Memory: a task streams its chunks of `x` through one buffer and keeps one state for each result.
/// Source: the Python Array API standard.

#include "tessera/array/detail/reduce.hpp"
#include "tessera/expr/expression.hpp"

namespace tessera {

/// Returns the sum of the elements along some axes.
///
/// Dtype:    floats and complex numbers keep theirs; signed integers and bool give int64, unsigned
/// ones uint64. Of nothing: 0.
template <array_argument X, class... Options>
[[nodiscard]] auto sum(const X& x, Options... options) {
  static_assert(are_reduction_options<Options...>,
                "tessera::sum(x, options...): requires each option to be axis<k>, keepdims: "
                "sum(x, axis<0>)");
  static_assert(axes_fit<X::rank, detail::axes_of<Options...>>,
                "tessera::sum(x, axis<...>): requires every axis to be in [-rank, rank) of x");
  static_assert(axes_differ<X::rank, detail::axes_of<Options...>>,
                "tessera::sum(x, axis<...>): requires axes that differ from each other");
  return detail::reduce<op::sum>(x, options...);
}

/// Returns the product of the elements along some axes.
///
/// Dtype:    as `sum`. Of nothing: 1.
template <array_argument X, class... Options>
[[nodiscard]] auto prod(const X& x, Options... options) {
  static_assert(are_reduction_options<Options...>,
                "tessera::prod(x, options...): requires each option to be axis<k>, keepdims: "
                "prod(x, axis<0>)");
  static_assert(axes_fit<X::rank, detail::axes_of<Options...>>,
                "tessera::prod(x, axis<...>): requires every axis to be in [-rank, rank) of x");
  static_assert(axes_differ<X::rank, detail::axes_of<Options...>>,
                "tessera::prod(x, axis<...>): requires axes that differ from each other");
  return detail::reduce<op::prod>(x, options...);
}

/// Returns the least element along some axes; NaN if any is.
///
/// Dtype:    that of `x`.
/// Requires: elements that are real numbers, not bool or complex.
/// Throws:   shape_error <- an axis has no elements.
template <array_argument X, class... Options>
[[nodiscard]] auto min(const X& x, Options... options) {
  static_assert(are_reduction_options<Options...>,
                "tessera::min(x, options...): requires each option to be axis<k>, keepdims: "
                "min(x, axis<0>); minimum(a, b) compares two arrays");
  static_assert(axes_fit<X::rank, detail::axes_of<Options...>>,
                "tessera::min(x, axis<...>): requires every axis to be in [-rank, rank) of x");
  static_assert(axes_differ<X::rank, detail::axes_of<Options...>>,
                "tessera::min(x, axis<...>): requires axes that differ from each other");
  static_assert(fold_takes<op::min, typename X::value_type>,
                "tessera::min(x): requires elements that are real numbers, not bool or complex; "
                "astype<T>(x) converts them");
  return detail::reduce<op::min>(x, options...);
}

/// Returns the greatest element along some axes; NaN if any is.
///
/// Dtype:    that of `x`.
/// Requires: elements that are real numbers, not bool or complex.
/// Throws:   shape_error <- an axis has no elements.
template <array_argument X, class... Options>
[[nodiscard]] auto max(const X& x, Options... options) {
  static_assert(are_reduction_options<Options...>,
                "tessera::max(x, options...): requires each option to be axis<k>, keepdims: "
                "max(x, axis<0>); maximum(a, b) compares two arrays");
  static_assert(axes_fit<X::rank, detail::axes_of<Options...>>,
                "tessera::max(x, axis<...>): requires every axis to be in [-rank, rank) of x");
  static_assert(axes_differ<X::rank, detail::axes_of<Options...>>,
                "tessera::max(x, axis<...>): requires axes that differ from each other");
  static_assert(fold_takes<op::max, typename X::value_type>,
                "tessera::max(x): requires elements that are real numbers, not bool or complex; "
                "astype<T>(x) converts them");
  return detail::reduce<op::max>(x, options...);
}

/// Returns the arithmetic mean of the elements along some axes.
///
/// Dtype:    floats and complex numbers keep theirs; integers give float64. Of nothing: NaN.
/// Requires: elements that are numbers, not bool.
template <array_argument X, class... Options>
[[nodiscard]] auto mean(const X& x, Options... options) {
  static_assert(are_reduction_options<Options...>,
                "tessera::mean(x, options...): requires each option to be axis<k>, keepdims: "
                "mean(x, axis<0>)");
  static_assert(axes_fit<X::rank, detail::axes_of<Options...>>,
                "tessera::mean(x, axis<...>): requires every axis to be in [-rank, rank) of x");
  static_assert(axes_differ<X::rank, detail::axes_of<Options...>>,
                "tessera::mean(x, axis<...>): requires axes that differ from each other");
  static_assert(fold_takes<op::mean, typename X::value_type>,
                "tessera::mean(x): requires elements that are numbers, not bool; "
                "astype<T>(x) converts them");
  return detail::reduce<op::mean>(x, options...);
}

/// Returns the variance of the elements along some axes.
///
/// Dtype:    as `mean`. Of nothing: NaN.
///
/// Divides by the number of elements, less the `correction` (0 unless given).
/// Requires: elements that are real numbers, not bool or complex.
template <array_argument X, class... Options>
[[nodiscard]] auto var(const X& x, Options... options) {
  static_assert(
      are_variance_options<Options...>,
      "tessera::var(x, options...): requires each option to be axis<k>, keepdims or correction(n): "
      "var(x, axis<0>)");
  static_assert(axes_fit<X::rank, detail::axes_of<Options...>>,
                "tessera::var(x, axis<...>): requires every axis to be in [-rank, rank) of x");
  static_assert(axes_differ<X::rank, detail::axes_of<Options...>>,
                "tessera::var(x, axis<...>): requires axes that differ from each other");
  static_assert(fold_takes<op::var, typename X::value_type>,
                "tessera::var(x): requires elements that are real numbers, not bool or complex; "
                "astype<T>(x) converts them");
  return detail::reduce<op::var>(x, options...);
}

/// Returns the standard deviation of the elements along some axes.
///
/// Dtype:    as `mean`. Of nothing: NaN.
///
/// Divides by the number of elements, less the `correction` (0 unless given).
/// Requires: elements that are real numbers, not bool or complex.
template <array_argument X, class... Options>
[[nodiscard]] auto stddev(const X& x, Options... options) {
  static_assert(are_variance_options<Options...>,
                "tessera::stddev(x, options...): requires each option to be axis<k>, keepdims or "
                "correction(n): "
                "stddev(x, axis<0>)");
  static_assert(axes_fit<X::rank, detail::axes_of<Options...>>,
                "tessera::stddev(x, axis<...>): requires every axis to be in [-rank, rank) of x");
  static_assert(axes_differ<X::rank, detail::axes_of<Options...>>,
                "tessera::stddev(x, axis<...>): requires axes that differ from each other");
  static_assert(fold_takes<op::stddev, typename X::value_type>,
                "tessera::stddev(x): requires elements that are real numbers, not bool or complex; "
                "astype<T>(x) converts them");
  return detail::reduce<op::stddev>(x, options...);
}

/// Tells whether any element along some axes is not zero.
///
/// Dtype:    bool. Of nothing: false.
template <array_argument X, class... Options>
[[nodiscard]] auto any(const X& x, Options... options) {
  static_assert(are_reduction_options<Options...>,
                "tessera::any(x, options...): requires each option to be axis<k>, keepdims: "
                "any(x, axis<0>)");
  static_assert(axes_fit<X::rank, detail::axes_of<Options...>>,
                "tessera::any(x, axis<...>): requires every axis to be in [-rank, rank) of x");
  static_assert(axes_differ<X::rank, detail::axes_of<Options...>>,
                "tessera::any(x, axis<...>): requires axes that differ from each other");
  return detail::reduce<op::any>(x, options...);
}

/// Tells whether all elements along some axes are not zero.
///
/// Dtype:    bool. Of nothing: true.
template <array_argument X, class... Options>
[[nodiscard]] auto all(const X& x, Options... options) {
  static_assert(are_reduction_options<Options...>,
                "tessera::all(x, options...): requires each option to be axis<k>, keepdims: "
                "all(x, axis<0>)");
  static_assert(axes_fit<X::rank, detail::axes_of<Options...>>,
                "tessera::all(x, axis<...>): requires every axis to be in [-rank, rank) of x");
  static_assert(axes_differ<X::rank, detail::axes_of<Options...>>,
                "tessera::all(x, axis<...>): requires axes that differ from each other");
  return detail::reduce<op::all>(x, options...);
}

}  // namespace tessera
