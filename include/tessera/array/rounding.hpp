// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Rounding, and the parts of numbers.

#include "tessera/array/detail/apply_elementwise.hpp"
#include "tessera/expr/elementwise.hpp"
#include "tessera/meta/op.hpp"

namespace tessera {

/// Returns the least integer that is not below each element.
template <array_argument X>
[[nodiscard]] auto ceil(const X& x) {
  static_assert(dtypes_accepted<op::ceil, X>,
                "tessera::ceil(x): requires elements that are real numbers, not bool or "
                "complex");
  return detail::apply_elementwise(op::ceil{}, x);
}

/// Returns the greatest integer that is not above each element.
template <array_argument X>
[[nodiscard]] auto floor(const X& x) {
  static_assert(dtypes_accepted<op::floor, X>,
                "tessera::floor(x): requires elements that are real numbers, not bool or "
                "complex");
  return detail::apply_elementwise(op::floor{}, x);
}

/// Returns the nearest integer to each element, the even one of two.
template <array_argument X>
[[nodiscard]] auto round(const X& x) {
  static_assert(dtypes_accepted<op::round, X>,
                "tessera::round(x): requires elements that are real numbers, not bool or "
                "complex");
  return detail::apply_elementwise(op::round{}, x);
}

/// Returns the integer next to each element towards zero.
template <array_argument X>
[[nodiscard]] auto trunc(const X& x) {
  static_assert(dtypes_accepted<op::trunc, X>,
                "tessera::trunc(x): requires elements that are real numbers, not bool or "
                "complex");
  return detail::apply_elementwise(op::trunc{}, x);
}

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

}  // namespace tessera
