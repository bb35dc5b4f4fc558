// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The sign and the magnitude of elements.

#include "tessera/core/float16.hpp"
#include "tessera/function/conversion.hpp"
#include "tessera/function/detail/apply_elementwise.hpp"
#include "tessera/kernel/detail/arithmetic.hpp"
#include "tessera/kernel/detail/packets.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <limits>
#include <string_view>

namespace tessera {

namespace op {

struct negative {
  static constexpr std::string_view name = "negative";
  static constexpr std::size_t arity = 1;
  static constexpr std::string_view label = "-{0}";
  static constexpr dtype_rule rule = dtype_rule::numeric;
  static constexpr packing packs = packing::exact;

  template <detail::integer T>
  static T value(T x) {
    return static_cast<T>(0U - detail::wrap(x));
  }
  template <std::floating_point T>
  static T value(T x) {
    return -x;
  }
  template <class T>
  static std::complex<T> value(std::complex<T> x) {
    return {-x.real(), -x.imag()};
  }

  /// Flips the sign bit; Eigen's own subtracts from 0 on some machines, which loses -0.
  template <class P>
  static P packet(const P& x) {
    return detail::packets::pxor(x, detail::packets::pset1<P>(-detail::packet_scalar<P>{}));
  }
};

}  // namespace op

/// Returns `-x`.
template <array_argument X>
[[nodiscard]] auto negative(const X& x) {
  static_assert(dtypes_accepted<op::negative, X>,
                "tessera::negative(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::negative{}, x);
}
template <array_argument X>
[[nodiscard]] auto operator-(const X& x) {
  return negative(x);
}

namespace op {

struct positive {
  static constexpr std::string_view name = "positive";
  static constexpr std::size_t arity = 1;
  static constexpr std::string_view label = "+{0}";
  static constexpr dtype_rule rule = dtype_rule::numeric;
  static constexpr packing packs = packing::exact;

  template <element T>
  static T value(T x) {
    return x;
  }
  template <class P>
  static P packet(const P& x) {
    return x;
  }
};

}  // namespace op

/// Returns `+x`.
template <array_argument X>
[[nodiscard]] auto positive(const X& x) {
  static_assert(dtypes_accepted<op::positive, X>,
                "tessera::positive(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::positive{}, x);
}
template <array_argument X>
[[nodiscard]] auto operator+(const X& x) {
  return positive(x);
}

namespace op {

struct abs {
  static constexpr std::string_view name = "abs";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::part;
  static constexpr packing packs = packing::exact;

  template <boolean_element T>
  static T value(T x) {
    return x;
  }
  template <detail::integer T>
  static T value(T x) {
    return static_cast<T>(x < T{} ? 0U - detail::wrap(x) : detail::wrap(x));
  }
  template <std::floating_point T>
  static T value(T x) {
    return std::fabs(x);
  }
  template <class T>
  static T value(std::complex<T> x) {
    return std::hypot(x.real(), x.imag());
  }

  template <class P>
  static P packet(const P& x) {
    return detail::packets::pabs(x);
  }
};

}  // namespace op

/// Returns the magnitude of each element.
template <array_argument X>
[[nodiscard]] auto abs(const X& x) {
  static_assert(dtypes_accepted<op::abs, X>,
                "tessera::abs(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::abs{}, x);
}

namespace op {

struct sign {
  static constexpr std::string_view name = "sign";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::numeric;

  template <real_element T>
  static T value(T x) {
    const T of_number = static_cast<T>((x > T{}) - (x < T{}));
    return x == x ? of_number : x;
  }

  /// `x / |x|`, of parts that are scaled first, so that no square leaves the range of numbers.
  template <class T>
  static std::complex<T> value(std::complex<T> x) {
    if (x == std::complex<T>()) return {};
    const T scale = std::fmax(std::fabs(x.real()), std::fabs(x.imag()));
    if (std::isinf(scale)) {
      const bool are_both = std::isinf(x.real()) && std::isinf(x.imag());
      const T length = are_both ? std::numeric_limits<T>::quiet_NaN() : T{1};
      return {length * sign_of_infinity(x.real()), length * sign_of_infinity(x.imag())};
    }
    const T real = x.real() / scale;
    const T imag = x.imag() / scale;
    const T length = std::hypot(real, imag);
    return {real / length, imag / length};
  }

 private:
  template <class T>
  static T sign_of_infinity(T x) {
    return std::isinf(x) ? std::copysign(T{1}, x) : T{};
  }
};

}  // namespace op

/// Returns -1, 0 or 1 as each element is below, equal to or above zero; NaN for NaN. Of complex
/// numbers `x / |x|`, and 0 of 0.
///
/// Source: the Python Array API standard; numpy.sign of NumPy 2.
template <array_argument X>
[[nodiscard]] auto sign(const X& x) {
  static_assert(dtypes_accepted<op::sign, X>,
                "tessera::sign(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::sign{}, x);
}

namespace op {

struct signbit {
  static constexpr std::string_view name = "signbit";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::real_predicate;

  template <detail::integer T>
  static bool value(T x) {
    return x < T{};
  }
  template <std::floating_point T>
  static bool value(T x) {
    return std::signbit(x);
  }
  static bool value(float16 x) { return (x.bits() & 0x8000U) != 0; }
};

}  // namespace op

/// Tells of each element whether its sign bit is set.
template <array_argument X>
[[nodiscard]] auto signbit(const X& x) {
  static_assert(dtypes_accepted<op::signbit, X>,
                "tessera::signbit(x): requires elements that are real numbers, not bool or "
                "complex");
  return detail::apply_elementwise(op::signbit{}, x);
}

namespace op {

struct copysign {
  static constexpr std::string_view name = "copysign";
  static constexpr std::size_t arity = 2;
  static constexpr dtype_rule rule = dtype_rule::real_floating;

  template <std::floating_point T>
  static T value(T a, T b) {
    return std::copysign(a, b);
  }
};

}  // namespace op

/// Returns `a` with the sign of `b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto copysign(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::copysign(a, b): requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::copysign, A, B>,
                "tessera::copysign(a, b): requires elements that are real numbers, not bool or "
                "complex");
  return detail::apply_elementwise(op::copysign{}, a, b);
}

/// Returns the magnitude of each element, floats of integers.
///
/// Source: numpy.fabs; `abs` keeps integers.
template <array_argument X>
[[nodiscard]] auto fabs(const X& x) {
  static_assert(dtypes_accepted<op::signbit, X>,
                "tessera::fabs(x): requires elements that are real numbers, not bool or "
                "complex");
  return abs(detail::as_floating(x));
}

namespace function {

/// The functions of this family.
using sign_functions =
    boost::hana::tuple<op::negative, op::positive, op::abs, op::sign, op::signbit, op::copysign>;

}  // namespace function
}  // namespace tessera
