// SPDX-License-Identifier: Apache-2.0
// Too many operands of elementwise functions, or too few, as in messages.cpp.
// clang-format off
#include <tessera/tessera.hpp>

namespace ts = tessera;

const auto x = ts::zeros<double>({3, 3});
const auto i = ts::zeros<int>({3, 3});

template <class T>
void use(const T&);

void mistake_numbers_of_operands() {
  use(ts::abs(x, x));  // tessera::abs(x): requires one operand, the array x
  use(ts::acos(x, 2));  // tessera::acos(x): requires one operand, the array x
  use(ts::acosh(x, true));  // tessera::acosh(x): requires one operand, the array x
  use(ts::asin(x, ts::axis<0>));  // tessera::asin(x): requires one operand, the array x
  use(ts::asinh(x, x));  // tessera::asinh(x): requires one operand, the array x
  use(ts::atan(x, 2));  // tessera::atan(x): requires one operand, the array x
  use(ts::atanh(x, true));  // tessera::atanh(x): requires one operand, the array x
  use(ts::bitwise_invert(i, ts::axis<0>));  // tessera::bitwise_invert(x): requires one operand, the array x
  use(ts::cbrt(x, x));  // tessera::cbrt(x): requires one operand, the array x
  use(ts::ceil(x, 2));  // tessera::ceil(x): requires one operand, the array x
  use(ts::cos(x, ts::axis<0>));  // tessera::cos(x): requires one operand, the array x
  use(ts::cosh(x, x));  // tessera::cosh(x): requires one operand, the array x
  use(ts::erf(x, ts::axis<0>));  // tessera::erf(x): requires one operand, the array x
  use(ts::exp(x, x));  // tessera::exp(x): requires one operand, the array x
  use(ts::exp2(x, 2));  // tessera::exp2(x): requires one operand, the array x
  use(ts::expm1(x, true));  // tessera::expm1(x): requires one operand, the array x
  use(ts::fabs(x, ts::axis<0>));  // tessera::fabs(x): requires one operand, the array x
  use(ts::floor(x, x));  // tessera::floor(x): requires one operand, the array x
  use(ts::imag(x, 2));  // tessera::imag(x): requires one operand, the array x
  use(ts::isfinite(x, true));  // tessera::isfinite(x): requires one operand, the array x
  use(ts::isinf(x, ts::axis<0>));  // tessera::isinf(x): requires one operand, the array x
  use(ts::isnan(x, x));  // tessera::isnan(x): requires one operand, the array x
  use(ts::log10(x, 2));  // tessera::log10(x): requires one operand, the array x
  use(ts::log1p(x, true));  // tessera::log1p(x): requires one operand, the array x
  use(ts::log2(x, ts::axis<0>));  // tessera::log2(x): requires one operand, the array x
  use(ts::logical_not(x, x));  // tessera::logical_not(x): requires one operand, the array x
  use(ts::negative(x, 2));  // tessera::negative(x): requires one operand, the array x
  use(ts::real(x, ts::axis<0>));  // tessera::real(x): requires one operand, the array x
  use(ts::reciprocal(x, x));  // tessera::reciprocal(x): requires one operand, the array x
  use(ts::sign(x, 2));  // tessera::sign(x): requires one operand, the array x
  use(ts::sin(x, true));  // tessera::sin(x): requires one operand, the array x
  use(ts::sinh(x, ts::axis<0>));  // tessera::sinh(x): requires one operand, the array x
  use(ts::sqrt(x, x));  // tessera::sqrt(x): requires one operand, the array x
  use(ts::square(x, 2));  // tessera::square(x): requires one operand, the array x
  use(ts::tan(x, true));  // tessera::tan(x): requires one operand, the array x
  use(ts::tanh(x, ts::axis<0>));  // tessera::tanh(x): requires one operand, the array x
  use(ts::trunc(x, x));  // tessera::trunc(x): requires one operand, the array x
  use(ts::round(x, ts::axis<0>));  // tessera::round(x, decimals): requires at most the number of decimals: round(x, 2)
  use(ts::log(x, x, 2));  // tessera::log(x): requires one operand, the array x
  use(ts::add(x));  // tessera::add(a, b): requires two operands
  use(ts::add(x, x, 2));  // tessera::add(a, b): requires two operands
  use(ts::subtract(x));  // tessera::subtract(a, b): requires two operands
  use(ts::subtract(x, x, 2));  // tessera::subtract(a, b): requires two operands
  use(ts::multiply(x));  // tessera::multiply(a, b): requires two operands
  use(ts::multiply(x, x, 2));  // tessera::multiply(a, b): requires two operands
  use(ts::divide(x));  // tessera::divide(a, b): requires two operands
  use(ts::divide(x, x, 2));  // tessera::divide(a, b): requires two operands
  use(ts::pow(x));  // tessera::pow(a, b): requires two operands
  use(ts::pow(x, x, 2));  // tessera::pow(a, b): requires two operands
  use(ts::maximum(x, x, 2));  // tessera::maximum(a, b): requires two operands: maximum(maximum(a, b), c) is of three
  use(ts::minimum(x, x, 2));  // tessera::minimum(a, b): requires two operands: minimum(minimum(a, b), c) is of three
  use(ts::hypot(x));  // tessera::hypot(a, b): requires two operands
  use(ts::atan2(x));  // tessera::atan2(a, b): requires two operands
  use(ts::equal(x));  // tessera::equal(a, b): requires two operands
  use(ts::less(x));  // tessera::less(a, b): requires two operands
}
