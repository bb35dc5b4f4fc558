// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Rolling functions: of each window of neighbours along one axis.
///
/// Each takes an array, the length of the window and the axis, which may be left out where the
/// array has one. Element `i` of the result is of the elements `i` to `i + length - 1`.
///
/// Shape:  that of `x`, `length - 1` shorter along the axis.
/// Chunks: those of `x`.
/// Memory: a task walks the axis for a block of the others: a chunk in, one out, and for each line
///         the states of `length + 1` elements.
/// Complexity: reads `x` once; three merges for each element, whatever the length. Sums are never
///         subtracted, so that no error, infinity or NaN outlives its window.
/// Throws: shape_error <- the window is longer than the axis. value_error <- it has no element.
/// Source: xarray's `rolling`, with NumPy's `sliding_window_view` for which windows there are.

#include "tessera/function/cumulative.hpp"
#include "tessera/function/detail/scan.hpp"
#include "tessera/function/running.hpp"
#include "tessera/function/scan.hpp"
#include "tessera/kernel/detail/branchless.hpp"
#include "tessera/kernel/detail/fold_moments.hpp"
#include "tessera/kernel/rolling_scan.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>

namespace tessera {

namespace detail {

template <class T>
struct window_sum : running_total<T, op::accumulated_t<T>, false, false> {
  static constexpr std::string_view name = "rolling_sum";
};

template <class T>
struct window_mean : running_total<T, op::accumulated_t<T>, false, false> {
  static constexpr std::string_view name = "rolling_mean";
  static floating_t<T> finish(const accumulator<op::accumulated_t<T>>& sum, index_t length) {
    if constexpr (complex_element<T>) {
      return static_cast<floating_t<T>>(sum / static_cast<double>(length));
    } else {
      return static_cast<floating_t<T>>(static_cast<double>(sum) / static_cast<double>(length));
    }
  }
};

/// As the other, of integers of 64 bits, whose sum may need more: a compensated sum of float64.
template <integer_element T>
requires(sizeof(T) == sizeof(std::int64_t)) struct window_mean<T> {
  static constexpr std::string_view name = "rolling_mean";
  using state = std::tuple<double, double>;
  static constexpr state identity{0.0, 0.0};
  static state merge(const state& a, const state& b) {
    auto [sum, error] = a;
    add_exactly(sum, error, std::get<0>(b));
    return {sum, error + std::get<1>(b)};
  }
  static state take(const state& s, T x) { return merge(s, {static_cast<double>(x), 0.0}); }
  static double finish(const state& s, index_t length) {
    return compensated(std::get<0>(s), std::get<1>(s)) / static_cast<double>(length);
  }
};

template <class T, bool IsMax>
struct window_extreme : running_extreme<T, IsMax> {
  static constexpr std::string_view name = IsMax ? "rolling_max" : "rolling_min";
};

/// The number of elements, and their moments.
template <class T>
struct window_stddev {
  static constexpr std::string_view name = "rolling_stddev";
  using state = std::tuple<double, double, double, double>;
  static constexpr state identity{0.0, 0.0, 0.0, 0.0};
  static state merge(const state& a, const state& b) {
    const auto& [n, origin, offset, squares] = a;
    const auto& [m, other_origin, other_offset, other_squares] = b;
    const moments all =
        moments_merge(n, m)({origin, offset, squares}, {other_origin, other_offset, other_squares});
    return {n + m, all.origin, all.offset, all.squares};
  }
  static state take(const state& s, T x) {
    const auto& [n, origin, offset, squares] = s;
    const auto element = static_cast<double>(x);
    const moments some{one_of(n == 0, element, origin), offset, squares};
    const double distance = some.distance_to(element);
    const moments all = moments_addition(n, 1)(some, distance, distance * distance);
    return {n + 1, all.origin, all.offset, all.squares};
  }
  static floating_t<T> finish(const state& s, index_t length) {
    const auto& [n, origin, offset, squares] = s;
    const double variance =
        squares_around_mean({origin, offset, squares}) / static_cast<double>(length);
    return static_cast<floating_t<T>>(std::sqrt(variance));
  }
};

}  // namespace detail

namespace op {

/// A window of `length` elements, of which `Monoid<T>` makes one.
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

template <class T>
using window_min = detail::window_extreme<T, false>;
template <class T>
using window_max = detail::window_extreme<T, true>;

using rolling_sum = rolling_window<detail::window_sum>;
using rolling_mean = rolling_window<detail::window_mean>;
using rolling_min = rolling_window<window_min>;
using rolling_max = rolling_window<window_max>;
using rolling_stddev = rolling_window<detail::window_stddev>;

/// A window of `length` elements, of which people's own monoid makes one.
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
  static_assert(
      is_axis_of_scan<X::rank, Axis>,
      "tessera::rolling_mean(x, length, axis<...>): requires exactly one axis where x has several");
  static_assert(scan_axis_fits<X::rank, Axis>,
                "tessera::rolling_mean(x, length, axis<k>): requires an axis in [-rank, rank)");
  return detail::roll<true>(op::rolling_mean{length}, x, axis);
}

/// Returns the least element of each window; NaN where there is one in it.
///
/// Dtype:    that of `x`.
template <array_argument X, class Axis = detail::only_axis>
[[nodiscard]] auto rolling_min(const X& x, index_t length, Axis axis = {}) {
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

/// Returns the greatest element of each window; NaN where there is one in it.
///
/// Dtype:    that of `x`.
template <array_argument X, class Axis = detail::only_axis>
[[nodiscard]] auto rolling_max(const X& x, index_t length, Axis axis = {}) {
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

/// Returns what `M` makes of each window; `kernel/monoid.hpp` says what a monoid is.
template <class M, array_argument X, class Axis = detail::only_axis>
[[nodiscard]] auto rolling(const M& /*monoid*/, const X& x, index_t length, Axis axis = {}) {
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
