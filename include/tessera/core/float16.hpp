// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The sixteen bits of a float16 and the numbers that they stand for, for whoever needs no more.

#include <bit>
#include <cmath>
#include <cstdint>

namespace tessera {

/// Returns the number that the bits of a float16 stand for.
[[nodiscard]] float float16_value(std::uint16_t bits);

/// Returns the bits of the float16 that is nearest to `value`, the even one of two; infinity beyond
/// the greatest.
[[nodiscard]] std::uint16_t float16_bits(double value);

namespace detail {

/// Returns `value` as a float that a narrower type may be rounded from: exact, or with an odd last
/// bit, so that rounding once more is no different from rounding once.
///
/// Source: Boldo and Melquiond, "When double rounding is odd", 2005.
[[nodiscard]] inline float round_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || !std::isfinite(nearest)) return nearest;
  const bool is_beyond = std::fabs(static_cast<double>(nearest)) > std::fabs(value);
  const auto towards_zero = std::bit_cast<std::uint32_t>(nearest) - (is_beyond ? 1U : 0U);
  return std::bit_cast<float>(towards_zero | 1U);
}

}  // namespace detail
}  // namespace tessera
