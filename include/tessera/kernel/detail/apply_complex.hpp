// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The elementwise functions of complex numbers.
///
/// Products and quotients are NumPy's: without the branches by which C++'s own recover infinities.

#include "tessera/kernel/detail/apply_math.hpp"
#include "tessera/meta/op.hpp"

#include <cmath>
#include <complex>
#include <concepts>
#include <limits>

namespace tessera::detail {

// clang-format off
template <std::floating_point T> T apply(const op::real&, T x) { return x; }
template <std::floating_point T> T apply(const op::imag&, T) { return T{}; }
template <std::floating_point T> T apply(const op::conj&, T x) { return x; }
template <std::integral T> T apply(const op::real&, T x) { return x; }
template <std::integral T> T apply(const op::imag&, T) { return T{}; }
template <std::integral T> T apply(const op::conj&, T x) { return x; }

template <class T> T apply(const op::real&, std::complex<T> x) { return x.real(); }
template <class T> T apply(const op::imag&, std::complex<T> x) { return x.imag(); }
template <class T> T apply(const op::abs&, std::complex<T> x) { return std::hypot(x.real(), x.imag()); }
template <class T> std::complex<T> apply(const op::conj&, std::complex<T> x) { return {x.real(), -x.imag()}; }
template <class T> std::complex<T> apply(const op::negative&, std::complex<T> x) { return {-x.real(), -x.imag()}; }
template <class T> std::complex<T> apply(const op::add&, std::complex<T> a, std::complex<T> b) { return {a.real() + b.real(), a.imag() + b.imag()}; }
template <class T> std::complex<T> apply(const op::subtract&, std::complex<T> a, std::complex<T> b) { return {a.real() - b.real(), a.imag() - b.imag()}; }
template <class T> std::complex<T> apply(const op::sqrt&, std::complex<T> x) { return std::sqrt(x); }
template <class T> std::complex<T> apply(const op::exp&, std::complex<T> x) { return std::exp(x); }
template <class T> std::complex<T> apply(const op::log&, std::complex<T> x) { return std::log(x); }
template <class T> std::complex<T> apply(const op::log10&, std::complex<T> x) { return std::log10(x); }
template <class T> std::complex<T> apply(const op::sin&, std::complex<T> x) { return std::sin(x); }
template <class T> std::complex<T> apply(const op::cos&, std::complex<T> x) { return std::cos(x); }
template <class T> std::complex<T> apply(const op::tan&, std::complex<T> x) { return std::tan(x); }
template <class T> std::complex<T> apply(const op::asin&, std::complex<T> x) { return std::asin(x); }
template <class T> std::complex<T> apply(const op::acos&, std::complex<T> x) { return std::acos(x); }
template <class T> std::complex<T> apply(const op::atan&, std::complex<T> x) { return std::atan(x); }
template <class T> std::complex<T> apply(const op::sinh&, std::complex<T> x) { return std::sinh(x); }
template <class T> std::complex<T> apply(const op::cosh&, std::complex<T> x) { return std::cosh(x); }
template <class T> std::complex<T> apply(const op::tanh&, std::complex<T> x) { return std::tanh(x); }
template <class T> std::complex<T> apply(const op::asinh&, std::complex<T> x) { return std::asinh(x); }
template <class T> std::complex<T> apply(const op::acosh&, std::complex<T> x) { return std::acosh(x); }
template <class T> std::complex<T> apply(const op::atanh&, std::complex<T> x) { return std::atanh(x); }
// clang-format on

template <class T>
std::complex<T> apply(const op::multiply&, std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

template <class T>
std::complex<T> apply(const op::square&, std::complex<T> x) {
  return detail::apply(op::multiply{}, x, x);
}

/// Source: Smith, "Algorithm 116: complex division", 1962.
template <class T>
std::complex<T> apply(const op::divide&, std::complex<T> a, std::complex<T> b) {
  if (std::fabs(b.real()) >= std::fabs(b.imag())) {
    if (b == std::complex<T>{}) {
      const T zero = std::fabs(b.real());
      return {a.real() / zero, a.imag() / zero};
    }
    const T ratio = b.imag() / b.real();
    const T scale = T{1} / (b.real() + b.imag() * ratio);
    return {(a.real() + a.imag() * ratio) * scale, (a.imag() - a.real() * ratio) * scale};
  }
  const T ratio = b.real() / b.imag();
  const T scale = T{1} / (b.imag() + b.real() * ratio);
  return {(a.real() * ratio + a.imag()) * scale, (a.imag() * ratio - a.real()) * scale};
}

template <class T>
std::complex<T> apply(const op::reciprocal&, std::complex<T> x) {
  return detail::apply(op::divide{}, std::complex<T>{1}, x);
}

/// Small whole exponents multiply, which is exact where the factors are; 0 to a positive power is
/// 0, to any other NaN.
template <class T>
std::complex<T> apply(const op::pow&, std::complex<T> base, std::complex<T> exponent) {
  constexpr T most_factors = 100;
  const T power = exponent.real();
  if (exponent == std::complex<T>{}) return {1};
  if (base == std::complex<T>{}) {
    constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    return power > 0 && exponent.imag() == 0 ? std::complex<T>{} : std::complex<T>{nan, nan};
  }
  if (exponent.imag() != 0 || std::fabs(power) >= most_factors || std::trunc(power) != power) {
    return std::pow(base, exponent);
  }
  std::complex<T> result{1};
  for (int rest = std::abs(static_cast<int>(power)); rest > 0; rest /= 2) {
    if (rest % 2 == 1) result = detail::apply(op::multiply{}, result, base);
    base = detail::apply(op::square{}, base);
  }
  return power < 0 ? detail::apply(op::reciprocal{}, result) : result;
}

}  // namespace tessera::detail
