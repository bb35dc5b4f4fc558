// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Refused names: NumPy, Dask and xarray have them for functions with another name in the Array
/// API standard. One sentence gives the name to write.

#include "tessera/expr/expression.hpp"
#include "tessera/function/detail/apply_elementwise.hpp"
#include "tessera/function/detail/arguments.hpp"

#include <initializer_list>

namespace tessera {

/// Names to be refused. The directive behind them lets `tessera::power` be such a name, while an
/// unqualified call, of a function of the user with this name, does not see them.
namespace other_names {

template <class... Args>
requires has_array<Args...>
auto power(const Args&... args) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::power(a, b): requires the name in the Array API standard: pow(a, b)");
  return detail::first_array(args...);
}
template <class... Args>
requires has_array<Args...>
auto cumsum(const Args&... args) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::cumsum(x): requires the name in the Array API standard: "
                "cumulative_sum(x, axis<0>)");
  return detail::first_array(args...);
}
template <class... Args>
requires has_array<Args...>
auto cumprod(const Args&... args) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::cumprod(x): requires the name in the Array API standard: "
                "cumulative_prod(x, axis<0>)");
  return detail::first_array(args...);
}
template <class... Args>
requires has_array<Args...>
auto absolute(const Args&... args) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::absolute(x): requires the name in the Array API standard: abs(x)");
  return detail::first_array(args...);
}
template <class... Args>
requires has_array<Args...>
auto amax(const Args&... args) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::amax(x): requires its name here: max(x, axis<0>)");
  return detail::first_array(args...);
}
template <class... Args>
requires has_array<Args...>
auto amin(const Args&... args) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::amin(x): requires its name here: min(x, axis<0>)");
  return detail::first_array(args...);
}
template <class... Args>
requires has_array<Args...>
auto around(const Args&... args) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::around(x): requires its name here: round(x, 2)");
  return detail::first_array(args...);
}
template <class... Args>
requires has_array<Args...>
auto rolling_std(const Args&... args) {
  static_assert(
      detail::is_allowed<Args...>,
      "tessera::rolling_std(x, length): requires its name here: rolling_stddev(x, 30, axis<0>)");
  return detail::first_array(args...);
}
template <class... Args>
requires has_array<Args...>
auto mod(const Args&... args) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::mod(a, b): requires its name here: remainder(a, b)");
  return detail::first_array(args...);
}
template <class... Args>
requires has_array<Args...>
auto true_divide(const Args&... args) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::true_divide(a, b): requires its name here: divide(a, b)");
  return detail::first_array(args...);
}
template <class... Args>
requires has_array<Args...>
auto arcsin(const Args&... args) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::arcsin(x): requires the name in the Array API standard: asin(x)");
  return detail::first_array(args...);
}
template <class... Args>
requires has_array<Args...>
auto arccos(const Args&... args) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::arccos(x): requires the name in the Array API standard: acos(x)");
  return detail::first_array(args...);
}
template <class... Args>
requires has_array<Args...>
auto arctan(const Args&... args) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::arctan(x): requires the name in the Array API standard: atan(x)");
  return detail::first_array(args...);
}
template <class... Args>
requires has_array<Args...>
auto arctan2(const Args&... args) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::arctan2(a, b): requires the name in the Array API standard: atan2(a, b)");
  return detail::first_array(args...);
}
template <class... Args>
requires has_array<Args...>
auto arcsinh(const Args&... args) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::arcsinh(x): requires the name in the Array API standard: asinh(x)");
  return detail::first_array(args...);
}
template <class... Args>
requires has_array<Args...>
auto arccosh(const Args&... args) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::arccosh(x): requires the name in the Array API standard: acosh(x)");
  return detail::first_array(args...);
}
template <class... Args>
requires has_array<Args...>
auto arctanh(const Args&... args) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::arctanh(x): requires the name in the Array API standard: atanh(x)");
  return detail::first_array(args...);
}
template <class... Args>
requires has_array<Args...>
auto conjugate(const Args&... args) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::conjugate(x): requires the name in the Array API standard: conj(x)");
  return detail::first_array(args...);
}
template <class... Args>
requires has_array<Args...>
auto invert(const Args&... args) {
  static_assert(
      detail::is_allowed<Args...>,
      "tessera::invert(x): requires the name in the Array API standard: bitwise_invert(x)");
  return detail::first_array(args...);
}
template <class... Args>
requires has_array<Args...>
auto bitwise_not(const Args&... args) {
  static_assert(
      detail::is_allowed<Args...>,
      "tessera::bitwise_not(x): requires the name in the Array API standard: bitwise_invert(x)");
  return detail::first_array(args...);
}
template <class... Args>
requires has_array<Args...>
auto left_shift(const Args&... args) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::left_shift(a, b): requires the name in the Array API standard: "
                "bitwise_left_shift(a, b)");
  return detail::first_array(args...);
}
template <class... Args>
requires has_array<Args...>
auto right_shift(const Args&... args) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::right_shift(a, b): requires the name in the Array API standard: "
                "bitwise_right_shift(a, b)");
  return detail::first_array(args...);
}
template <class... Args>
requires has_array<Args...>
auto in1d(const Args&... args) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::in1d(x, values): requires its name here: isin(x, values)");
  return detail::first_array(args...);
}
template <class... Args>
requires has_array<Args...>
auto top_k(const Args&... args) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::top_k(x, k): requires its name here: topk(x, k, axis<0>)");
  return detail::first_array(args...);
}
template <class... Args>
requires has_array<Args...>
auto interp1d(const Args&... args) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::interp1d(x, y): requires its name here: interp(x, places, values)");
  return detail::first_array(args...);
}
template <class... Args>
requires has_array<Args...>
auto concatenate(const Args&... args) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::concatenate(a, b): requires the name in the Array API standard: "
                "concat(a, b, axis<0>)");
  return detail::first_array(args...);
}
template <array_expression X, class... Options>
X concatenate(std::initializer_list<X> xs, const Options&...) {
  static_assert(detail::is_allowed<X>,
                "tessera::concatenate(a, b): requires the name in the Array API standard: "
                "concat(a, b, axis<0>)");
  return *xs.begin();
}
template <class... Args>
requires has_array<Args...>
auto row_stack(const Args&... args) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::row_stack(a, b): requires its name here: vstack(a, b)");
  return detail::first_array(args...);
}
template <array_expression X, class... Options>
X row_stack(std::initializer_list<X> xs, const Options&...) {
  static_assert(detail::is_allowed<X>,
                "tessera::row_stack(a, b): requires its name here: vstack(a, b)");
  return *xs.begin();
}
template <class... Args>
requires has_array<Args...>
auto column_stack(const Args&... args) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::column_stack(a, b): requires its name here: hstack(a, b), or stack(a, b, "
                "axis<1>) of vectors");
  return detail::first_array(args...);
}
template <array_expression X, class... Options>
X column_stack(std::initializer_list<X> xs, const Options&...) {
  static_assert(detail::is_allowed<X>,
                "tessera::column_stack(a, b): requires its name here: hstack(a, b), or stack(a, b, "
                "axis<1>) of vectors");
  return *xs.begin();
}
template <class... Args>
requires has_array<Args...>
auto to_zarr(const Args&... args) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::to_zarr(x, path): requires its name here: store(x, path)");
  return detail::first_array(args...);
}
template <class... Args>
requires has_array<Args...>
auto from_array(const Args&... args) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::from_array(v): requires its name here: asarray(v)");
  return detail::first_array(args...);
}
template <class... Args>
requires has_array<Args...>
auto unique(const Args&... args) {
  static_assert(detail::is_allowed<Args...>,
                "tessera::unique(x): requires its name here: unique_values(x)");
  return detail::first_array(args...);
}

}  // namespace other_names

using namespace other_names;

}  // namespace tessera
