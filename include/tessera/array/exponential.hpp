// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Exponential functions and logarithms.

#include "tessera/array/detail/apply_elementwise.hpp"
#include "tessera/expr/elementwise.hpp"
#include "tessera/meta/op.hpp"

namespace tessera {

/// Returns e to the power of each element.
template <array_argument X>
[[nodiscard]] auto exp(const X& x) {
  static_assert(dtypes_accepted<op::exp, X>,
                "tessera::exp(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::exp{}, x);
}

/// Returns `exp(x) - 1`, exact near zero.
template <array_argument X>
[[nodiscard]] auto expm1(const X& x) {
  static_assert(dtypes_accepted<op::expm1, X>,
                "tessera::expm1(x): requires elements that are real numbers, not bool or "
                "complex");
  return detail::apply_elementwise(op::expm1{}, x);
}

/// Returns the natural logarithm of each element.
template <array_argument X>
[[nodiscard]] auto log(const X& x) {
  static_assert(dtypes_accepted<op::log, X>,
                "tessera::log(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::log{}, x);
}

/// Returns `log(1 + x)`, exact near zero.
template <array_argument X>
[[nodiscard]] auto log1p(const X& x) {
  static_assert(dtypes_accepted<op::log1p, X>,
                "tessera::log1p(x): requires elements that are real numbers, not bool or "
                "complex");
  return detail::apply_elementwise(op::log1p{}, x);
}

/// Returns the logarithm to base 2 of each element.
template <array_argument X>
[[nodiscard]] auto log2(const X& x) {
  static_assert(dtypes_accepted<op::log2, X>,
                "tessera::log2(x): requires elements that are real numbers, not bool or "
                "complex");
  return detail::apply_elementwise(op::log2{}, x);
}

/// Returns the logarithm to base 10 of each element.
template <array_argument X>
[[nodiscard]] auto log10(const X& x) {
  static_assert(dtypes_accepted<op::log10, X>,
                "tessera::log10(x): requires elements that are numbers, not bool");
  return detail::apply_elementwise(op::log10{}, x);
}

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

}  // namespace tessera
