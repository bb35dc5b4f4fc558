// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The elementwise functions of integers. Overflow wraps, division by zero gives 0, quotients and
/// remainders follow Python's sign rule.

#include "tessera/core/error.hpp"
#include "tessera/meta/op.hpp"

#include <concepts>
#include <limits>
#include <string>
#include <type_traits>

namespace tessera::detail {

/// An integer type that is not bool.
template <class T>
concept integer = std::integral<T> && !std::same_as<T, bool>;

/// The unsigned type in which `T` is computed; not narrower than `unsigned`, because narrower types
/// promote to `int`, whose overflow is undefined.
template <integer T>
using wrapping = std::common_type_t<std::make_unsigned_t<T>, unsigned>;

template <integer T>
constexpr wrapping<T> wrap(T x) {
  return static_cast<wrapping<T>>(x);
}

// clang-format off
template <integer T> T apply(const op::negative&, T x) { return static_cast<T>(0U - wrap(x)); }
template <integer T> T apply(const op::add&, T a, T b) { return static_cast<T>(wrap(a) + wrap(b)); }
template <integer T> T apply(const op::subtract&, T a, T b) { return static_cast<T>(wrap(a) - wrap(b)); }
template <integer T> T apply(const op::multiply&, T a, T b) { return static_cast<T>(wrap(a) * wrap(b)); }
template <integer T> T apply(const op::square&, T x) { return static_cast<T>(wrap(x) * wrap(x)); }
template <integer T> T apply(const op::bitwise_invert&, T x) { return static_cast<T>(~wrap(x)); }
template <integer T> T apply(const op::bitwise_and&, T a, T b) { return static_cast<T>(a & b); }
template <integer T> T apply(const op::bitwise_or&, T a, T b) { return static_cast<T>(a | b); }
template <integer T> T apply(const op::bitwise_xor&, T a, T b) { return static_cast<T>(a ^ b); }
template <integer T> T apply(const op::ceil&, T x) { return x; }
template <integer T> T apply(const op::floor&, T x) { return x; }
template <integer T> T apply(const op::round&, T x) { return x; }
template <integer T> T apply(const op::trunc&, T x) { return x; }
template <integer T> bool apply(const op::signbit&, T x) { return x < T{}; }
// clang-format on

template <integer T>
T apply(const op::abs&, T x) {
  return static_cast<T>(x < T{} ? 0U - wrap(x) : wrap(x));
}

template <integer T>
T apply(const op::floor_divide&, T a, T b) {
  if (b == T{}) return T{};
  if constexpr (std::is_signed_v<T>) {
    if (b == T{-1}) return static_cast<T>(0U - wrap(a));  // the least integer's quotient overflows
    const bool round_down = a % b != 0 && (a < 0) != (b < 0);
    return static_cast<T>(a / b - (round_down ? 1 : 0));
  } else {
    return static_cast<T>(a / b);
  }
}

template <integer T>
T apply(const op::remainder&, T a, T b) {
  if (b == T{}) return T{};
  if constexpr (std::is_signed_v<T>) {
    if (b == T{-1}) return T{};
    const T rest = static_cast<T>(a % b);
    return static_cast<T>(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
  } else {
    return static_cast<T>(a % b);
  }
}

/// Throws: value_error <- the exponent is negative, as NumPy does.
template <integer T>
T apply(const op::pow&, T base, T exponent) {
  if constexpr (std::is_signed_v<T>) {
    if (exponent < T{}) {
      throw value_error("pow: found the integer exponent " + std::to_string(exponent) +
                        ", but integers have no negative powers; cast one operand to a float type");
    }
  }
  wrapping<T> result = 1;
  wrapping<T> factor = wrap(base);
  for (auto rest = wrap(exponent); rest != 0; rest >>= 1) {
    if ((rest & 1U) != 0) result *= factor;
    factor *= factor;
  }
  return static_cast<T>(result);
}

/// Shifts by the width or more, and by negative numbers, shift every bit out.
template <integer T, integer S>
T apply(const op::bitwise_left_shift&, T x, S count) {
  constexpr auto width = static_cast<wrapping<S>>(sizeof(T) * 8);
  const bool in_width = wrap(count) < width;
  return static_cast<T>(in_width ? wrap(x) << (in_width ? wrap(count) : 0U) : 0U);
}

template <integer T, integer S>
T apply(const op::bitwise_right_shift&, T x, S count) {
  constexpr auto width = static_cast<wrapping<S>>(sizeof(T) * 8);
  const auto bounded = wrap(count) < width ? wrap(count) : width - 1;
  const T shifted = static_cast<T>(x >> bounded);
  return std::is_signed_v<T> || wrap(count) < width ? shifted : T{};
}

}  // namespace tessera::detail
