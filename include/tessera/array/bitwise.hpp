// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Functions of the bits of elements.

#include "tessera/array/detail/apply_elementwise.hpp"
#include "tessera/expr/elementwise.hpp"
#include "tessera/meta/op.hpp"

namespace tessera {

/// Returns `~x`.
template <array_argument X>
[[nodiscard]] auto bitwise_invert(const X& x) {
  static_assert(dtypes_accepted<op::bitwise_invert, X>,
                "tessera::bitwise_invert(x): requires elements that are bool or integers");
  return detail::apply_elementwise(op::bitwise_invert{}, x);
}

/// Returns `a & b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto bitwise_and(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::bitwise_and(a, b), a & b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::bitwise_and, A, B>,
                "tessera::bitwise_and(a, b), a & b: requires elements that are bool or integers");
  return detail::apply_elementwise(op::bitwise_and{}, a, b);
}

/// Returns `a | b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto bitwise_or(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::bitwise_or(a, b), a | b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::bitwise_or, A, B>,
                "tessera::bitwise_or(a, b), a | b: requires elements that are bool or integers");
  return detail::apply_elementwise(op::bitwise_or{}, a, b);
}

/// Returns `a ^ b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto bitwise_xor(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::bitwise_xor(a, b), a ^ b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::bitwise_xor, A, B>,
                "tessera::bitwise_xor(a, b), a ^ b: requires elements that are bool or integers");
  return detail::apply_elementwise(op::bitwise_xor{}, a, b);
}

/// Returns `a << b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto bitwise_left_shift(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::bitwise_left_shift(a, b), a << b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::bitwise_left_shift, A, B>,
                "tessera::bitwise_left_shift(a, b), a << b: requires elements that are integers");
  return detail::apply_elementwise(op::bitwise_left_shift{}, a, b);
}

/// Returns `a >> b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto bitwise_right_shift(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::bitwise_right_shift(a, b), a >> b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::bitwise_right_shift, A, B>,
                "tessera::bitwise_right_shift(a, b), a >> b: requires elements that are integers");
  return detail::apply_elementwise(op::bitwise_right_shift{}, a, b);
}

}  // namespace tessera
