// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The conversion of floats to integers.

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>

namespace tessera {

/// Returns the integer towards zero from `value`. Cases that C++ leaves undefined are as in NumPy
/// on x86-64.
///
/// int32 and int64 have their least value for NaN and for values out of range. int8, int16, uint8
/// and uint16 are the low bits of that int32, and uint32 those of the int64; uint64 is an int64
/// that wraps up to 2^64, 0 from there on, and 2^63 for NaN and from -2^63 down.
///
/// Defined for every value, the same on every machine, and nothing branches, so that loops
/// vectorise.
/// Source: NumPy 1.24.2, x86-64. Its arrays of uint32 have these values one by one and strided. Its
/// dense arrays differ beyond [-2^31, 2^32), also between the middle and the ends of an array.
template <std::integral To, std::floating_point From>
requires(!std::same_as<To, bool>) [[nodiscard]] constexpr To to_integer(From value) {
  constexpr From end = static_cast<From>(1ULL << 63);
  if constexpr (std::same_as<To, std::uint64_t>) {
    const bool is_upper = value >= end;
    const auto lower = to_integer<std::int64_t>(is_upper ? value - end : value);
    return static_cast<To>(lower) ^ (is_upper ? 1ULL << 63 : 0);
  } else {
    // The narrowest type whose least value is the result out of range.
    using wide = std::conditional_t<(sizeof(To) > 4 || std::same_as<To, std::uint32_t>),
                                    std::int64_t, std::int32_t>;
    constexpr From least = static_cast<From>(std::numeric_limits<wide>::min());
    const bool fits = (value > least) & (value < -least);
    return static_cast<To>(static_cast<wide>(fits ? value : least));
  }
}

}  // namespace tessera
