// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Special functions: of errors, gamma, steps.

#include "tessera/function/detail/apply_elementwise.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <numbers>
#include <string_view>

namespace tessera {

namespace op {

struct erf {
  static constexpr std::string_view name = "erf";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::real_floating;
  static constexpr int weight = 12;

  template <std::floating_point T>
  static T value(T x) {
    return std::erf(x);
  }
};

}  // namespace op

/// Returns the error function of each element.
///
/// Source: scipy.special.erf.
template <array_argument X>
[[nodiscard]] auto erf(const X& x) {
  static_assert(dtypes_accepted<op::erf, X>,
                "tessera::erf(x): requires elements that are real numbers, not bool or "
                "complex");
  return detail::apply_elementwise(op::erf{}, x);
}

namespace op {

struct erfc {
  static constexpr std::string_view name = "erfc";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::real_floating;
  static constexpr int weight = 12;

  template <std::floating_point T>
  static T value(T x) {
    return std::erfc(x);
  }
};

}  // namespace op

/// Returns `1 - erf(x)`, precise even if that is small.
///
/// Source: scipy.special.erfc.
template <array_argument X>
[[nodiscard]] auto erfc(const X& x) {
  static_assert(dtypes_accepted<op::erfc, X>,
                "tessera::erfc(x): requires elements that are real numbers, not bool or "
                "complex");
  return detail::apply_elementwise(op::erfc{}, x);
}

namespace op {

struct tgamma {
  static constexpr std::string_view name = "tgamma";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::real_floating;
  static constexpr int weight = 12;

  template <std::floating_point T>
  static T value(T x) {
    return std::tgamma(x);
  }
};

}  // namespace op

/// Returns the gamma function of each element.
///
/// Source: C's tgamma; NaN for negative whole numbers.
template <array_argument X>
[[nodiscard]] auto tgamma(const X& x) {
  static_assert(dtypes_accepted<op::tgamma, X>,
                "tessera::tgamma(x): requires elements that are real numbers, not bool "
                "or complex");
  return detail::apply_elementwise(op::tgamma{}, x);
}

namespace op {

struct lgamma {
  static constexpr std::string_view name = "lgamma";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::real_floating;
  static constexpr int weight = 12;

  /// Not std::lgamma, which writes a global variable.
  template <std::floating_point T>
  static T value(T x) {
    int sign = 0;
    if constexpr (std::same_as<T, float>) {
      return ::lgammaf_r(x, &sign);
    } else {
      return ::lgamma_r(x, &sign);
    }
  }
};

}  // namespace op

/// Returns the logarithm of the magnitude of the gamma function of each element.
///
/// Source: scipy.special.gammaln.
template <array_argument X>
[[nodiscard]] auto lgamma(const X& x) {
  static_assert(dtypes_accepted<op::lgamma, X>,
                "tessera::lgamma(x): requires elements that are real numbers, not bool "
                "or complex");
  return detail::apply_elementwise(op::lgamma{}, x);
}

namespace op {

struct sinc {
  static constexpr std::string_view name = "sinc";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::floating;
  static constexpr int weight = 12;

  template <std::floating_point T>
  static T value(T x) {
    // Exact, so that whole numbers give zero: the angle as half turns in [-1, 1], then in [-1/2,
    // 1/2].
    const T turn = x - 2 * std::nearbyint(x / 2);
    const T near = std::abs(turn) > T{0.5} ? std::copysign(T{1}, turn) - turn : turn;
    constexpr T pi = std::numbers::pi_v<T>;
    return x == 0 ? T{1} : std::sin(pi * near) / (pi * x);
  }
  template <class T>
  static std::complex<T> value(std::complex<T> x) {
    const std::complex<T> angle = std::numbers::pi_v<T> * x;
    return x == std::complex<T>{} ? std::complex<T>{1} : std::sin(angle) / angle;
  }
};

}  // namespace op

/// Returns `sin(pi * x) / (pi * x)`, and 1 for `x` of zero.
///
/// Source: numpy.sinc; exactly 0 for whole numbers, which numpy.sinc misses by a rounding.
template <array_argument X>
[[nodiscard]] auto sinc(const X& x) {
  static_assert(dtypes_accepted<op::sinc, X>,
                "tessera::sinc(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::sinc{}, x);
}

namespace op {

struct heaviside {
  static constexpr std::string_view name = "heaviside";
  static constexpr std::size_t arity = 2;
  static constexpr dtype_rule rule = dtype_rule::real_floating;

  template <std::floating_point T>
  static T value(T x, T at_zero) {
    const T step = x < 0 ? T{0} : T{1};
    const T given = x == 0 ? at_zero : step;
    return x != x ? x : given;
  }
};

}  // namespace op

/// Returns 0 for negative, 1 for positive elements, and `h` for zeros.
///
/// Source: numpy.heaviside.
template <class X, class H>
requires has_array<X, H>
[[nodiscard]] auto heaviside(const X& x, const H& h) {
  static_assert(are_operands<X, H>,
                "tessera::heaviside(x, h): requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::heaviside, X, H>,
                "tessera::heaviside(x, h): requires elements that are real numbers, not "
                "bool or complex");
  return detail::apply_elementwise(op::heaviside{}, x, h);
}

namespace function {

/// The functions of this family.
using special_functions =
    boost::hana::tuple<op::erf, op::erfc, op::tgamma, op::lgamma, op::sinc, op::heaviside>;

}  // namespace function
}  // namespace tessera
