// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Arithmetic of elements.

#include "tessera/array/detail/apply_elementwise.hpp"
#include "tessera/expr/elementwise.hpp"
#include "tessera/meta/op.hpp"

namespace tessera {

/// Returns `-x`.
template <array_argument X>
[[nodiscard]] auto negative(const X& x) {
  static_assert(dtypes_accepted<op::negative, X>,
                "tessera::negative(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::negative{}, x);
}

/// Returns `+x`.
template <array_argument X>
[[nodiscard]] auto positive(const X& x) {
  static_assert(dtypes_accepted<op::positive, X>,
                "tessera::positive(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::positive{}, x);
}

/// Returns the magnitude of each element.
template <array_argument X>
[[nodiscard]] auto abs(const X& x) {
  static_assert(dtypes_accepted<op::abs, X>,
                "tessera::abs(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::abs{}, x);
}

/// Returns -1, 0 or 1 as each element is below, equal to or above zero; NaN for NaN.
template <array_argument X>
[[nodiscard]] auto sign(const X& x) {
  static_assert(dtypes_accepted<op::sign, X>,
                "tessera::sign(x): requires elements that are real numbers, not bool or "
                "complex");
  return detail::apply_elementwise(op::sign{}, x);
}

/// Returns `x * x`.
template <array_argument X>
[[nodiscard]] auto square(const X& x) {
  static_assert(dtypes_accepted<op::square, X>,
                "tessera::square(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::square{}, x);
}

/// Returns `1 / x`.
template <array_argument X>
[[nodiscard]] auto reciprocal(const X& x) {
  static_assert(dtypes_accepted<op::reciprocal, X>,
                "tessera::reciprocal(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::reciprocal{}, x);
}

/// Returns the square root of each element.
template <array_argument X>
[[nodiscard]] auto sqrt(const X& x) {
  static_assert(dtypes_accepted<op::sqrt, X>,
                "tessera::sqrt(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::sqrt{}, x);
}

/// Returns `a + b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto add(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::add(a, b), a + b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::add, A, B>,
                "tessera::add(a, b), a + b: requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::add{}, a, b);
}

/// Returns `a - b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto subtract(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::subtract(a, b), a - b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::subtract, A, B>,
                "tessera::subtract(a, b), a - b: requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::subtract{}, a, b);
}

/// Returns `a * b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto multiply(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::multiply(a, b), a * b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::multiply, A, B>,
                "tessera::multiply(a, b), a * b: requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::multiply{}, a, b);
}

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

/// Returns the greater of two elements; NaN if either is.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto maximum(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::maximum(a, b): requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(
      dtypes_accepted<op::maximum, A, B>,
      "tessera::maximum(a, b): requires elements that have an order; complex numbers have "
      "none");
  return detail::apply_elementwise(op::maximum{}, a, b);
}

/// Returns the lesser of two elements; NaN if either is.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto minimum(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::minimum(a, b): requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(
      dtypes_accepted<op::minimum, A, B>,
      "tessera::minimum(a, b): requires elements that have an order; complex numbers have "
      "none");
  return detail::apply_elementwise(op::minimum{}, a, b);
}

}  // namespace tessera
