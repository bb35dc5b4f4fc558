// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The least and the greatest element along axes.

#include "tessera/core/dtype.hpp"
#include "tessera/expr/reduction.hpp"
#include "tessera/function/detail/reduce.hpp"
#include "tessera/function/selection.hpp"
#include "tessera/kernel/detail/counting.hpp"
#include "tessera/kernel/detail/monoid_common.hpp"
#include "tessera/kernel/kernel.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <limits>
#include <string_view>

namespace tessera {

namespace op {

struct min {
  static constexpr std::string_view name = "min";
  static constexpr fold_rule rule = fold_rule::ordered;
  static constexpr bool needs_elements = true;
  template <element T>
  using result = T;

  template <element T>
  static const fold_kernel& kernel() {
    return detail::known_fold<detail::simple_fold<min, T>>();
  }
  template <element T, detail::counting How>
  static const fold_kernel& counted_kernel() {
    return detail::counted_monoid_fold<detail::seen_elements<min, T>, How, T>();
  }
  template <element T>
  static constexpr T identity() {
    using limits = std::numeric_limits<T>;
    return limits::has_infinity ? limits::infinity() : limits::max();
  }
  template <element T>
  static T combine(T a, T b) {
    return minimum::value(a, b);
  }
};

}  // namespace op

/// Returns the least element along some axes; NaN if any is.
///
/// Dtype:    that of `x`.
/// Requires: elements that have an order: not complex.
/// Throws:   shape_error <- an axis has no elements.
template <array_argument X, class... Options>
[[nodiscard]] auto min(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::min(x, dim<...>): requires a dimension that x has");
  static_assert(
      are_reduction_options<Options...>,
      "tessera::min(x, options...): requires each option to be axis<k>, keepdims, where(valid): "
      "min(x, axis<0>); minimum(a, b) compares two arrays");
  static_assert(axes_fit<X::rank, detail::axes_of<Options...>>,
                "tessera::min(x, axis<...>): requires every axis to be in [-rank, rank) of x");
  static_assert(axes_differ<X::rank, detail::axes_of<Options...>>,
                "tessera::min(x, axis<...>): requires axes that differ from each other");
  static_assert(fold_takes<op::min, typename X::value_type>,
                "tessera::min(x): requires elements that have an order; complex numbers have none");
  return detail::reduce(op::min{}, x, options...);
}

namespace op {

struct max {
  static constexpr std::string_view name = "max";
  static constexpr fold_rule rule = fold_rule::ordered;
  static constexpr bool needs_elements = true;
  template <element T>
  using result = T;

  template <element T>
  static const fold_kernel& kernel() {
    return detail::known_fold<detail::simple_fold<max, T>>();
  }
  template <element T, detail::counting How>
  static const fold_kernel& counted_kernel() {
    return detail::counted_monoid_fold<detail::seen_elements<max, T>, How, T>();
  }
  template <element T>
  static constexpr T identity() {
    using limits = std::numeric_limits<T>;
    return limits::has_infinity ? -limits::infinity() : limits::lowest();
  }
  template <element T>
  static T combine(T a, T b) {
    return maximum::value(a, b);
  }
};

}  // namespace op

/// Returns the greatest element along some axes; NaN if any is.
///
/// Dtype:    that of `x`.
/// Requires: elements that have an order: not complex.
/// Throws:   shape_error <- an axis has no elements.
template <array_argument X, class... Options>
[[nodiscard]] auto max(const X& x, Options... options) {
  static_assert(dims_fit<X, Options...>,
                "tessera::max(x, dim<...>): requires a dimension that x has");
  static_assert(
      are_reduction_options<Options...>,
      "tessera::max(x, options...): requires each option to be axis<k>, keepdims, where(valid): "
      "max(x, axis<0>); maximum(a, b) compares two arrays");
  static_assert(axes_fit<X::rank, detail::axes_of<Options...>>,
                "tessera::max(x, axis<...>): requires every axis to be in [-rank, rank) of x");
  static_assert(axes_differ<X::rank, detail::axes_of<Options...>>,
                "tessera::max(x, axis<...>): requires axes that differ from each other");
  static_assert(fold_takes<op::max, typename X::value_type>,
                "tessera::max(x): requires elements that have an order; complex numbers have none");
  return detail::reduce(op::max{}, x, options...);
}

namespace function {

/// The folds of this family.
using extreme_folds = boost::hana::tuple<op::min, op::max>;

}  // namespace function
}  // namespace tessera
