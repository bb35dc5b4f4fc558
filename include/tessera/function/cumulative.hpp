// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Cumulative functions: of each element what is so of all before it, along one axis, and itself.
///
/// Each takes an array and its axis, which may be left out where the array has one.
///
/// Shape:  that of `x`.
/// Chunks: those of `x`.
/// Memory: a task walks the axis for a block of the others: a chunk in, one out, and a state for
///         each line.
/// Complexity: reads `x` once; where that gives few tasks, each walks a part of the axis, which is
///         then read twice. The bits do not depend on that.
/// Source: the Python Array API standard; NumPy's `maximum.accumulate`, `nancumsum`; xarray.

#include "tessera/core/float16.hpp"
#include "tessera/function/arithmetic.hpp"
#include "tessera/function/conversion.hpp"
#include "tessera/function/detail/scan.hpp"
#include "tessera/function/sums.hpp"
#include "tessera/kernel/detail/monoid_common.hpp"
#include "tessera/kernel/monoid_scan.hpp"
#include "tessera/meta/promotion.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <cstdint>
#include <limits>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace tessera {

namespace detail {

/// The sum, or product, of elements of `T` so far, as an `R`; NaN is left out where `SkipsNan`.
template <class T, class R, bool IsProduct, bool SkipsNan>
struct running_total {
  static constexpr std::string_view name = IsProduct ? (SkipsNan ? "nancumprod" : "cumulative_prod")
                                                     : (SkipsNan ? "nancumsum" : "cumulative_sum");
  using state = accumulator<R>;
  static constexpr state identity{IsProduct ? 1 : 0};
  static state merge(state a, state b) {
    if constexpr (IsProduct) {
      return op::multiply::value(a, b);
    } else {
      return op::add::value(a, b);
    }
  }
  static state take(state s, T x) {
    // What is chosen is an element, not a sum of it, which would be a branch, as it may trap.
    if constexpr (SkipsNan) x = is_nan(x) ? T(IsProduct ? 1 : 0) : x;
    return merge(s, static_cast<state>(x));
  }
  static R finish(state s) { return static_cast<R>(s); }
};

}  // namespace detail

namespace op {

struct cumulative_sum {
  static constexpr std::string_view name = "cumulative_sum";
  template <element T>
  using result = accumulated_t<T>;
  template <element T>
  static const scan_kernel& kernel() {
    return scan_by<detail::running_total<T, result<T>, false, false>, T>();
  }
};

struct cumulative_prod {
  static constexpr std::string_view name = "cumulative_prod";
  template <element T>
  using result = accumulated_t<T>;
  template <element T>
  static const scan_kernel& kernel() {
    return scan_by<detail::running_total<T, result<T>, true, false>, T>();
  }
};

struct nancumsum {
  static constexpr std::string_view name = "nancumsum";
  template <element T>
  using result = accumulated_t<T>;
  template <element T>
  static const scan_kernel& kernel() {
    return scan_by<detail::running_total<T, result<T>, false, true>, T>();
  }
};

struct nancumprod {
  static constexpr std::string_view name = "nancumprod";
  template <element T>
  using result = accumulated_t<T>;
  template <element T>
  static const scan_kernel& kernel() {
    return scan_by<detail::running_total<T, result<T>, true, true>, T>();
  }
};

/// A sum or product of a dtype that was asked for, of elements that were converted to it.
template <class Cumulative>
struct in_own_dtype {
  static constexpr std::string_view name = Cumulative::name;
  static constexpr bool is_product = std::is_same_v<Cumulative, cumulative_prod>;
  template <element T>
  using result = T;
  template <element T>
  static const scan_kernel& kernel() {
    return scan_by<detail::running_total<T, T, is_product, false>, T>();
  }
};

}  // namespace op

/// Returns the sum of each element and all before it along an axis.
///
/// Dtype:    floats and complex numbers keep theirs; signed integers and bool give int64, unsigned
/// ones uint64; `cumulative_sum<R>(x)` gives `R`. float16 and float32 are summed in float64.
/// Shape:    with `include_initial` one more along the axis, 0 first.
template <array_argument X, class Axis>
[[nodiscard]] auto cumulative_sum(const X& x, Axis axis, const cumulative_options& options = {}) {
  static_assert(
      is_axis_of_scan<X::rank, Axis>,
      "tessera::cumulative_sum(x, axis<...>): requires exactly one axis where x has several");
  static_assert(scan_axis_fits<X::rank, Axis>,
                "tessera::cumulative_sum(x, axis<k>): requires an axis in [-rank, rank)");
  return detail::scan<true>(op::cumulative_sum{}, x, axis, false, options.include_initial);
}
template <array_argument X>
[[nodiscard]] auto cumulative_sum(const X& x, const cumulative_options& options = {}) {
  return cumulative_sum(x, detail::only_axis{}, options);
}
template <element R, array_argument X, class Axis>
[[nodiscard]] auto cumulative_sum(const X& x, Axis axis, const cumulative_options& options = {}) {
  static_assert(
      is_axis_of_scan<X::rank, Axis>,
      "tessera::cumulative_sum(x, axis<...>): requires exactly one axis where x has several");
  static_assert(scan_axis_fits<X::rank, Axis>,
                "tessera::cumulative_sum(x, axis<k>): requires an axis in [-rank, rank)");
  return detail::scan<true>(op::in_own_dtype<op::cumulative_sum>{}, astype<R>(x), axis, false,
                            options.include_initial);
}
template <element R, array_argument X>
[[nodiscard]] auto cumulative_sum(const X& x, const cumulative_options& options = {}) {
  return cumulative_sum<R>(x, detail::only_axis{}, options);
}

/// Returns the product of each element and all before it along an axis.
///
/// Dtype:    as `cumulative_sum`.
/// Shape:    with `include_initial` one more along the axis, 1 first.
template <array_argument X, class Axis>
[[nodiscard]] auto cumulative_prod(const X& x, Axis axis, const cumulative_options& options = {}) {
  static_assert(
      is_axis_of_scan<X::rank, Axis>,
      "tessera::cumulative_prod(x, axis<...>): requires exactly one axis where x has several");
  static_assert(scan_axis_fits<X::rank, Axis>,
                "tessera::cumulative_prod(x, axis<k>): requires an axis in [-rank, rank)");
  return detail::scan<true>(op::cumulative_prod{}, x, axis, false, options.include_initial);
}
template <array_argument X>
[[nodiscard]] auto cumulative_prod(const X& x, const cumulative_options& options = {}) {
  return cumulative_prod(x, detail::only_axis{}, options);
}
template <element R, array_argument X, class Axis>
[[nodiscard]] auto cumulative_prod(const X& x, Axis axis, const cumulative_options& options = {}) {
  static_assert(
      is_axis_of_scan<X::rank, Axis>,
      "tessera::cumulative_prod(x, axis<...>): requires exactly one axis where x has several");
  static_assert(scan_axis_fits<X::rank, Axis>,
                "tessera::cumulative_prod(x, axis<k>): requires an axis in [-rank, rank)");
  return detail::scan<true>(op::in_own_dtype<op::cumulative_prod>{}, astype<R>(x), axis, false,
                            options.include_initial);
}
template <element R, array_argument X>
[[nodiscard]] auto cumulative_prod(const X& x, const cumulative_options& options = {}) {
  return cumulative_prod<R>(x, detail::only_axis{}, options);
}

/// As `cumulative_sum`, with NaN taken for 0.
///
/// Dtype:    as `cumulative_sum`.
template <array_argument X, class Axis>
[[nodiscard]] auto nancumsum(const X& x, Axis axis) {
  static_assert(is_axis_of_scan<X::rank, Axis>,
                "tessera::nancumsum(x, axis<...>): requires exactly one axis where x has several");
  static_assert(scan_axis_fits<X::rank, Axis>,
                "tessera::nancumsum(x, axis<k>): requires an axis in [-rank, rank)");
  return detail::scan<true>(op::nancumsum{}, x, axis);
}
template <array_argument X>
[[nodiscard]] auto nancumsum(const X& x) {
  return nancumsum(x, detail::only_axis{});
}

/// As `cumulative_prod`, with NaN taken for 1.
///
/// Dtype:    as `cumulative_sum`.
template <array_argument X, class Axis>
[[nodiscard]] auto nancumprod(const X& x, Axis axis) {
  static_assert(is_axis_of_scan<X::rank, Axis>,
                "tessera::nancumprod(x, axis<...>): requires exactly one axis where x has several");
  static_assert(scan_axis_fits<X::rank, Axis>,
                "tessera::nancumprod(x, axis<k>): requires an axis in [-rank, rank)");
  return detail::scan<true>(op::nancumprod{}, x, axis);
}
template <array_argument X>
[[nodiscard]] auto nancumprod(const X& x) {
  return nancumprod(x, detail::only_axis{});
}

namespace function {

/// The scans of this family.
using cumulative_scans =
    boost::hana::tuple<op::cumulative_sum, op::cumulative_prod, op::nancumsum, op::nancumprod>;

}  // namespace function
}  // namespace tessera
