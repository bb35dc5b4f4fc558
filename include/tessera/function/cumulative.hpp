// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Cumulative functions: scans that include the element itself, along one axis.
///
/// Each takes an array and its axis; the axis may be left out if the array has rank 1.
///
/// Shape:  that of `x`.
/// Chunks: as `x`.
/// Memory: a task passes along the axis for a block of the other axes: a chunk in, one out, and a
///         state for each line.
/// Complexity: reads `x` once. If that gives few tasks, each takes a part of the axis, which is
///         then read twice. The bits do not depend on that.
/// Source: the Python Array API standard; NumPy's `maximum.accumulate`, `nancumsum`; xarray.

#include "tessera/function/conversion.hpp"
#include "tessera/function/detail/scan_functions.hpp"
#include "tessera/function/sums.hpp"
#include "tessera/kernel/detail/counting.hpp"
#include "tessera/kernel/detail/monoid_common.hpp"
#include "tessera/kernel/detail/monoid_sums.hpp"
#include "tessera/kernel/monoid_scan.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <string_view>
#include <type_traits>

namespace tessera {

namespace detail {

/// The monoids of scans and windows by the sum and by the product of `T`. A sum of float64 is
/// plain, as in NumPy's `cumsum`.
template <class T>
using running_sum = sum_statistic<op::sum, T, plain_sum<T>>;
template <class T>
using running_product = combined_elements<op::prod, T>;

/// The scan by `M` with the name of `Op`.
template <class Op, class M, class T>
const scan_kernel& named_scan() {
  return scan_by<named_monoid<M, Op>, T>();
}

}  // namespace detail

namespace op {

struct cumulative_sum {
  static constexpr std::string_view name = "cumulative_sum";
  template <element T>
  using result = accumulated_t<T>;
  template <element T>
  static const scan_kernel& kernel() {
    return detail::named_scan<cumulative_sum, detail::running_sum<T>, T>();
  }
};

struct cumulative_prod {
  static constexpr std::string_view name = "cumulative_prod";
  template <element T>
  using result = accumulated_t<T>;
  template <element T>
  static const scan_kernel& kernel() {
    return detail::named_scan<cumulative_prod, detail::running_product<T>, T>();
  }
};

struct nancumsum {
  static constexpr std::string_view name = "nancumsum";
  template <element T>
  using result = accumulated_t<T>;
  template <element T>
  static const scan_kernel& kernel() {
    return detail::named_scan<nancumsum, detail::numbers_monoid<detail::running_sum<T>>, T>();
  }
};

struct nancumprod {
  static constexpr std::string_view name = "nancumprod";
  template <element T>
  using result = accumulated_t<T>;
  template <element T>
  static const scan_kernel& kernel() {
    return detail::named_scan<nancumprod, detail::numbers_monoid<detail::running_product<T>>, T>();
  }
};

/// A sum or product of a dtype that was asked for, of elements that were converted to it.
template <class Cumulative>
struct in_own_dtype {
  static constexpr std::string_view name = Cumulative::name;
  template <element T>
  using result = T;
  template <element T>
  static const scan_kernel& kernel() {
    using total = std::conditional_t<std::is_same_v<Cumulative, cumulative_prod>,
                                     detail::running_product<T>, detail::running_sum<T>>;
    return detail::named_scan<Cumulative, detail::monoid_in<total, T>, T>();
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
  static_assert(dims_fit<X, Axis>,
                "tessera::cumulative_sum(x, dim<...>): requires a dimension that x has");
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
  static_assert(dims_fit<X, Axis>,
                "tessera::cumulative_sum(x, dim<...>): requires a dimension that x has");
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
  static_assert(dims_fit<X, Axis>,
                "tessera::cumulative_prod(x, dim<...>): requires a dimension that x has");
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
  static_assert(dims_fit<X, Axis>,
                "tessera::cumulative_prod(x, dim<...>): requires a dimension that x has");
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

/// As `cumulative_sum`, with NaN as 0.
///
/// Dtype:    as `cumulative_sum`.
template <array_argument X, class Axis>
[[nodiscard]] auto nancumsum(const X& x, Axis axis) {
  static_assert(dims_fit<X, Axis>,
                "tessera::nancumsum(x, dim<...>): requires a dimension that x has");
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

/// As `cumulative_prod`, with NaN as 1.
///
/// Dtype:    as `cumulative_sum`.
template <array_argument X, class Axis>
[[nodiscard]] auto nancumprod(const X& x, Axis axis) {
  static_assert(dims_fit<X, Axis>,
                "tessera::nancumprod(x, dim<...>): requires a dimension that x has");
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
