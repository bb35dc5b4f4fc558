// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Reductions that leave out NaN: the reduction without `nan` of the elements that are no NaN.

#include "tessera/expr/reduction.hpp"
#include "tessera/function/counted_where.hpp"
#include "tessera/function/detail/reduce.hpp"
#include "tessera/function/extremes.hpp"
#include "tessera/function/logical.hpp"
#include "tessera/function/moments.hpp"
#include "tessera/function/predicates.hpp"
#include "tessera/function/sums.hpp"

#include <type_traits>

namespace tessera {

namespace detail {

/// Calls `f` with the option that leaves out NaN, if elements can be NaN.
template <class X, class F>
auto without_nan(const X& /*x*/, F f) {
  using T = typename X::value_type;
  if constexpr (floating_element<T> || complex_element<T>) {
    return f(numbers_only{});
  } else {
    return f();
  }
}

/// The options of a variance that a reduction has as well.
template <class Option>
using without_correction =
    std::conditional_t<std::is_same_v<Option, correction>, keepdims_t, Option>;

}  // namespace detail

/// Returns the sum of the elements along some axes that are no NaN. Otherwise as `sum`.
template <array_argument X, class... Options>
[[nodiscard]] auto nansum(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::nansum(x, dim<...>): requires a dimension that x has");
  static_assert(detail::are_right_options<X, Options...>,
                "tessera::nansum(x, options...): requires each option to be axis<k>, of axes of x "
                "that differ, keepdims or where(valid): nansum(x, axis<0>)");
  if constexpr (detail::options_fit<X, Options...>) {
    return detail::without_nan(x, [&](auto... counted) { return sum(x, options..., counted...); });
  } else {
    return x;
  }
}

/// Returns the product of the elements along some axes that are no NaN. Otherwise as `prod`.
template <array_argument X, class... Options>
[[nodiscard]] auto nanprod(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::nanprod(x, dim<...>): requires a dimension that x has");
  static_assert(detail::are_right_options<X, Options...>,
                "tessera::nanprod(x, options...): requires each option to be axis<k>, of axes of x "
                "that differ, keepdims or where(valid): nanprod(x, axis<0>)");
  if constexpr (detail::options_fit<X, Options...>) {
    return detail::without_nan(x, [&](auto... counted) { return prod(x, options..., counted...); });
  } else {
    return x;
  }
}

/// Returns the least element along some axes that is no NaN; NaN if all are. Otherwise as `min`.
template <array_argument X, class... Options>
[[nodiscard]] auto nanmin(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::nanmin(x, dim<...>): requires a dimension that x has");
  static_assert(detail::are_right_options<X, Options...>,
                "tessera::nanmin(x, options...): requires each option to be axis<k>, of axes of x "
                "that differ, keepdims or where(valid): nanmin(x, axis<0>)");
  static_assert(fold_takes<op::min, typename X::value_type>,
                "tessera::nanmin(x): requires elements that have an order; complex numbers have "
                "none");
  if constexpr (detail::options_fit<X, Options...> && fold_takes<op::min, typename X::value_type>) {
    return detail::without_nan(x, [&](auto... counted) { return min(x, options..., counted...); });
  } else {
    return x;
  }
}

/// Returns the greatest element along some axes that is no NaN; NaN if all are. Otherwise as `max`.
template <array_argument X, class... Options>
[[nodiscard]] auto nanmax(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::nanmax(x, dim<...>): requires a dimension that x has");
  static_assert(detail::are_right_options<X, Options...>,
                "tessera::nanmax(x, options...): requires each option to be axis<k>, of axes of x "
                "that differ, keepdims or where(valid): nanmax(x, axis<0>)");
  static_assert(fold_takes<op::max, typename X::value_type>,
                "tessera::nanmax(x): requires elements that have an order; complex numbers have "
                "none");
  if constexpr (detail::options_fit<X, Options...> && fold_takes<op::max, typename X::value_type>) {
    return detail::without_nan(x, [&](auto... counted) { return max(x, options..., counted...); });
  } else {
    return x;
  }
}

/// Returns the mean of the elements along some axes that are no NaN; NaN if all are. Otherwise
/// as `mean`.
template <array_argument X, class... Options>
[[nodiscard]] auto nanmean(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::nanmean(x, dim<...>): requires a dimension that x has");
  static_assert(detail::are_right_options<X, Options...>,
                "tessera::nanmean(x, options...): requires each option to be axis<k>, of axes of x "
                "that differ, keepdims or where(valid): nanmean(x, axis<0>)");
  if constexpr (detail::options_fit<X, Options...>) {
    return detail::without_nan(x, [&](auto... counted) { return mean(x, options..., counted...); });
  } else {
    return x;
  }
}

/// Returns the variance of the elements along some axes that are no NaN; NaN if they are not more
/// than the `correction`. Otherwise as `var`.
template <array_argument X, class... Options>
[[nodiscard]] auto nanvar(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::nanvar(x, dim<...>): requires a dimension that x has");
  static_assert(detail::are_right_options<X, detail::without_correction<Options>...>,
                "tessera::nanvar(x, options...): requires each option to be axis<k>, of axes of x "
                "that differ, keepdims, where(valid) or correction(n): nanvar(x, axis<0>)");
  if constexpr (detail::options_fit<X, detail::without_correction<Options>...>) {
    return detail::without_nan(x, [&](auto... counted) { return var(x, options..., counted...); });
  } else {
    return x;
  }
}

/// Returns the standard deviation of the elements along some axes that are no NaN; NaN if they are
/// not more than the `correction`. Otherwise as `stddev`.
template <array_argument X, class... Options>
[[nodiscard]] auto nanstd(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::nanstd(x, dim<...>): requires a dimension that x has");
  static_assert(detail::are_right_options<X, detail::without_correction<Options>...>,
                "tessera::nanstd(x, options...): requires each option to be axis<k>, of axes of x "
                "that differ, keepdims, where(valid) or correction(n): nanstd(x, axis<0>)");
  if constexpr (detail::options_fit<X, detail::without_correction<Options>...>) {
    return detail::without_nan(x,
                               [&](auto... counted) { return stddev(x, options..., counted...); });
  } else {
    return x;
  }
}

}  // namespace tessera
