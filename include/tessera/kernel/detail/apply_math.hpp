// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The functions of float32 and float64.

#include "tessera/meta/op.hpp"

#include <cmath>
#include <concepts>
#include <limits>
#include <numbers>

namespace tessera::detail {

// For loops that shall vectorise: both operands are computed, so that nothing branches.
constexpr bool either(bool a, bool b) { return a | b; }
constexpr bool both(bool a, bool b) { return a & b; }

// clang-format off
template <std::floating_point T> T apply(const op::negative&, T x) { return -x; }
template <std::floating_point T> T apply(const op::add&, T a, T b) { return a + b; }
template <std::floating_point T> T apply(const op::subtract&, T a, T b) { return a - b; }
template <std::floating_point T> T apply(const op::multiply&, T a, T b) { return a * b; }
template <std::floating_point T> T apply(const op::divide&, T a, T b) { return a / b; }
template <std::floating_point T> T apply(const op::square&, T x) { return x * x; }
template <std::floating_point T> T apply(const op::reciprocal&, T x) { return T{1} / x; }
template <std::floating_point T> T apply(const op::abs&, T x) { return std::fabs(x); }
template <std::floating_point T> T apply(const op::sqrt&, T x) { return std::sqrt(x); }
template <std::floating_point T> T apply(const op::exp&, T x) { return std::exp(x); }
template <std::floating_point T> T apply(const op::expm1&, T x) { return std::expm1(x); }
template <std::floating_point T> T apply(const op::log&, T x) { return std::log(x); }
template <std::floating_point T> T apply(const op::log1p&, T x) { return std::log1p(x); }
template <std::floating_point T> T apply(const op::log2&, T x) { return std::log2(x); }
template <std::floating_point T> T apply(const op::log10&, T x) { return std::log10(x); }
template <std::floating_point T> T apply(const op::sin&, T x) { return std::sin(x); }
template <std::floating_point T> T apply(const op::cos&, T x) { return std::cos(x); }
template <std::floating_point T> T apply(const op::tan&, T x) { return std::tan(x); }
template <std::floating_point T> T apply(const op::asin&, T x) { return std::asin(x); }
template <std::floating_point T> T apply(const op::acos&, T x) { return std::acos(x); }
template <std::floating_point T> T apply(const op::atan&, T x) { return std::atan(x); }
template <std::floating_point T> T apply(const op::sinh&, T x) { return std::sinh(x); }
template <std::floating_point T> T apply(const op::cosh&, T x) { return std::cosh(x); }
template <std::floating_point T> T apply(const op::tanh&, T x) { return std::tanh(x); }
template <std::floating_point T> T apply(const op::asinh&, T x) { return std::asinh(x); }
template <std::floating_point T> T apply(const op::acosh&, T x) { return std::acosh(x); }
template <std::floating_point T> T apply(const op::atanh&, T x) { return std::atanh(x); }
template <std::floating_point T> T apply(const op::ceil&, T x) { return std::ceil(x); }
template <std::floating_point T> T apply(const op::floor&, T x) { return std::floor(x); }
template <std::floating_point T> T apply(const op::trunc&, T x) { return std::trunc(x); }
/// Halves go to the even neighbour.
template <std::floating_point T> T apply(const op::round&, T x) { return std::nearbyint(x); }
template <std::floating_point T> bool apply(const op::signbit&, T x) { return std::signbit(x); }
template <std::floating_point T> T apply(const op::pow&, T a, T b) { return std::pow(a, b); }
template <std::floating_point T> T apply(const op::atan2&, T a, T b) { return std::atan2(a, b); }
template <std::floating_point T> T apply(const op::hypot&, T a, T b) { return std::hypot(a, b); }
template <std::floating_point T> T apply(const op::copysign&, T a, T b) { return std::copysign(a, b); }
template <std::floating_point T> T apply(const op::nextafter&, T a, T b) { return std::nextafter(a, b); }
// clang-format on

/// Returns log(exp(a) + exp(b)) without overflow.
template <std::floating_point T>
T apply(const op::logaddexp&, T a, T b) {
  if (a == b) return a + std::numbers::ln2_v<T>;  // equal infinities, whose difference is NaN
  const T difference = a - b;
  if (difference > T{}) return a + std::log1p(std::exp(-difference));
  if (difference <= T{}) return b + std::log1p(std::exp(difference));
  return difference;
}

/// Python's modulo: the remainder has the sign of the divisor.
template <std::floating_point T>
T apply(const op::remainder&, T a, T b) {
  const T rest = std::fmod(a, b);
  if (b == T{}) return rest;
  if (rest == T{}) return std::copysign(T{}, b);
  return (b < T{}) != (rest < T{}) ? rest + b : rest;
}

/// Python's floor division: consistent with `remainder`, which floor(a / b) need not be.
template <std::floating_point T>
T apply(const op::floor_divide&, T a, T b) {
  if (b == T{}) return a / b;
  const T rest = std::fmod(a, b);
  T quotient = (a - rest) / b;
  if (rest != T{} && (b < T{}) != (rest < T{})) quotient -= T{1};
  if (quotient == T{}) return std::copysign(T{}, a / b);
  const T rounded = std::floor(quotient);
  return quotient - rounded > T{0.5} ? rounded + T{1} : rounded;
}

}  // namespace tessera::detail
