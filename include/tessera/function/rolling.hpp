// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Rolling functions: of each window of neighbours along one axis.
///
/// Each takes an array, the length of the window and the axis, which may be left out for an array
/// of rank 1. Element `i` of the result is of the elements `i` to `i + length - 1`.
///
/// Shape:  that of `x`, `length - 1` shorter along the axis.
/// Chunks: as `x`.
/// Memory: a task passes along the axis for a block of the other axes: a chunk in, one out, and for
///         each line the states of `length + 1` elements.
/// Complexity: reads `x` once, and `length - 1` elements of each line again for each further task;
///         three merges for each element. Sums are never subtracted: no NaN outlives its window.
/// Throws: shape_error <- the window is longer than the axis. value_error <- it has no element.
/// Source: xarray's `rolling`, with the windows of NumPy's `sliding_window_view`.

#include "tessera/function/cumulative.hpp"
#include "tessera/function/detail/scan_functions.hpp"
#include "tessera/function/extremes.hpp"
#include "tessera/function/moments.hpp"
#include "tessera/function/running.hpp"
#include "tessera/function/scan.hpp"
#include "tessera/function/sums.hpp"
#include "tessera/kernel/detail/monoid_common.hpp"
#include "tessera/kernel/detail/monoid_moments.hpp"
#include "tessera/kernel/detail/monoid_sums.hpp"
#include "tessera/kernel/rolling_scan.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace tessera {

namespace detail {

template <class T>
struct window_sum : running_sum<T> {
  static constexpr std::string_view name = "rolling_sum";
};

/// A sum of integers of 64 bits may need more, so that their mean is of a compensated one.
template <class T>
using window_sum_for_mean =
    std::conditional_t<integer_element<T> && sizeof(T) == sizeof(std::int64_t), ungrouped_sum<T>,
                       plain_sum<T>>;

template <class T>
struct window_mean : sum_statistic<op::mean, T, window_sum_for_mean<T>> {
  static constexpr std::string_view name = "rolling_mean";
};

template <class T>
struct window_min : combined_elements<op::min, T> {
  static constexpr std::string_view name = "rolling_min";
};

template <class T>
struct window_max : combined_elements<op::max, T> {
  static constexpr std::string_view name = "rolling_max";
};

template <class T>
struct window_stddev : moments_of<T> {
  static constexpr std::string_view name = "rolling_stddev";
  static floating_t<T> finish(const typename moments_of<T>::state& s, double count) {
    const double squares = squares_around_mean(moments_of<T>::moments_in(s));
    return static_cast<floating_t<T>>(op::stddev::finish(squares / count));
  }
};

}  // namespace detail

namespace op {

/// A reduction of windows of `length` elements by `Monoid<T>`.
template <template <class> class Monoid>
struct rolling_window {
  static constexpr std::string_view name = Monoid<double>::name;
  index_t length = 1;
  template <element T>
  using result = typename detail::rolling_scan<Monoid<T>, T>::output;
  template <element T>
  static const scan_kernel& kernel() {
    return rolling_by<Monoid<T>, T>();
  }
  [[nodiscard]] kernel_parameters parameters() const { return detail::window_parameters(length); }
};

using rolling_sum = rolling_window<detail::window_sum>;
using rolling_mean = rolling_window<detail::window_mean>;
using rolling_min = rolling_window<detail::window_min>;
using rolling_max = rolling_window<detail::window_max>;
using rolling_stddev = rolling_window<detail::window_stddev>;

/// A reduction of windows of `length` elements by a user's monoid.
template <class M>
struct rolling_monoid : scan_by_monoid<M> {
  index_t length = 1;
  template <element T>
  using result = typename detail::rolling_scan<M, T>::output;
  template <element T>
  static const scan_kernel& kernel() {
    return rolling_by<M, T>();
  }
  [[nodiscard]] kernel_parameters parameters() const { return detail::window_parameters(length); }
};

}  // namespace op

/// Returns the sum of each window.
///
/// Dtype:    as `sum`.
template <array_argument X, class Axis = detail::only_axis>
[[nodiscard]] auto rolling_sum(const X& x, index_t length, Axis axis = {}) {
  static_assert(dims_fit<X, Axis>,
                "tessera::rolling_sum(x, dim<...>): requires a dimension that x has");
  static_assert(
      is_axis_of_scan<X::rank, Axis>,
      "tessera::rolling_sum(x, length, axis<...>): requires exactly one axis where x has several");
  static_assert(scan_axis_fits<X::rank, Axis>,
                "tessera::rolling_sum(x, length, axis<k>): requires an axis in [-rank, rank)");
  return detail::roll<true>(op::rolling_sum{length}, x, axis);
}

/// Returns the arithmetic mean of each window.
///
/// Dtype:    as `mean`.
template <array_argument X, class Axis = detail::only_axis>
[[nodiscard]] auto rolling_mean(const X& x, index_t length, Axis axis = {}) {
  static_assert(dims_fit<X, Axis>,
                "tessera::rolling_mean(x, dim<...>): requires a dimension that x has");
  static_assert(
      is_axis_of_scan<X::rank, Axis>,
      "tessera::rolling_mean(x, length, axis<...>): requires exactly one axis where x has several");
  static_assert(scan_axis_fits<X::rank, Axis>,
                "tessera::rolling_mean(x, length, axis<k>): requires an axis in [-rank, rank)");
  return detail::roll<true>(op::rolling_mean{length}, x, axis);
}

/// Returns the least element of each window; NaN if there is one in it.
///
/// Dtype:    that of `x`.
template <array_argument X, class Axis = detail::only_axis>
[[nodiscard]] auto rolling_min(const X& x, index_t length, Axis axis = {}) {
  static_assert(dims_fit<X, Axis>,
                "tessera::rolling_min(x, dim<...>): requires a dimension that x has");
  static_assert(
      is_axis_of_scan<X::rank, Axis>,
      "tessera::rolling_min(x, length, axis<...>): requires exactly one axis where x has several");
  static_assert(scan_axis_fits<X::rank, Axis>,
                "tessera::rolling_min(x, length, axis<k>): requires an axis in [-rank, rank)");
  static_assert(!complex_element<typename X::value_type>,
                "tessera::rolling_min(x, length): requires elements that have an order; complex "
                "numbers have none");
  return detail::roll<!complex_element<typename X::value_type>>(op::rolling_min{length}, x, axis);
}

/// Returns the greatest element of each window; NaN if there is one in it.
///
/// Dtype:    that of `x`.
template <array_argument X, class Axis = detail::only_axis>
[[nodiscard]] auto rolling_max(const X& x, index_t length, Axis axis = {}) {
  static_assert(dims_fit<X, Axis>,
                "tessera::rolling_max(x, dim<...>): requires a dimension that x has");
  static_assert(
      is_axis_of_scan<X::rank, Axis>,
      "tessera::rolling_max(x, length, axis<...>): requires exactly one axis where x has several");
  static_assert(scan_axis_fits<X::rank, Axis>,
                "tessera::rolling_max(x, length, axis<k>): requires an axis in [-rank, rank)");
  static_assert(!complex_element<typename X::value_type>,
                "tessera::rolling_max(x, length): requires elements that have an order; complex "
                "numbers have none");
  return detail::roll<!complex_element<typename X::value_type>>(op::rolling_max{length}, x, axis);
}

/// Returns the standard deviation of each window, with a divisor of its length.
///
/// Dtype:    as `stddev`.
template <array_argument X, class Axis = detail::only_axis>
[[nodiscard]] auto rolling_stddev(const X& x, index_t length, Axis axis = {}) {
  static_assert(dims_fit<X, Axis>,
                "tessera::rolling_stddev(x, dim<...>): requires a dimension that x has");
  static_assert(is_axis_of_scan<X::rank, Axis>,
                "tessera::rolling_stddev(x, length, axis<...>): requires exactly one axis where x "
                "has several");
  static_assert(scan_axis_fits<X::rank, Axis>,
                "tessera::rolling_stddev(x, length, axis<k>): requires an axis in [-rank, rank)");
  static_assert(
      !complex_element<typename X::value_type>,
      "tessera::rolling_stddev(x, length): requires elements that are real numbers or bool");
  return detail::roll<!complex_element<typename X::value_type>>(op::rolling_stddev{length}, x,
                                                                axis);
}

/// Returns the reduction by `M` of each window; `kernel/monoid.hpp` has the rules of a monoid.
template <class M, array_argument X, class Axis = detail::only_axis>
[[nodiscard]] auto rolling(const M& /*monoid*/, const X& x, index_t length, Axis axis = {}) {
  static_assert(dims_fit<X, Axis>,
                "tessera::rolling(x, dim<...>): requires a dimension that x has");
  constexpr bool holds = detail::check_scan<M, typename X::value_type>();
  static_assert(is_axis_of_scan<X::rank, Axis>,
                "tessera::rolling(m, x, length, axis<...>): requires exactly one axis where x has "
                "several");
  static_assert(scan_axis_fits<X::rank, Axis>,
                "tessera::rolling(m, x, length, axis<k>): requires an axis in [-rank, rank)");
  if constexpr (holds) {
    return detail::roll<holds>(op::rolling_monoid<M>{{}, length}, x, axis);
  } else {
    return x;
  }
}

namespace function {

/// The windows of this family.
using rolling_windows = boost::hana::tuple<op::rolling_sum, op::rolling_mean, op::rolling_min,
                                           op::rolling_max, op::rolling_stddev>;

/// The families of scans, each a list of tags.
using scan_families = boost::hana::tuple<cumulative_scans, running_scans, rolling_windows>;

}  // namespace function
}  // namespace tessera
