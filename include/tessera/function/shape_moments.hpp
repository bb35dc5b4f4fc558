// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Moments about the mean beyond the variance, in float64, and covariances.
///
/// Source: Pebay, "Formulas for robust, one-pass parallel computation of covariances and
/// arbitrary-order statistical moments", 2008; scipy.stats with bias=True.

#include "tessera/core/dtype.hpp"
#include "tessera/expr/reduction.hpp"
#include "tessera/function/arithmetic.hpp"
#include "tessera/function/conversion.hpp"
#include "tessera/function/detail/reduce.hpp"
#include "tessera/function/nan_statistical.hpp"
#include "tessera/function/powers.hpp"
#include "tessera/function/sums.hpp"
#include "tessera/kernel/detail/branchless.hpp"
#include "tessera/kernel/detail/counting.hpp"
#include "tessera/kernel/detail/monoid_common.hpp"
#include "tessera/kernel/detail/monoid_moments.hpp"
#include "tessera/kernel/monoid_fold.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <cmath>
#include <concepts>
#include <limits>
#include <string_view>
#include <tuple>

namespace tessera {

namespace detail {

/// The number of elements, their mean as `moments` keeps it, and the sums of powers 2 to 4 of their
/// distances from it.
template <class Op, class T>
struct four_moments {
  using state = std::tuple<double, double, double, double, double, double>;
  static constexpr std::string_view name = Op::name;
  static constexpr bool commutes = true;
  static constexpr state identity{0, 0, 0, 0, 0, 0};

  static state take(const state& s, const T& x) {
    const auto& [n, origin_of_some, offset, m2, m3, m4] = s;
    const auto element = static_cast<double>(x);
    const double origin = one_of(n == 0, element, origin_of_some);
    const double count = n + 1;
    const double d = moments{origin, offset}.distance_to(element);
    const double step = d / count;
    const double term = d * (step * n);
    return {count,
            origin,
            offset + step,
            m2 + term,
            m3 + term * step * (n - 1) - 3 * step * m2,
            m4 + term * step * step * (count * count - 3 * count + 3) + 6 * step * (step * m2) -
                4 * step * m3};
  }
  static state merge(const state& a, const state& b) {
    const auto& [n, origin, offset, a2, a3, a4] = a;
    const auto& [m, other_origin, other_offset, b2, b3, b4] = b;
    if (m == 0) return a;
    if (n == 0) return b;
    const moments merged =
        moments_merge(n, m)({origin, offset, a2}, {other_origin, other_offset, b2});
    const double d = (other_origin - origin) + (other_offset - offset);
    const double step = d / (n + m);
    const double term = d * step * n * m;
    return {n + m,
            merged.origin,
            merged.offset,
            merged.squares,
            a3 + b3 + term * step * (n - m) + 3 * step * (n * b2 - m * a2),
            a4 + b4 + term * step * step * (n * n - n * m + m * m) +
                6 * step * step * (n * n * b2 + m * m * a2) + 4 * step * (n * b3 - m * a3)};
  }
  static floating_t<T> finish(const state& s) {
    const auto& [n, origin, offset, m2, m3, m4] = s;
    // As in SciPy, elements that vary no more than the rounding of their mean have no shape.
    const double variance = m2 / n;
    const double rounded = std::numeric_limits<double>::epsilon() * (origin + offset);
    if (!(variance > rounded * rounded)) return std::numeric_limits<floating_t<T>>::quiet_NaN();
    return static_cast<floating_t<T>>(Op::finish(variance, m3 / n, m4 / n));
  }
};

template <class Op>
struct four_moments_fold {
  template <element T>
  static const fold_kernel& kernel() {
    return monoid_fold<four_moments<Op, T>, T>();
  }
  template <element T, counting How>
  static const fold_kernel& counted_kernel() {
    return counted_monoid_fold<four_moments<Op, T>, How, T>();
  }
};

}  // namespace detail

namespace op {

struct skew : detail::four_moments_fold<skew> {
  static constexpr std::string_view name = "skew";
  static constexpr fold_rule rule = fold_rule::real;
  template <element T>
  using result = floating_t<T>;

  static double finish(double variance, double third, double /*fourth*/) {
    return third / (variance * std::sqrt(variance));
  }
};

struct kurtosis : detail::four_moments_fold<kurtosis> {
  static constexpr std::string_view name = "kurtosis";
  static constexpr fold_rule rule = fold_rule::real;
  template <element T>
  using result = floating_t<T>;

  static double finish(double variance, double /*third*/, double fourth) {
    return fourth / (variance * variance) - 3;
  }
};

}  // namespace op

/// Returns the skewness of the elements along some axes: the third moment about the mean over the
/// third power of the standard deviation; NaN if they are all equal.
///
/// Dtype:    as `mean`, in float64 until then.
/// Requires: elements that are real numbers, not bool or complex.
/// Source:   scipy.stats.skew with bias=True.
template <array_argument X, class... Options>
[[nodiscard]] auto skew(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::skew(x, dim<...>): requires a dimension that x has");
  static_assert(
      detail::are_right_options<X, Options...>,
      "tessera::skew(x, options...): requires each option to be axis<k>, of axes of x that "
      "differ, keepdims or where(valid): skew(x, axis<0>)");
  static_assert(fold_takes<op::skew, typename X::value_type>,
                "tessera::skew(x): requires elements that are real numbers, not bool or complex; "
                "astype<T>(x) converts them");
  return detail::reduce_right(op::skew{}, x, options...);
}

/// Returns the kurtosis of the elements along some axes: the fourth moment about the mean over the
/// square of the variance, less 3, that of the normal distribution; NaN if they are all equal.
///
/// Otherwise as `skew`. Source: scipy.stats.kurtosis with bias=True.
template <array_argument X, class... Options>
[[nodiscard]] auto kurtosis(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::kurtosis(x, dim<...>): requires a dimension that x has");
  static_assert(
      detail::are_right_options<X, Options...>,
      "tessera::kurtosis(x, options...): requires each option to be axis<k>, of axes of x "
      "that differ, keepdims or where(valid): kurtosis(x, axis<0>)");
  static_assert(
      fold_takes<op::kurtosis, typename X::value_type>,
      "tessera::kurtosis(x): requires elements that are real numbers, not bool or complex; "
      "astype<T>(x) converts them");
  return detail::reduce_right(op::kurtosis{}, x, options...);
}

/// Returns the moment of order `order` about the mean of the elements along some axes: the mean of
/// that power of their distances from it, for which `x` is read twice.
///
/// Otherwise as `skew`. Source: scipy.stats.moment.
template <array_argument X, class... Options>
[[nodiscard]] auto moment(const X& x, int order, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::moment(x, dim<...>): requires a dimension that x has");
  constexpr bool is_right = detail::are_right_options<X, Options...> &&
                            real_element<typename X::value_type> && X::rank > 0;
  static_assert(
      is_right,
      "tessera::moment(x, order, options...): requires an array of real numbers, and each "
      "option to be axis<k>, of axes of x that differ, keepdims or where(valid)");
  if constexpr (!is_right || !dims_fit<X, Options...>) {
    return x;
  } else if constexpr (have_names<X>) {
    return detail::along_names(
        [order](const auto& y, const auto&... args) { return moment(y, order, args...); }, x,
        options...);
  } else {
    const auto wide = astype<double>(x);
    const axis_mask reduced = detail::reduced_axes<X::rank>("moment", options...);
    const auto about = [&] {
      if constexpr ((std::same_as<Options, keepdims_t> || ...)) {
        return mean(wide, options...);
      } else {
        return add_axes<X::rank>("moment", mean(wide, options...), reduced);
      }
    }();
    return astype<floating_t<typename X::value_type>>(mean(pow(wide - about, order), options...));
  }
}

namespace function {

/// The folds of this family.
using shape_moment_folds = boost::hana::tuple<op::skew, op::kurtosis>;

}  // namespace function
}  // namespace tessera
