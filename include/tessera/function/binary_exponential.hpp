// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Exponentials and logarithms of base 2.

#include "tessera/function/detail/apply_elementwise.hpp"

#include <boost/hana/fwd/tuple.hpp>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <numbers>
#include <string_view>

namespace tessera {

namespace op {

struct exp2 {
  static constexpr std::string_view name = "exp2";
  static constexpr std::size_t arity = 1;
  static constexpr dtype_rule rule = dtype_rule::real_floating;
  static constexpr int weight = 12;

  template <std::floating_point T>
  static T value(T x) {
    return std::exp2(x);
  }
};

}  // namespace op

/// Returns 2 to the power of each element.
///
/// Source: numpy.exp2.
template <array_argument X>
[[nodiscard]] auto exp2(const X& x) {
  static_assert(dtypes_accepted<op::exp2, X>,
                "tessera::exp2(x): requires elements that are real numbers, not bool or "
                "complex");
  return detail::apply_elementwise(op::exp2{}, x);
}

namespace op {

struct logaddexp2 {
  static constexpr std::string_view name = "logaddexp2";
  static constexpr std::size_t arity = 2;
  static constexpr dtype_rule rule = dtype_rule::real_floating;
  static constexpr int weight = 24;

  template <std::floating_point T>
  static T value(T a, T b) {
    if (a == b) return a + 1;  // also of infinities
    const T distance = a - b;
    constexpr T log2_e = std::numbers::log2e_v<T>;
    if (distance > 0) return a + log2_e * std::log1p(std::exp2(-distance));
    if (distance <= 0) return b + log2_e * std::log1p(std::exp2(distance));
    return distance;
  }
};

}  // namespace op

/// Returns `log2(exp2(a) + exp2(b))`, without overflow between.
///
/// Source: numpy.logaddexp2.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto logaddexp2(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::logaddexp2(a, b): requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::logaddexp2, A, B>,
                "tessera::logaddexp2(a, b): requires elements that are real numbers, not "
                "bool or complex");
  return detail::apply_elementwise(op::logaddexp2{}, a, b);
}

namespace function {

/// The functions of this family.
using binary_exponential_functions = boost::hana::tuple<op::exp2, op::logaddexp2>;

}  // namespace function
}  // namespace tessera
