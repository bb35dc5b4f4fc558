// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Refused numbers of operands of elementwise functions. One sentence gives the remedy.

#include "tessera/function/detail/arguments.hpp"

namespace tessera {

template <array_argument X>
const X& abs(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::abs(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& acos(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::acos(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& acosh(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::acosh(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& asin(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::asin(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& asinh(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::asinh(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& atan(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::atan(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& atanh(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::atanh(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& bitwise_invert(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>,
                "tessera::bitwise_invert(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& cbrt(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::cbrt(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& ceil(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::ceil(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& cos(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::cos(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& cosh(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::cosh(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& erf(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::erf(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& exp(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::exp(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& exp2(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::exp2(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& expm1(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::expm1(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& fabs(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::fabs(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& floor(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::floor(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& imag(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::imag(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& isfinite(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::isfinite(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& isinf(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::isinf(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& isnan(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::isnan(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& log10(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::log10(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& log1p(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::log1p(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& log2(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::log2(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& logical_not(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>,
                "tessera::logical_not(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& negative(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::negative(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& real(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::real(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& reciprocal(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::reciprocal(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& sign(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::sign(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& sin(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::sin(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& sinh(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::sinh(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& sqrt(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::sqrt(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& square(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::square(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& tan(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::tan(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& tanh(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::tanh(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& trunc(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(detail::is_allowed<X>, "tessera::trunc(x): requires one operand, the array x");
  return x;
}
template <array_argument X>
const X& round(const X& x, const detail::any_argument&, const detail::any_argument& = 0) {
  static_assert(
      detail::is_allowed<X>,
      "tessera::round(x, decimals): requires at most the number of decimals: round(x, 2)");
  return x;
}
template <array_argument X>
const X& log(const X& x, const detail::any_argument&, const detail::any_argument&) {
  static_assert(detail::is_allowed<X>, "tessera::log(x): requires one operand, the array x");
  return x;
}
template <array_argument A>
const A& add(const A& a) {
  static_assert(detail::is_allowed<A>, "tessera::add(a, b): requires two operands");
  return a;
}
template <array_argument A>
const A& add(const A& a, const detail::any_argument&, const detail::any_argument&) {
  static_assert(detail::is_allowed<A>, "tessera::add(a, b): requires two operands");
  return a;
}
template <array_argument A>
const A& subtract(const A& a) {
  static_assert(detail::is_allowed<A>, "tessera::subtract(a, b): requires two operands");
  return a;
}
template <array_argument A>
const A& subtract(const A& a, const detail::any_argument&, const detail::any_argument&) {
  static_assert(detail::is_allowed<A>, "tessera::subtract(a, b): requires two operands");
  return a;
}
template <array_argument A>
const A& multiply(const A& a) {
  static_assert(detail::is_allowed<A>, "tessera::multiply(a, b): requires two operands");
  return a;
}
template <array_argument A>
const A& multiply(const A& a, const detail::any_argument&, const detail::any_argument&) {
  static_assert(detail::is_allowed<A>, "tessera::multiply(a, b): requires two operands");
  return a;
}
template <array_argument A>
const A& divide(const A& a) {
  static_assert(detail::is_allowed<A>, "tessera::divide(a, b): requires two operands");
  return a;
}
template <array_argument A>
const A& divide(const A& a, const detail::any_argument&, const detail::any_argument&) {
  static_assert(detail::is_allowed<A>, "tessera::divide(a, b): requires two operands");
  return a;
}
template <array_argument A>
const A& pow(const A& a) {
  static_assert(detail::is_allowed<A>, "tessera::pow(a, b): requires two operands");
  return a;
}
template <array_argument A>
const A& pow(const A& a, const detail::any_argument&, const detail::any_argument&) {
  static_assert(detail::is_allowed<A>, "tessera::pow(a, b): requires two operands");
  return a;
}
template <array_argument A>
const A& maximum(const A& a, const detail::any_argument&, const detail::any_argument&) {
  static_assert(
      detail::is_allowed<A>,
      "tessera::maximum(a, b): requires two operands: maximum(maximum(a, b), c) is of three");
  return a;
}
template <array_argument A>
const A& minimum(const A& a, const detail::any_argument&, const detail::any_argument&) {
  static_assert(
      detail::is_allowed<A>,
      "tessera::minimum(a, b): requires two operands: minimum(minimum(a, b), c) is of three");
  return a;
}
template <array_argument A>
const A& hypot(const A& a) {
  static_assert(detail::is_allowed<A>, "tessera::hypot(a, b): requires two operands");
  return a;
}
template <array_argument A>
const A& atan2(const A& a) {
  static_assert(detail::is_allowed<A>, "tessera::atan2(a, b): requires two operands");
  return a;
}
template <array_argument A>
const A& equal(const A& a) {
  static_assert(detail::is_allowed<A>, "tessera::equal(a, b): requires two operands");
  return a;
}
template <array_argument A>
const A& less(const A& a) {
  static_assert(detail::is_allowed<A>, "tessera::less(a, b): requires two operands");
  return a;
}

}  // namespace tessera
