// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Exponentials and logarithms.

#include "tessera/function/detail/apply_elementwise.hpp"
#include "tessera/kernel/detail/monoid_sums.hpp"
#include "tessera/kernel/detail/packets.hpp"
#include "tessera/kernel/detail/value.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <cmath>
#include <complex>
#include <concepts>
#include <cstddef>
#include <limits>
#include <numbers>
#include <string_view>

namespace tessera {

namespace op {

struct exp {
  static constexpr std::string_view name = "exp";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::floating;
  static constexpr packing packs = packing::close;

  template <detail::standard_number T>
  static T value(T x) {
    return std::exp(x);
  }

  /// Eigen's exponential is good to 2 ulp up to here, and saturates before its result is subnormal.
  template <class P>
  static P packet(const P& x) {
    using T = detail::packet_scalar<P>;
    constexpr T lowest = std::same_as<T, float> ? T{-87} : T{-708};
    constexpr T highest = std::same_as<T, float> ? T{87} : T{709};
    const P outside =
        detail::packets::por(detail::packets::pcmp_lt(x, detail::packets::pset1<P>(lowest)),
                             detail::packets::pcmp_lt(detail::packets::pset1<P>(highest), x));
    const auto exact = [](T lane) { return std::exp(lane); };
    if constexpr (std::same_as<T, float>) {
      // Not `pexp`, which for packets of 16 is only good to 5 ulp.
      return detail::mend_lanes(detail::packets::pexp_float(x), x, outside, exact);
    } else {
      return detail::mend_lanes(detail::packets::pexp(x), x, outside, exact);
    }
  }
  template <class T>
  static constexpr bool has_packets = detail::packets::packet_traits<T>::HasExp;
};

}  // namespace op

/// Returns e to the power of each element.
template <array_argument X>
[[nodiscard]] auto exp(const X& x) {
  static_assert(dtypes_accepted<op::exp, X>,
                "tessera::exp(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::exp{}, x);
}

namespace op {

struct expm1 {
  static constexpr std::string_view name = "expm1";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::floating;
  static constexpr packing packs = packing::close;

  template <std::floating_point T>
  static T value(T x) {
    return std::expm1(x);
  }

  /// `exp(x + iy) - 1`, with the real part `expm1(x) cos(y) - (1 - cos(y))`. For infinite `x` and
  /// `y` that is not finite, the Python Array API standard gives the values.
  template <class T>
  static std::complex<T> value(std::complex<T> z) {
    const double x = z.real();
    const double y = z.imag();
    if (std::isinf(x) && !std::isfinite(y)) {
      const T imag = x < 0 ? T{} : std::numeric_limits<T>::quiet_NaN();
      return {static_cast<T>(std::expm1(x)), imag};
    }
    const double half = std::sin(y / 2);
    const double real = std::expm1(x) * std::cos(y) - 2 * half * half;
    const double imag = y == 0 ? y : std::exp(x) * std::sin(y);
    return {static_cast<T>(real), static_cast<T>(imag)};
  }

  template <class P>
  static P packet(const P& x) {
    return detail::packets::pexpm1(x);
  }
  template <class T>
  static constexpr bool has_packets =
      std::same_as<T, float>&& detail::packets::packet_traits<float>::HasExpm1;
};

}  // namespace op

/// Returns `exp(x) - 1`, exact near zero.
template <array_argument X>
[[nodiscard]] auto expm1(const X& x) {
  static_assert(dtypes_accepted<op::expm1, X>,
                "tessera::expm1(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::expm1{}, x);
}

namespace op {

struct log {
  static constexpr std::string_view name = "log";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::floating;
  static constexpr packing packs = packing::close;

  template <detail::standard_number T>
  static T value(T x) {
    return std::log(x);
  }

  /// Eigen's logarithm is good to 2 ulp, but treats subnormal numbers as the least normal one.
  template <class P>
  static P packet(const P& x) {
    using T = detail::packet_scalar<P>;
    const P subnormal = detail::packets::pand(
        detail::packets::pcmp_lt(detail::packets::pzero(x), x),
        detail::packets::pcmp_lt(x, detail::packets::pset1<P>(std::numeric_limits<T>::min())));
    return detail::mend_lanes(detail::packets::plog(x), x, subnormal,
                              [](T lane) { return std::log(lane); });
  }
  template <class T>
  static constexpr bool has_packets = detail::packets::packet_traits<T>::HasLog;
};

}  // namespace op

/// Returns the natural logarithm of each element.
template <array_argument X>
[[nodiscard]] auto log(const X& x) {
  static_assert(dtypes_accepted<op::log, X>,
                "tessera::log(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::log{}, x);
}

namespace op {

struct log1p {
  static constexpr std::string_view name = "log1p";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::floating;
  static constexpr packing packs = packing::close;

  template <std::floating_point T>
  static T value(T x) {
    return std::log1p(x);
  }
  template <class T>
  static std::complex<T> value(std::complex<T> z) {
    const double x = z.real();
    const double y = z.imag();
    return {static_cast<T>(log_of_distance(x, y)), static_cast<T>(std::atan2(y, 1 + x))};
  }

  template <class P>
  static P packet(const P& x) {
    return detail::packets::plog1p(x);
  }
  template <class T>
  static constexpr bool has_packets =
      std::same_as<T, float>&& detail::packets::packet_traits<float>::HasLog1p;

 private:
  /// Returns `log |1 + x + iy|`. Near 1 the distance is the root of `1 + 2x + x^2 + y^2`. The last
  /// three terms may cancel, so they are summed with their rounding errors. Squares are computed by
  /// `fma`, as compilers might fuse a product with the sum behind it.
  static double log_of_distance(double x, double y) {
    const double distance = std::hypot(1 + x, y);
    if (!(distance > 0.5 && distance < 2)) return std::log(distance);
    const double x_squared = std::fma(x, x, 0.0);
    const double y_squared = std::fma(y, y, 0.0);
    double sum = 2 * x;
    double error = std::fma(x, x, -x_squared) + std::fma(y, y, -y_squared);
    detail::add_exactly(sum, error, x_squared);
    detail::add_exactly(sum, error, y_squared);
    return 0.5 * std::log1p(sum + error);
  }
};

}  // namespace op

/// Returns `log(1 + x)`, exact near zero.
template <array_argument X>
[[nodiscard]] auto log1p(const X& x) {
  static_assert(dtypes_accepted<op::log1p, X>,
                "tessera::log1p(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::log1p{}, x);
}

namespace op {

struct log2 {
  static constexpr std::string_view name = "log2";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::floating;
  static constexpr int weight = 12;

  template <std::floating_point T>
  static T value(T x) {
    return std::log2(x);
  }
  template <class T>
  static std::complex<T> value(std::complex<T> x) {
    return std::log(x) * std::numbers::log2e_v<T>;
  }
};

}  // namespace op

/// Returns the logarithm to base 2 of each element.
template <array_argument X>
[[nodiscard]] auto log2(const X& x) {
  static_assert(dtypes_accepted<op::log2, X>,
                "tessera::log2(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::log2{}, x);
}

namespace op {

struct log10 {
  static constexpr std::string_view name = "log10";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::floating;
  static constexpr int weight = 12;

  template <detail::standard_number T>
  static T value(T x) {
    return std::log10(x);
  }
};

}  // namespace op

/// Returns the logarithm to base 10 of each element.
template <array_argument X>
[[nodiscard]] auto log10(const X& x) {
  static_assert(dtypes_accepted<op::log10, X>,
                "tessera::log10(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::log10{}, x);
}

namespace op {

struct logaddexp {
  static constexpr std::string_view name = "logaddexp";
  static constexpr std::size_t arity = 2;
  static constexpr dtype_rule rule = dtype_rule::real_floating;
  static constexpr int weight = 24;

  /// Without overflow.
  template <std::floating_point T>
  static T value(T a, T b) {
    if (a == b) return a + std::numbers::ln2_v<T>;  // equal infinities: their difference is NaN
    const T difference = a - b;
    if (difference > T{}) return a + std::log1p(std::exp(-difference));
    if (difference <= T{}) return b + std::log1p(std::exp(difference));
    return difference;
  }
};

}  // namespace op

/// Returns `log(exp(a) + exp(b))`, without overflow between.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto logaddexp(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::logaddexp(a, b): requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::logaddexp, A, B>,
                "tessera::logaddexp(a, b): requires elements that are real numbers, not bool or "
                "complex");
  return detail::apply_elementwise(op::logaddexp{}, a, b);
}

namespace function {

/// The functions of this family.
using exponential_functions =
    boost::hana::tuple<op::exp, op::expm1, op::log, op::log1p, op::log2, op::log10, op::logaddexp>;

}  // namespace function
}  // namespace tessera
