// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Elements that are missing, or no numbers.

#include "tessera/function/detail/apply_elementwise.hpp"
#include "tessera/function/logical.hpp"
#include "tessera/function/predicates.hpp"
#include "tessera/kernel/detail/arithmetic.hpp"
#include "tessera/kernel/detail/packets.hpp"
#include "tessera/meta/promotion.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace tessera {

/// The replacements that `nan_to_num` puts in place of NaN and infinities.
struct nan_replacement {
  double nan = 0;
  std::optional<double> posinf = std::nullopt;  ///< by default the greatest number
  std::optional<double> neginf = std::nullopt;  ///< by default the least number
};

namespace op {

struct nan_to_num {
  static constexpr std::string_view name = "nan_to_num";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::numeric;

  /// Kept as numbers of one size, so that equal states are equal byte for byte.
  struct replacement {
    double nan = 0;
    double posinf = 0;
    double neginf = 0;
    std::int64_t has_posinf = 0;
    std::int64_t has_neginf = 0;
  };
  replacement state = {};

  template <detail::integer T>
  [[nodiscard]] T value(T x) const {
    return x;
  }
  template <floating_element T>
  [[nodiscard]] T value(T x) const {
    using limits = std::numeric_limits<T>;
    const T high = state.has_posinf != 0 ? static_cast<T>(state.posinf) : limits::max();
    const T low = state.has_neginf != 0 ? static_cast<T>(state.neginf) : limits::lowest();
    const T below = x > limits::max() ? high : x;
    const T finite = x < limits::lowest() ? low : below;
    return x != x ? static_cast<T>(state.nan) : finite;
  }
  template <class T>
  [[nodiscard]] std::complex<T> value(std::complex<T> x) const {
    return {value(x.real()), value(x.imag())};
  }
};

}  // namespace op

/// Returns `x` with numbers in the place of NaN and of infinities, in both parts of complex ones.
///
/// Source: numpy.nan_to_num.
template <array_argument X>
[[nodiscard]] auto nan_to_num(const X& x, const nan_replacement& by = {}) {
  static_assert(dtypes_accepted<op::nan_to_num, X>,
                "tessera::nan_to_num(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(
      op::nan_to_num{{by.nan, by.posinf.value_or(0), by.neginf.value_or(0), by.posinf ? 1 : 0,
                      by.neginf ? 1 : 0}},
      x);
}

namespace op {

struct fillna {
  static constexpr std::string_view name = "fillna";
  static constexpr std::size_t arity = 2;
  static constexpr dtype_rule rule = dtype_rule::numeric;
  static constexpr packing packs = packing::exact;

  template <element T>
  static T value(T x, T filling) {
    return x != x ? filling : x;
  }
  template <class P>
  static P packet(const P& x, const P& filling) {
    return detail::packets::pselect(detail::packets::pcmp_eq(x, x), x, filling);
  }
};

}  // namespace op

/// Returns `x` with `value` in the place of NaN.
///
/// Source: xarray.DataArray.fillna.
template <class X, class Value>
requires has_array<X, Value>
[[nodiscard]] auto fillna(const X& x, const Value& value) {
  static_assert(are_operands<X, Value>,
                "tessera::fillna(x, value): requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::fillna, X, Value>,
                "tessera::fillna(x, value): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::fillna{}, x, value);
}

/// Tells of each element whether it is missing, that is NaN. As `isnan`.
///
/// Source: xarray.DataArray.isnull.
template <array_argument X>
[[nodiscard]] auto isnull(const X& x) {
  return isnan(x);
}

/// Tells of each element whether it is not missing, that is not NaN.
///
/// Source: xarray.DataArray.notnull.
template <array_argument X>
[[nodiscard]] auto notnull(const X& x) {
  return logical_not(isnan(x));
}

namespace function {

/// The functions of this family.
using missing_functions = boost::hana::tuple<op::nan_to_num, op::fillna>;

}  // namespace function
}  // namespace tessera
