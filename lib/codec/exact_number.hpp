// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Numbers of any type without loss, and their conversion with a given rounding.
///
/// A finite number is sign * magnitude * 2^exponent with a magnitude of 64 bits, which holds each
/// integer and each floating-point number of the registry. A conversion to a type with p digits
/// cuts the magnitude behind its p-th bit; the rounding looks at the bits that are cut off. So
/// there is one rule for all pairs of types, and no number is rounded twice.

#include "codec/number_type.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

namespace tessera::detail {

/// The roundings of IEEE 754.
enum class rounding : std::uint8_t {
  nearest_even,
  towards_zero,
  towards_positive,
  towards_negative,
  nearest_away
};

struct exact_number {
  enum class kind : std::uint8_t { finite, infinite, not_a_number };

  kind category = kind::finite;
  bool is_negative = false;
  std::uint64_t magnitude = 0;
  int exponent = 0;

  /// Tells whether two numbers are equal; both zeros are, and so are two NaN.
  [[nodiscard]] bool operator==(const exact_number& rhs) const;
};

/// Returns the integral part of magnitude / 2^drop for 1 <= drop, rounded.
[[nodiscard]] std::uint64_t shifted(const exact_number& number, int drop, rounding mode);

/// The integer that a number is rounded to: its magnitude modulo 2^64.
struct rounded_integer {
  std::uint64_t magnitude = 0;
  /// Whether the magnitude is 2^64 or more.
  bool is_beyond = false;
};

[[nodiscard]] rounded_integer nearest_integer(const exact_number& number, rounding mode);

template <class T>
[[nodiscard]] exact_number exact(T value) {
  if constexpr (std::is_integral_v<T>) {
    const bool is_negative = std::is_signed_v<T> && value < T{};
    const auto bits = static_cast<std::uint64_t>(value);
    return {.is_negative = is_negative, .magnitude = is_negative ? 0 - bits : bits};
  } else {
    constexpr std::uint64_t leading = std::uint64_t{1} << 52;
    const auto bits = std::bit_cast<std::uint64_t>(static_cast<double>(value));
    const auto field = static_cast<int>(bits >> 52 & 0x7FF);
    exact_number result{.is_negative = bits >> 63 != 0, .magnitude = bits & (leading - 1)};
    if (field == 0x7FF) {
      result.category =
          result.magnitude == 0 ? exact_number::kind::infinite : exact_number::kind::not_a_number;
      return result;
    }
    if (field != 0) result.magnitude |= leading;
    result.exponent = (field == 0 ? 1 : field) - 1075;
    return result;
  }
}

/// Returns the floating-point number of a finite number, or nullopt if the rounded number exceeds
/// the finite numbers of `T`.
template <class T>
[[nodiscard]] std::optional<T> to_float(const exact_number& number, rounding mode) {
  using limits = std::numeric_limits<T>;
  constexpr int least = limits::min_exponent - limits::digits;
  const auto width = static_cast<int>(std::bit_width(number.magnitude));
  const int unit = std::max(number.exponent + width - limits::digits, least);
  const int drop = unit - number.exponent;
  const std::uint64_t digits = drop <= 0 ? number.magnitude : shifted(number, drop, mode);
  const double size = std::ldexp(static_cast<double>(digits), drop <= 0 ? number.exponent : unit);
  if (size > static_cast<double>(limits::max())) return std::nullopt;
  return static_cast<T>(number.is_negative ? -size : size);
}

}  // namespace tessera::detail
