// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Powers and roots of elements.

#include "tessera/core/error.hpp"
#include "tessera/function/arithmetic.hpp"
#include "tessera/function/conversion.hpp"
#include "tessera/function/detail/apply_elementwise.hpp"
#include "tessera/function/division.hpp"
#include "tessera/kernel/detail/arithmetic.hpp"
#include "tessera/kernel/detail/packets.hpp"
#include "tessera/kernel/detail/value.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

namespace tessera {

namespace op {

struct square {
  static constexpr std::string_view name = "square";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::numeric;
  static constexpr packing packs = packing::exact;
  static constexpr bool packs_complex = true;

  template <element T>
  static T value(T x) {
    return detail::times(x, x);
  }
  template <class P>
  static P packet(const P& x) {
    return detail::product(x, x);
  }
};

}  // namespace op

/// Returns `x * x`.
template <array_argument X>
[[nodiscard]] auto square(const X& x) {
  static_assert(dtypes_accepted<op::square, X>,
                "tessera::square(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::square{}, x);
}

namespace op {

struct sqrt {
  static constexpr std::string_view name = "sqrt";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::floating;
  static constexpr int weight = 4;
  static constexpr packing packs = packing::exact;

  template <detail::standard_number T>
  static T value(T x) {
    return std::sqrt(x);
  }
  template <class P>
  static P packet(const P& x) {
    return detail::exact_sqrt(x);
  }
};

}  // namespace op

/// Returns the square root of each element.
template <array_argument X>
[[nodiscard]] auto sqrt(const X& x) {
  static_assert(dtypes_accepted<op::sqrt, X>,
                "tessera::sqrt(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::sqrt{}, x);
}

namespace op {

struct pow {
  static constexpr std::string_view name = "pow";
  static constexpr std::size_t arity = 2;
  static constexpr dtype_rule rule = dtype_rule::numeric;
  static constexpr int weight = 12;

  /// Throws: value_error <- the exponent is negative, as NumPy does.
  template <detail::integer T>
  static T value(T base, T exponent) {
    if constexpr (std::is_signed_v<T>) {
      if (exponent < T{}) {
        throw value_error(
            "pow: found the integer exponent " + std::to_string(exponent) +
            ", but integers have no negative powers; cast one operand to a float type");
      }
    }
    detail::wrapping<T> result = 1;
    detail::wrapping<T> factor = detail::wrap(base);
    for (auto rest = detail::wrap(exponent); rest != 0; rest >>= 1) {
      if ((rest & 1U) != 0) result *= factor;
      factor *= factor;
    }
    return static_cast<T>(result);
  }

  template <std::floating_point T>
  static T value(T a, T b) {
    return std::pow(a, b);
  }

  /// Small whole exponents multiply, which is exact if the factors are; 0 to a power with a
  /// positive real part is 0, to any other NaN.
  template <class T>
  static std::complex<T> value(std::complex<T> base, std::complex<T> exponent) {
    constexpr T most_factors = 100;
    const T power = exponent.real();
    if (exponent == std::complex<T>{}) return {1};
    if (base == std::complex<T>{}) {
      constexpr T nan = std::numeric_limits<T>::quiet_NaN();
      return power > 0 ? std::complex<T>{} : std::complex<T>{nan, nan};
    }
    if (exponent.imag() != 0 || std::fabs(power) >= most_factors || std::trunc(power) != power) {
      return std::pow(base, exponent);
    }
    std::complex<T> result{1};
    for (int rest = std::abs(static_cast<int>(power)); rest > 0; rest /= 2) {
      if (rest % 2 == 1) result = multiply::value(result, base);
      base = square::value(base);
    }
    return power < 0 ? reciprocal::value(result) : result;
  }
};

}  // namespace op

/// Returns `a` to the power of `b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto pow(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::pow(a, b): requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::pow, A, B>,
                "tessera::pow(a, b): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::pow{}, a, b);
}

namespace op {

struct cbrt {
  static constexpr std::string_view name = "cbrt";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::real_floating;
  static constexpr int weight = 12;

  template <std::floating_point T>
  static T value(T x) {
    return std::cbrt(x);
  }
};

}  // namespace op

/// Returns the cube root of each element.
///
/// Source: numpy.cbrt.
template <array_argument X>
[[nodiscard]] auto cbrt(const X& x) {
  static_assert(dtypes_accepted<op::cbrt, X>,
                "tessera::cbrt(x): requires elements that are real numbers, not bool or "
                "complex");
  return detail::apply_elementwise(op::cbrt{}, x);
}

/// Returns `a` to the power of `b`, computed in float64, or complex128, for all dtypes.
///
/// Source: numpy.float_power.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto float_power(const A& a, const B& b) {
  return pow(detail::widened(a), detail::widened(b));
}

namespace function {

/// The functions of this family.
using power_functions = boost::hana::tuple<op::square, op::sqrt, op::pow, op::cbrt>;

}  // namespace function
}  // namespace tessera
