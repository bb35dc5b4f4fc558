// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Running extremes, and elements that take the place of NaN: scans along one axis, as in
/// `cumulative.hpp`.

#include "tessera/function/cumulative.hpp"
#include "tessera/function/detail/scan_functions.hpp"
#include "tessera/function/extremes.hpp"
#include "tessera/kernel/detail/monoid_common.hpp"
#include "tessera/kernel/monoid_scan.hpp"
#include "tessera/meta/promotion.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <limits>
#include <string_view>
#include <tuple>

namespace tessera {

namespace detail {

/// The last element that is not NaN.
template <class T>
struct last_valid {
  static constexpr std::string_view name = "fill";
  using state = std::tuple<T, bool>;
  static constexpr state identity{T{}, false};
  static state take(const state& s, T x) { return is_nan(x) ? s : state{x, true}; }
  static state merge(const state& a, const state& b) { return std::get<1>(b) ? b : a; }
  static T finish(const state& s) {
    return std::get<1>(s) ? std::get<0>(s) : T(std::numeric_limits<real_t<T>>::quiet_NaN());
  }
};

}  // namespace detail

namespace op {

struct cumulative_max {
  static constexpr std::string_view name = "cumulative_max";
  template <element T>
  using result = T;
  template <element T>
  static const scan_kernel& kernel() {
    return detail::named_scan<cumulative_max, detail::combined_elements<op::max, T>, T>();
  }
};

struct cumulative_min {
  static constexpr std::string_view name = "cumulative_min";
  template <element T>
  using result = T;
  template <element T>
  static const scan_kernel& kernel() {
    return detail::named_scan<cumulative_min, detail::combined_elements<op::min, T>, T>();
  }
};

struct ffill {
  static constexpr std::string_view name = "ffill";
  template <element T>
  using result = T;
  template <element T>
  static const scan_kernel& kernel() {
    return scan_by<detail::last_valid<T>, T>();
  }
};

struct bfill : ffill {
  static constexpr std::string_view name = "bfill";
};

}  // namespace op

/// Tells whether elements of `X` may be NaN.
template <class X>
inline constexpr bool fillable =
    floating_element<typename X::value_type> || complex_element<typename X::value_type>;

/// Returns the greatest of each element and all before it along an axis; NaN from the first NaN on.
///
/// Dtype:    that of `x`.
/// Requires: elements that have an order: not complex.
template <array_argument X, class Axis>
[[nodiscard]] auto cumulative_max(const X& x, Axis axis) {
  static_assert(dims_fit<X, Axis>,
                "tessera::cumulative_max(x, dim<...>): requires a dimension that x has");
  static_assert(
      is_axis_of_scan<X::rank, Axis>,
      "tessera::cumulative_max(x, axis<...>): requires exactly one axis where x has several");
  static_assert(scan_axis_fits<X::rank, Axis>,
                "tessera::cumulative_max(x, axis<k>): requires an axis in [-rank, rank)");
  static_assert(!complex_element<typename X::value_type>,
                "tessera::cumulative_max(x): requires elements that have an order; complex numbers "
                "have none");
  return detail::scan<!complex_element<typename X::value_type>>(op::cumulative_max{}, x, axis);
}
template <array_argument X>
[[nodiscard]] auto cumulative_max(const X& x) {
  return cumulative_max(x, detail::only_axis{});
}

/// Returns the least of each element and all before it along an axis; NaN from the first NaN on.
///
/// Dtype:    that of `x`.
/// Requires: elements that have an order: not complex.
template <array_argument X, class Axis>
[[nodiscard]] auto cumulative_min(const X& x, Axis axis) {
  static_assert(dims_fit<X, Axis>,
                "tessera::cumulative_min(x, dim<...>): requires a dimension that x has");
  static_assert(
      is_axis_of_scan<X::rank, Axis>,
      "tessera::cumulative_min(x, axis<...>): requires exactly one axis where x has several");
  static_assert(scan_axis_fits<X::rank, Axis>,
                "tessera::cumulative_min(x, axis<k>): requires an axis in [-rank, rank)");
  static_assert(!complex_element<typename X::value_type>,
                "tessera::cumulative_min(x): requires elements that have an order; complex numbers "
                "have none");
  return detail::scan<!complex_element<typename X::value_type>>(op::cumulative_min{}, x, axis);
}
template <array_argument X>
[[nodiscard]] auto cumulative_min(const X& x) {
  return cumulative_min(x, detail::only_axis{});
}

/// Returns `x` with each NaN replaced by the last element before it that is none.
///
/// Dtype:    that of `x`.
/// Requires: elements that may be NaN: floats or complex numbers.
template <array_argument X, class Axis>
[[nodiscard]] auto ffill(const X& x, Axis axis) {
  static_assert(dims_fit<X, Axis>, "tessera::ffill(x, dim<...>): requires a dimension that x has");
  static_assert(is_axis_of_scan<X::rank, Axis>,
                "tessera::ffill(x, axis<...>): requires exactly one axis where x has several");
  static_assert(scan_axis_fits<X::rank, Axis>,
                "tessera::ffill(x, axis<k>): requires an axis in [-rank, rank)");
  static_assert(fillable<X>,
                "tessera::ffill(x): requires elements that may be NaN: floats or complex numbers");
  return detail::scan<fillable<X>>(op::ffill{}, x, axis);
}
template <array_argument X>
[[nodiscard]] auto ffill(const X& x) {
  return ffill(x, detail::only_axis{});
}

/// Returns `x` with each NaN replaced by the first element behind it that is none.
///
/// Dtype:    that of `x`.
/// Requires: elements that may be NaN: floats or complex numbers.
template <array_argument X, class Axis>
[[nodiscard]] auto bfill(const X& x, Axis axis) {
  static_assert(dims_fit<X, Axis>, "tessera::bfill(x, dim<...>): requires a dimension that x has");
  static_assert(is_axis_of_scan<X::rank, Axis>,
                "tessera::bfill(x, axis<...>): requires exactly one axis where x has several");
  static_assert(scan_axis_fits<X::rank, Axis>,
                "tessera::bfill(x, axis<k>): requires an axis in [-rank, rank)");
  static_assert(fillable<X>,
                "tessera::bfill(x): requires elements that may be NaN: floats or complex numbers");
  return detail::scan<fillable<X>>(op::bfill{}, x, axis, true);
}
template <array_argument X>
[[nodiscard]] auto bfill(const X& x) {
  return bfill(x, detail::only_axis{});
}

namespace function {

/// The scans of this family.
using running_scans =
    boost::hana::tuple<op::cumulative_max, op::cumulative_min, op::ffill, op::bfill>;

}  // namespace function
}  // namespace tessera
