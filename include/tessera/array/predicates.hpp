// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Comparisons and tests of elements: their results are bool.

#include "tessera/array/detail/apply_elementwise.hpp"
#include "tessera/expr/elementwise.hpp"
#include "tessera/meta/op.hpp"

namespace tessera {

/// Tells of each element whether it is NaN.
template <array_argument X>
[[nodiscard]] auto isnan(const X& x) {
  static_assert(dtypes_accepted<op::isnan, X>,
                "tessera::isnan(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::isnan{}, x);
}

/// Tells of each element whether it is infinite.
template <array_argument X>
[[nodiscard]] auto isinf(const X& x) {
  static_assert(dtypes_accepted<op::isinf, X>,
                "tessera::isinf(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::isinf{}, x);
}

/// Tells of each element whether it is neither infinite nor NaN.
template <array_argument X>
[[nodiscard]] auto isfinite(const X& x) {
  static_assert(dtypes_accepted<op::isfinite, X>,
                "tessera::isfinite(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::isfinite{}, x);
}

/// Tells of each element whether its sign bit is set.
template <array_argument X>
[[nodiscard]] auto signbit(const X& x) {
  static_assert(dtypes_accepted<op::signbit, X>,
                "tessera::signbit(x): requires elements that are real numbers, not bool or "
                "complex");
  return detail::apply_elementwise(op::signbit{}, x);
}

/// Tells of each pair of elements whether `a == b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto equal(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::equal(a, b), a == b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  return detail::apply_elementwise(op::equal{}, a, b);
}

/// Tells of each pair of elements whether `a != b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto not_equal(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::not_equal(a, b), a != b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  return detail::apply_elementwise(op::not_equal{}, a, b);
}

/// Tells of each pair of elements whether `a < b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto less(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::less(a, b), a < b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::less, A, B>,
                "tessera::less(a, b), a < b: requires elements that have an order; complex "
                "numbers have none");
  return detail::apply_elementwise(op::less{}, a, b);
}

/// Tells of each pair of elements whether `a <= b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto less_equal(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::less_equal(a, b), a <= b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::less_equal, A, B>,
                "tessera::less_equal(a, b), a <= b: requires elements that have an order; complex "
                "numbers have none");
  return detail::apply_elementwise(op::less_equal{}, a, b);
}

/// Tells of each pair of elements whether `a > b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto greater(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::greater(a, b), a > b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(dtypes_accepted<op::greater, A, B>,
                "tessera::greater(a, b), a > b: requires elements that have an order; complex "
                "numbers have none");
  return detail::apply_elementwise(op::greater{}, a, b);
}

/// Tells of each pair of elements whether `a >= b`.
template <class A, class B>
requires has_array<A, B>
[[nodiscard]] auto greater_equal(const A& a, const B& b) {
  static_assert(are_operands<A, B>,
                "tessera::greater_equal(a, b), a >= b: requires each operand to be an array "
                "expression or a C++ number; asarray(v) is one of an ndarray");
  static_assert(
      dtypes_accepted<op::greater_equal, A, B>,
      "tessera::greater_equal(a, b), a >= b: requires elements that have an order; complex "
      "numbers have none");
  return detail::apply_elementwise(op::greater_equal{}, a, b);
}

}  // namespace tessera
