// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Numbers of 16 bits as IEEE 754 has them, for filters that read and write them.

#include <bit>
#include <cmath>
#include <cstdint>

namespace tessera::detail {

/// A binary16 number; computing goes by way of float.
struct half {
  std::uint16_t bits = 0;

  /// Returns the half nearest to `value`, the even one of two.
  [[nodiscard]] static half from(double value) {
    const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
    const double size = std::abs(value);
    constexpr double least_normal = 0x1p-14;
    constexpr double rounds_to_infinity = 65520;
    std::uint16_t magnitude = 0;
    if (std::isnan(value)) {
      magnitude = 0x7E00;
    } else if (size >= rounds_to_infinity) {
      magnitude = 0x7C00;
    } else if (size < least_normal) {
      magnitude = static_cast<std::uint16_t>(std::nearbyint(size * 0x1p24));
    } else {
      // A mantissa that is rounded up to the next power of two carries into the exponent.
      const int exponent = std::ilogb(size);
      const double mantissa = std::nearbyint(std::ldexp(size, 10 - exponent));
      magnitude = static_cast<std::uint16_t>(((exponent + 14) << 10) + static_cast<int>(mantissa));
    }
    return {static_cast<std::uint16_t>(sign | magnitude)};
  }

  [[nodiscard]] float to_float() const {
    const auto sign = static_cast<std::uint32_t>(bits & 0x8000) << 16;
    const auto magnitude = static_cast<std::uint32_t>(bits & 0x7FFF);
    if (magnitude >= 0x7C00) {  // infinite or no number
      return std::bit_cast<float>(sign | 0x7F800000U | ((magnitude & 0x3FF) << 13));
    }
    // The exponent of a float is biased by 112 more; multiplying makes subnormals normal as well.
    const float value = std::bit_cast<float>(magnitude << 13) * 0x1p112F;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(value));
  }
};

}  // namespace tessera::detail
