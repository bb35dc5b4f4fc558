// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Trigonometric and hyperbolic functions.

#include "tessera/array/detail/apply_elementwise.hpp"
#include "tessera/expr/elementwise.hpp"
#include "tessera/meta/op.hpp"

namespace tessera {

/// Returns the sine of each element.
template <array_argument X>
[[nodiscard]] auto sin(const X& x) {
  static_assert(dtypes_accepted<op::sin, X>,
                "tessera::sin(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::sin{}, x);
}

/// Returns the cosine of each element.
template <array_argument X>
[[nodiscard]] auto cos(const X& x) {
  static_assert(dtypes_accepted<op::cos, X>,
                "tessera::cos(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::cos{}, x);
}

/// Returns the tangent of each element.
template <array_argument X>
[[nodiscard]] auto tan(const X& x) {
  static_assert(dtypes_accepted<op::tan, X>,
                "tessera::tan(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::tan{}, x);
}

/// Returns the inverse sine of each element.
template <array_argument X>
[[nodiscard]] auto asin(const X& x) {
  static_assert(dtypes_accepted<op::asin, X>,
                "tessera::asin(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::asin{}, x);
}

/// Returns the inverse cosine of each element.
template <array_argument X>
[[nodiscard]] auto acos(const X& x) {
  static_assert(dtypes_accepted<op::acos, X>,
                "tessera::acos(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::acos{}, x);
}

/// Returns the inverse tangent of each element.
template <array_argument X>
[[nodiscard]] auto atan(const X& x) {
  static_assert(dtypes_accepted<op::atan, X>,
                "tessera::atan(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::atan{}, x);
}

/// Returns the hyperbolic sine of each element.
template <array_argument X>
[[nodiscard]] auto sinh(const X& x) {
  static_assert(dtypes_accepted<op::sinh, X>,
                "tessera::sinh(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::sinh{}, x);
}

/// Returns the hyperbolic cosine of each element.
template <array_argument X>
[[nodiscard]] auto cosh(const X& x) {
  static_assert(dtypes_accepted<op::cosh, X>,
                "tessera::cosh(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::cosh{}, x);
}

/// Returns the hyperbolic tangent of each element.
template <array_argument X>
[[nodiscard]] auto tanh(const X& x) {
  static_assert(dtypes_accepted<op::tanh, X>,
                "tessera::tanh(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::tanh{}, x);
}

/// Returns the inverse hyperbolic sine of each element.
template <array_argument X>
[[nodiscard]] auto asinh(const X& x) {
  static_assert(dtypes_accepted<op::asinh, X>,
                "tessera::asinh(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::asinh{}, x);
}

/// Returns the inverse hyperbolic cosine of each element.
template <array_argument X>
[[nodiscard]] auto acosh(const X& x) {
  static_assert(dtypes_accepted<op::acosh, X>,
                "tessera::acosh(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::acosh{}, x);
}

/// Returns the inverse hyperbolic tangent of each element.
template <array_argument X>
[[nodiscard]] auto atanh(const X& x) {
  static_assert(dtypes_accepted<op::atanh, X>,
                "tessera::atanh(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::atanh{}, x);
}

/// Returns the angle of the point `(b, a)`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto atan2(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::atan2(a, b): requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::atan2, A, B>,
                "tessera::atan2(a, b): requires elements that are real numbers, not bool or "
                "complex");
  return detail::apply_elementwise(op::atan2{}, a, b);
}

/// Returns `sqrt(a * a + b * b)`, without overflow between.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto hypot(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::hypot(a, b): requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::hypot, A, B>,
                "tessera::hypot(a, b): requires elements that are real numbers, not bool or "
                "complex");
  return detail::apply_elementwise(op::hypot{}, a, b);
}

}  // namespace tessera
