// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Quotients and remainders of elements.

#include "tessera/function/detail/apply_elementwise.hpp"
#include "tessera/kernel/detail/arithmetic.hpp"
#include "tessera/kernel/detail/packets.hpp"
#include "tessera/kernel/detail/value.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace tessera {

namespace op {

struct divide {
  static constexpr std::string_view name = "divide";
  static constexpr std::size_t arity = 2;
  static constexpr std::string_view label = "({0} / {1})";
  static constexpr dtype_rule rule = dtype_rule::floating;
  static constexpr int weight = 4;
  static constexpr packing packs = packing::exact;

  template <std::floating_point T>
  static T value(T a, T b) {
    return a / b;
  }

  /// Source: Smith, "Algorithm 116: complex division", 1962.
  template <class T>
  static std::complex<T> value(std::complex<T> a, std::complex<T> b) {
    if (std::fabs(b.real()) >= std::fabs(b.imag())) {
      if (b == std::complex<T>{}) {
        const T zero = std::fabs(b.real());
        return {a.real() / zero, a.imag() / zero};
      }
      const T ratio = b.imag() / b.real();
      const T scale = T{1} / (b.real() + b.imag() * ratio);
      return {(a.real() + a.imag() * ratio) * scale, (a.imag() - a.real() * ratio) * scale};
    }
    const T ratio = b.real() / b.imag();
    const T scale = T{1} / (b.imag() + b.real() * ratio);
    return {(a.real() * ratio + a.imag()) * scale, (a.imag() * ratio - a.real()) * scale};
  }

  template <class P>
  static P packet(const P& a, const P& b) {
    return detail::packets::pdiv(a, b);
  }
};

}  // namespace op

/// Returns `a / b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto divide(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::divide(a, b), a / b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::divide, A, B>,
                "tessera::divide(a, b), a / b: requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::divide{}, a, b);
}
// clang-format off
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator/(const A& a, const B& b) { return divide(a, b); }
// clang-format on

namespace op {

struct reciprocal {
  static constexpr std::string_view name = "reciprocal";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::floating;
  static constexpr int weight = 4;
  static constexpr packing packs = packing::exact;

  template <detail::standard_number T>
  static T value(T x) {
    return divide::value(T{1}, x);
  }
  template <class P>
  static P packet(const P& x) {
    return detail::packets::pdiv(detail::packets::pset1<P>(detail::packet_scalar<P>{1}), x);
  }
};

}  // namespace op

/// Returns `1 / x`.
template <array_argument X>
[[nodiscard]] auto reciprocal(const X& x) {
  static_assert(dtypes_accepted<op::reciprocal, X>,
                "tessera::reciprocal(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::reciprocal{}, x);
}

namespace op {

struct floor_divide {
  static constexpr std::string_view name = "floor_divide";
  static constexpr std::size_t arity = 2;
  static constexpr dtype_rule rule = dtype_rule::real;
  static constexpr int weight = 4;

  /// By zero: 0. Python's sign rule: rounded down.
  template <detail::integer T>
  static T value(T a, T b) {
    if (b == T{}) return T{};
    if constexpr (std::is_signed_v<T>) {
      if (b == T{-1}) return static_cast<T>(0U - detail::wrap(a));  // the least integer's overflows
      const bool round_down = a % b != 0 && (a < 0) != (b < 0);
      return static_cast<T>(a / b - (round_down ? 1 : 0));
    } else {
      return static_cast<T>(a / b);
    }
  }

  /// Consistent with `remainder`, which floor(a / b) need not be.
  template <std::floating_point T>
  static T value(T a, T b) {
    if (b == T{}) return a / b;
    const T rest = std::fmod(a, b);
    T quotient = (a - rest) / b;
    if (rest != T{} && (b < T{}) != (rest < T{})) quotient -= T{1};
    if (quotient == T{}) return std::copysign(T{}, a / b);
    const T rounded = std::floor(quotient);
    return quotient - rounded > T{0.5} ? rounded + T{1} : rounded;
  }
};

}  // namespace op

/// Returns the greatest integer that is not above `a / b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto floor_divide(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::floor_divide(a, b): requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::floor_divide, A, B>,
                "tessera::floor_divide(a, b): requires elements that are real numbers, not bool or "
                "complex");
  return detail::apply_elementwise(op::floor_divide{}, a, b);
}

namespace op {

struct remainder {
  static constexpr std::string_view name = "remainder";
  static constexpr std::size_t arity = 2;
  static constexpr dtype_rule rule = dtype_rule::real;
  static constexpr int weight = 4;

  /// By zero: 0.
  template <detail::integer T>
  static T value(T a, T b) {
    if (b == T{}) return T{};
    if constexpr (std::is_signed_v<T>) {
      if (b == T{-1}) return T{};
      const T rest = static_cast<T>(a % b);
      return static_cast<T>(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
    } else {
      return static_cast<T>(a % b);
    }
  }

  template <std::floating_point T>
  static T value(T a, T b) {
    const T rest = std::fmod(a, b);
    if (b == T{}) return rest;
    if (rest == T{}) return std::copysign(T{}, b);
    return (b < T{}) != (rest < T{}) ? rest + b : rest;
  }
};

}  // namespace op

/// Returns `a - b * floor_divide(a, b)`, which has the sign of `b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto remainder(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::remainder(a, b), a % b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(
      dtypes_accepted<op::remainder, A, B>,
      "tessera::remainder(a, b), a % b: requires elements that are real numbers, not bool or "
      "complex");
  return detail::apply_elementwise(op::remainder{}, a, b);
}
// clang-format off
template <class A, class B> requires has_array<A, B> [[nodiscard]] auto operator%(const A& a, const B& b) { return remainder(a, b); }
// clang-format on

namespace op {

struct fmod {
  static constexpr std::string_view name = "fmod";
  static constexpr std::size_t arity = 2;
  static constexpr dtype_rule rule = dtype_rule::real;
  static constexpr int weight = 4;

  /// By zero: 0.
  template <detail::integer T>
  static T value(T a, T b) {
    if (b == T{}) return T{};
    if constexpr (std::is_signed_v<T>) {
      if (b == T{-1}) return T{};  // the quotient of the least integer overflows
    }
    return static_cast<T>(a % b);
  }
  template <std::floating_point T>
  static T value(T a, T b) {
    return std::fmod(a, b);
  }
};

}  // namespace op

/// Returns the remainder of `a / b` with the sign of `a`.
///
/// Source: numpy.fmod; `remainder` has the sign of `b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto fmod(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::fmod(a, b): requires each operand to be an array expression or "
                "a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::fmod, A, B>,
                "tessera::fmod(a, b): requires elements that are real numbers, not bool "
                "or complex");
  return detail::apply_elementwise(op::fmod{}, a, b);
}

/// Returns `floor_divide(a, b)` and `remainder(a, b)`: a tuple.
///
/// Source: numpy.divmod.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto divmod(const A& a, const B& b) {
  return std::tuple{floor_divide(a, b), remainder(a, b)};
}

namespace function {

/// The functions of this family.
using division_functions =
    boost::hana::tuple<op::divide, op::reciprocal, op::floor_divide, op::remainder, op::fmod>;

}  // namespace function
}  // namespace tessera
