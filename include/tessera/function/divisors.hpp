// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Divisors and multiples of integers.

#include "tessera/function/detail/apply_elementwise.hpp"
#include "tessera/kernel/detail/arithmetic.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <cstddef>
#include <string_view>

namespace tessera {

namespace detail {

template <integer T>
constexpr wrapping<T> magnitude(T x) {
  return x < 0 ? wrapping<T>{0} - wrap(x) : wrap(x);
}

}  // namespace detail

namespace op {

struct gcd {
  static constexpr std::string_view name = "gcd";
  static constexpr std::size_t arity = 2;
  static constexpr dtype_rule rule = dtype_rule::shift;
  static constexpr int weight = 12;

  /// Of magnitudes, as unsigned numbers: that of the least integer does not fit otherwise.
  template <detail::integer T>
  static T value(T a, T b) {
    auto greater = detail::magnitude(a);
    auto less = detail::magnitude(b);
    while (less != 0) {
      const auto rest = greater % less;
      greater = less;
      less = rest;
    }
    return static_cast<T>(greater);
  }
};

}  // namespace op

/// Returns the greatest common divisor of each pair of elements; 0 of zeros.
///
/// Source: numpy.gcd.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto gcd(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::gcd(a, b): requires each operand to be an array expression or "
                "a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::gcd, A, B>,
                "tessera::gcd(a, b): requires elements that are integers");
  return detail::apply_elementwise(op::gcd{}, a, b);
}

namespace op {

struct lcm {
  static constexpr std::string_view name = "lcm";
  static constexpr std::size_t arity = 2;
  static constexpr dtype_rule rule = dtype_rule::shift;
  static constexpr int weight = 12;

  template <detail::integer T>
  static T value(T a, T b) {
    const auto divisor = detail::magnitude(gcd::value(a, b));
    if (divisor == 0) return T{};
    return static_cast<T>(detail::magnitude(a) / divisor * detail::magnitude(b));
  }
};

}  // namespace op

/// Returns the least common multiple of each pair of elements; 0 if one is 0. It wraps.
///
/// Source: numpy.lcm.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto lcm(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::lcm(a, b): requires each operand to be an array expression or "
                "a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::lcm, A, B>,
                "tessera::lcm(a, b): requires elements that are integers");
  return detail::apply_elementwise(op::lcm{}, a, b);
}

namespace function {

/// The functions of this family.
using divisor_functions = boost::hana::tuple<op::gcd, op::lcm>;

}  // namespace function
}  // namespace tessera
