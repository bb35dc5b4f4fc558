// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Rounding, and the next number.

#include "tessera/core/float16.hpp"
#include "tessera/function/conversion.hpp"
#include "tessera/function/detail/apply_elementwise.hpp"
#include "tessera/function/map.hpp"
#include "tessera/kernel/detail/arithmetic.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace tessera {

namespace op {

struct ceil {
  static constexpr std::string_view name = "ceil";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::real;

  template <detail::integer T>
  static T value(T x) {
    return x;
  }
  template <std::floating_point T>
  static T value(T x) {
    return std::ceil(x);
  }
};

}  // namespace op

/// Returns the least integer that is not below each element.
template <array_argument X>
[[nodiscard]] auto ceil(const X& x) {
  static_assert(dtypes_accepted<op::ceil, X>,
                "tessera::ceil(x): requires elements that are real numbers, not bool or "
                "complex");
  return detail::apply_elementwise(op::ceil{}, x);
}

namespace op {

struct floor {
  static constexpr std::string_view name = "floor";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::real;

  template <detail::integer T>
  static T value(T x) {
    return x;
  }
  template <std::floating_point T>
  static T value(T x) {
    return std::floor(x);
  }
};

}  // namespace op

/// Returns the greatest integer that is not above each element.
template <array_argument X>
[[nodiscard]] auto floor(const X& x) {
  static_assert(dtypes_accepted<op::floor, X>,
                "tessera::floor(x): requires elements that are real numbers, not bool or "
                "complex");
  return detail::apply_elementwise(op::floor{}, x);
}

namespace op {

struct round {
  static constexpr std::string_view name = "round";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::numeric;

  template <detail::integer T>
  static T value(T x) {
    return x;
  }
  template <std::floating_point T>
  static T value(T x) {
    return std::nearbyint(x);
  }
  template <class T>
  static std::complex<T> value(std::complex<T> x) {
    return {value(x.real()), value(x.imag())};
  }
};

}  // namespace op

/// Returns the nearest integer to each element, the even one of two; of complex numbers both parts
/// are rounded.
template <array_argument X>
[[nodiscard]] auto round(const X& x) {
  static_assert(dtypes_accepted<op::round, X>,
                "tessera::round(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::round{}, x);
}

namespace detail {

/// Rounds to a multiple of a power of ten.
struct decimal_rounding {
  static constexpr double weight = 4;
  std::int64_t decimals;

  template <class T>
  T operator()(T x) const {
    if constexpr (std::integral<T>) {
      return decimals < 0 ? static_cast<T>(rounded(static_cast<double>(x))) : x;
    } else if constexpr (complex_element<T>) {
      return T(rounded(x.real()), rounded(x.imag()));
    } else if constexpr (std::floating_point<T>) {
      return rounded(x);
    } else {
      return T(rounded(static_cast<float>(x)));
    }
  }

  template <std::floating_point T>
  [[nodiscard]] T rounded(T x) const {
    const T power = std::pow(T{10}, static_cast<T>(std::abs(decimals)));
    return decimals < 0 ? std::nearbyint(x / power) * power : std::nearbyint(x * power) / power;
  }
};

}  // namespace detail

/// Returns each element rounded to a number of decimals: `round(x, 2)`. Negative decimals are
/// before the point. Of two multiples at equal distance the even one; of complex numbers both
/// parts.
///
/// Source: numpy.round, with its roundings: the element times 10^decimals is rounded.
template <array_argument X>
[[nodiscard]] auto round(const X& x, int decimals) {
  static_assert(dtypes_accepted<op::round, X>,
                "tessera::round(x, decimals): requires elements that are numbers, not bool");
  if constexpr (dtypes_accepted<op::round, X>) {
    return map(detail::decimal_rounding{decimals}, x);
  } else {
    return x;
  }
}

namespace op {

struct trunc {
  static constexpr std::string_view name = "trunc";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::real;

  template <detail::integer T>
  static T value(T x) {
    return x;
  }
  template <std::floating_point T>
  static T value(T x) {
    return std::trunc(x);
  }
};

}  // namespace op

/// Returns the integer next to each element towards zero.
template <array_argument X>
[[nodiscard]] auto trunc(const X& x) {
  static_assert(dtypes_accepted<op::trunc, X>,
                "tessera::trunc(x): requires elements that are real numbers, not bool or "
                "complex");
  return detail::apply_elementwise(op::trunc{}, x);
}

namespace op {

struct nextafter {
  static constexpr std::string_view name = "nextafter";
  static constexpr std::size_t arity = 2;
  static constexpr dtype_rule rule = dtype_rule::real_floating;

  template <std::floating_point T>
  static T value(T a, T b) {
    return std::nextafter(a, b);
  }

  /// Neighbours have neighbouring bits, on either side of zero.
  static float16 value(float16 a, float16 b) {
    const auto from = static_cast<float>(a);
    const auto to = static_cast<float>(b);
    if (from != from || to != to) return a + b;
    if (from == to) return b;
    constexpr std::uint16_t sign = 0x8000;
    const bool grows = (from < to) == (from > 0);
    const int next = from == 0 ? (to > 0 ? 1 : sign | 1) : a.bits() + (grows ? 1 : -1);
    return float16::from_bits(static_cast<std::uint16_t>(next));
  }
};

}  // namespace op

/// Returns the next number after `a` towards `b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto nextafter(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::nextafter(a, b): requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::nextafter, A, B>,
                "tessera::nextafter(a, b): requires elements that are real numbers, not bool or "
                "complex");
  return detail::apply_elementwise(op::nextafter{}, a, b);
}

/// Returns the nearest integer to each element, the even one of two; floats of integers.
///
/// Source: numpy.rint; `round` keeps integers.
template <array_argument X>
[[nodiscard]] auto rint(const X& x) {
  return round(detail::as_floating(x));
}

/// Returns the integer next to each element towards zero. As `trunc`.
///
/// Source: numpy.fix.
template <array_argument X>
[[nodiscard]] auto fix(const X& x) {
  return trunc(x);
}

namespace function {

/// The functions of this family.
using rounding_functions =
    boost::hana::tuple<op::ceil, op::floor, op::round, op::trunc, op::nextafter>;

}  // namespace function
}  // namespace tessera
