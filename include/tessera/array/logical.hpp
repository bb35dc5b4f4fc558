// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Logical functions of bool elements.

#include "tessera/array/detail/apply_elementwise.hpp"
#include "tessera/expr/elementwise.hpp"
#include "tessera/meta/op.hpp"

namespace tessera {

/// Returns `!x`.
template <array_argument X>
[[nodiscard]] auto logical_not(const X& x) {
  static_assert(dtypes_accepted<op::logical_not, X>,
                "tessera::logical_not(x): requires elements of dtype bool");
  return detail::apply_elementwise(op::logical_not{}, x);
}

/// Returns `a && b`, both computed.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto logical_and(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::logical_and(a, b), a && b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::logical_and, A, B>,
                "tessera::logical_and(a, b), a && b: requires elements of dtype bool");
  return detail::apply_elementwise(op::logical_and{}, a, b);
}

/// Returns `a || b`, both computed.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto logical_or(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::logical_or(a, b), a || b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::logical_or, A, B>,
                "tessera::logical_or(a, b), a || b: requires elements of dtype bool");
  return detail::apply_elementwise(op::logical_or{}, a, b);
}

/// Returns whether one of two elements is true and the other not.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto logical_xor(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::logical_xor(a, b): requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::logical_xor, A, B>,
                "tessera::logical_xor(a, b): requires elements of dtype bool");
  return detail::apply_elementwise(op::logical_xor{}, a, b);
}

}  // namespace tessera
