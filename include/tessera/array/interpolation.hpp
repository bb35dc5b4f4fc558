// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Values between points.

#include "tessera/array/sets.hpp"
#include "tessera/function/map.hpp"
#include "tessera/kernel/detail/interpolation.hpp"
#include "tessera/meta/promotion.hpp"

#include <initializer_list>
#include <ranges>
#include <utility>
#include <vector>

namespace tessera {
namespace detail {

/// Tells whether `values` of type `V` are real numbers.
template <class V>
inline constexpr bool has_real_values = false;
template <class V>
requires has_values<V>
inline constexpr bool has_real_values<V> =
    real_element<std::ranges::range_value_t<decltype(vector_of(std::declval<const V&>()))>>;

}  // namespace detail

/// Returns, lazily, the linear interpolation at the elements of `x` between the points of `places`,
/// which ascend, with `values`. Beyond the ends it is the first and the last value.
///
/// Dtype:    float64. Shape: that of `x`. NaN gives NaN.
/// Requires: `places` and `values` lazy or in memory, which are computed at once and held by each
///           worker; real numbers.
/// Throws:   value_error <- there are no points, more places than values or fewer, or places do not
///           ascend.
/// Source:   numpy.interp, which does not look whether places ascend.
template <array_expression X, class Places, class Values>
[[nodiscard]] auto interp(const X& x, const Places& places, const Values& values) {
  constexpr bool are_right = real_element<typename X::value_type> &&
                             detail::has_real_values<Places> && detail::has_real_values<Values>;
  static_assert(are_right,
                "tessera::interp(x, places, values): requires real numbers, and places and values "
                "in a lazy array, list, span, std::vector or computed array");
  if constexpr (are_right) {
    return map(detail::interpolation(detail::converted<double>(detail::vector_of(places)),
                                     detail::converted<double>(detail::vector_of(values))),
               x);
  } else {
    return x;
  }
}
template <array_expression X>
[[nodiscard]] auto interp(const X& x, std::initializer_list<double> places,
                          std::initializer_list<double> values) {
  return interp(x, std::vector<double>(places), std::vector<double>(values));
}

}  // namespace tessera
