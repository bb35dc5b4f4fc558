// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The element type `float16`.

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tessera {

namespace detail {

/// All bits if `holds`, else none.
[[nodiscard]] constexpr std::uint32_t mask_of(bool holds) { return 0U - std::uint32_t{holds}; }

// Both ways by integers and masks, which no compiler makes branches of, so that loops vectorise on
// every machine: faster than the instructions for one number at a time that some machines have.

/// Returns the bits of the float16 that is nearest to `value`. NaN becomes a quiet one.
template <std::floating_point Float>
[[nodiscard]] constexpr std::uint16_t narrowed_bits(Float value) {
  constexpr bool is_double = std::same_as<Float, double>;
  using integer = std::conditional_t<is_double, std::uint64_t, std::uint32_t>;
  constexpr std::uint32_t digits = is_double ? 20 : 23;  // of the mantissa, in 32 bits
  constexpr std::uint32_t bias = is_double ? 1023 : 127;
  constexpr std::uint32_t infinity = (2 * bias + 1) << digits;
  constexpr std::uint32_t beyond = (bias + 16) << digits;        // 2^16
  constexpr std::uint32_t least_normal = (bias - 14) << digits;  // 2^-14
  constexpr std::uint32_t dropped = digits - 10;
  constexpr Float last_is_least = is_double ? Float(0x1p28) : Float(0.5);  // worth 2^-24
  const auto bits = std::bit_cast<integer>(value);
  auto word = static_cast<std::uint32_t>(bits);
  // A sticky bit for the lower word is enough to round by.
  if constexpr (is_double) word = static_cast<std::uint32_t>(bits >> 32) | std::uint32_t{word != 0};
  const std::uint32_t number = word & 0x7FFF'FFFF;
  // 2^16 rounds to the bits of infinity; greater numbers count as 2^16.
  const std::uint32_t size = number < beyond ? number : beyond;
  const std::uint32_t is_tiny = mask_of(size < least_normal);
  const auto all_tiny = static_cast<integer>(static_cast<std::int32_t>(is_tiny));
  const auto tiny = std::bit_cast<Float>(bits & all_tiny & (static_cast<integer>(-1) >> 1));
  const auto subnormal = static_cast<std::uint32_t>(std::bit_cast<integer>(tiny + last_is_least));
  // Adds almost a half of the last bit that stays, and all of it if that bit is odd.
  constexpr std::uint32_t almost_half = (1U << (dropped - 1)) - 1;
  const std::uint32_t rebiased = size - least_normal + (1U << digits);
  const std::uint32_t normal = (rebiased + almost_half + (size >> dropped & 1)) >> dropped;
  const std::uint32_t nan = mask_of(number > infinity) & (0x200 | (number >> dropped & 0x3FF));
  return static_cast<std::uint16_t>((word >> 16 & 0x8000) | (is_tiny & subnormal) |
                                    (~is_tiny & normal) | nan);
}

/// Returns the number that the bits of a float16 stand for.
[[nodiscard]] constexpr float widened(std::uint16_t bits) {
  constexpr std::uint32_t more_bias = (127U - 15) << 23;
  constexpr std::uint32_t least_normal = (127U - 14) << 23;
  const std::uint32_t size = bits & 0x7FFFU;
  const std::uint32_t shifted = size << 13;
  const std::uint32_t is_tiny = mask_of(size < 0x400);
  const float tiny = std::bit_cast<float>((shifted & is_tiny) + least_normal);
  const auto subnormal = std::bit_cast<std::uint32_t>(tiny - std::bit_cast<float>(least_normal));
  const std::uint32_t normal = shifted + more_bias + (mask_of(size >= 0x7C00) & more_bias);
  return std::bit_cast<float>((bits & 0x8000U) << 16 | (is_tiny & subnormal) | (~is_tiny & normal));
}

}  // namespace detail

/// IEEE 754 binary16: eleven significant bits, up to 65504.
///
/// It is made for storage: arithmetic is that of float, rounded once, so that each operation is as
/// exact as it can be. Every number becomes the nearest float16, the even one of two; infinity from
/// 65520 on. Conversions to it are explicit, and to float implicit.
class float16 {
 public:
  float16() = default;
  template <class Number>
  requires std::is_arithmetic_v<Number>
  explicit constexpr float16(Number value) : bits_(nearest(value)) {}

  /// Returns the number that `bits` stand for.
  [[nodiscard]] static constexpr float16 from_bits(std::uint16_t bits) {
    float16 value{};
    value.bits_ = bits;
    return value;
  }
  [[nodiscard]] constexpr std::uint16_t bits() const { return bits_; }

  constexpr operator float() const { return detail::widened(bits_); }

  // clang-format off
  friend constexpr float16 operator-(float16 x) { return from_bits(static_cast<std::uint16_t>(x.bits_ ^ 0x8000U)); }
  friend constexpr float16 operator+(float16 a, float16 b) { return float16(float{a} + float{b}); }
  friend constexpr float16 operator-(float16 a, float16 b) { return float16(float{a} - float{b}); }
  friend constexpr float16 operator*(float16 a, float16 b) { return float16(float{a} * float{b}); }
  friend constexpr float16 operator/(float16 a, float16 b) { return float16(float{a} / float{b}); }
  constexpr float16& operator+=(float16 x) { return *this = *this + x; }
  constexpr float16& operator-=(float16 x) { return *this = *this - x; }
  constexpr float16& operator*=(float16 x) { return *this = *this * x; }
  constexpr float16& operator/=(float16 x) { return *this = *this / x; }
  // clang-format on

 private:
  /// No integer that float rounds is below 65520, so that integers go by way of it.
  template <class Number>
  static constexpr std::uint16_t nearest(Number value) {
    if constexpr (std::is_floating_point_v<Number> && sizeof(Number) > sizeof(float)) {
      return detail::narrowed_bits(static_cast<double>(value));
    } else {
      return detail::narrowed_bits(static_cast<float>(value));
    }
  }

  std::uint16_t bits_;
};

static_assert(sizeof(float16) == 2 && std::is_trivially_copyable_v<float16>);

}  // namespace tessera

template <>
class std::numeric_limits<tessera::float16> : public std::numeric_limits<float> {
  using float16 = tessera::float16;

 public:
  static constexpr int digits = 11;
  static constexpr int digits10 = 3;
  static constexpr int max_digits10 = 5;
  static constexpr int min_exponent = -13;
  static constexpr int min_exponent10 = -4;
  static constexpr int max_exponent = 16;
  static constexpr int max_exponent10 = 4;
  static constexpr float16 min() { return float16::from_bits(0x0400); }
  static constexpr float16 lowest() { return float16::from_bits(0xFBFF); }
  static constexpr float16 max() { return float16::from_bits(0x7BFF); }
  static constexpr float16 epsilon() { return float16::from_bits(0x1400); }
  static constexpr float16 round_error() { return float16(0.5F); }
  static constexpr float16 infinity() { return float16::from_bits(0x7C00); }
  static constexpr float16 quiet_NaN() { return float16::from_bits(0x7E00); }
  static constexpr float16 signaling_NaN() { return float16::from_bits(0x7D00); }
  static constexpr float16 denorm_min() { return float16::from_bits(0x0001); }
};
