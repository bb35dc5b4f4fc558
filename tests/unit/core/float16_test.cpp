// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/float16.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>

namespace tessera {
namespace {

constexpr std::uint32_t num_patterns = 1U << 16;

/// IEEE 754, section 3.4: the number that sixteen bits stand for; not for NaN.
double number_of(std::uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const int mantissa = static_cast<int>(bits & 0x3FF);
  const double size = exponent == 31  ? HUGE_VAL
                      : exponent == 0 ? std::ldexp(mantissa, -24)
                                      : std::ldexp(1024 + mantissa, exponent - 25);
  return (bits & 0x8000) != 0 ? -size : size;
}

bool is_nan(std::uint32_t bits) { return (bits & 0x7FFF) > 0x7C00; }

std::uint16_t bits_of(double value) { return float16(value).bits(); }

TEST(Float16, HasTheValueOfItsBits) {
  for (std::uint32_t bits = 0; bits < num_patterns; ++bits) {
    const float value = float16::from_bits(static_cast<std::uint16_t>(bits));
    const float in_integers = detail::widened(static_cast<std::uint16_t>(bits));
    EXPECT_EQ(std::bit_cast<std::uint32_t>(value), std::bit_cast<std::uint32_t>(in_integers));
    if (is_nan(bits)) {
      EXPECT_TRUE(std::isnan(value)) << bits;
    } else {
      EXPECT_EQ(static_cast<double>(value), number_of(bits));
      EXPECT_EQ(std::signbit(value), bits >> 15 != 0);
    }
  }
}

TEST(Float16, ComesBackFromFloat) {
  for (std::uint32_t bits = 0; bits < num_patterns; ++bits) {
    const float value = float16::from_bits(static_cast<std::uint16_t>(bits));
    const std::uint32_t quiet = is_nan(bits) ? 0x200 : 0;
    EXPECT_EQ(float16(value).bits(), bits | quiet);
    EXPECT_EQ(float16(static_cast<double>(value)).bits(), bits | quiet);
    EXPECT_EQ(detail::narrowed_bits(value), bits | quiet);
  }
}

/// Between two neighbours the nearer one is taken, and half way the even one.
TEST(Float16, IsTheNearestToEveryNumberBetween) {
  for (std::uint32_t bits = 0; bits < 0x7C00; ++bits) {
    const double low = number_of(bits);
    const double high = bits == 0x7BFF ? 65536.0 : number_of(bits + 1);
    const auto middle = static_cast<float>((low + high) / 2);
    const std::uint32_t even = bits + (bits & 1);
    for (const std::uint32_t sign : {0U, 0x8000U}) {
      const float way = sign != 0 ? -middle : middle;
      const float below = std::nextafter(way, 0.0F);
      const float above = std::nextafter(way, 2 * way);
      EXPECT_EQ(float16(way).bits(), even | sign);
      EXPECT_EQ(float16(below).bits(), bits | sign);
      EXPECT_EQ(float16(above).bits(), (bits + 1) | sign);
      EXPECT_EQ(detail::narrowed_bits(way), even | sign);
      EXPECT_EQ(detail::narrowed_bits(below), bits | sign);
      EXPECT_EQ(detail::narrowed_bits(above), (bits + 1) | sign);
    }
  }
}

// numpy.float16(x).view("u2").
TEST(Float16, IsRoundedOnceFromFloat64) {
  EXPECT_EQ(bits_of(0.1), 0x2e66);
  EXPECT_EQ(bits_of(65519.99), 0x7bff);
  EXPECT_EQ(bits_of(65520.0), 0x7c00);
  EXPECT_EQ(bits_of(1e300), 0x7c00);
  EXPECT_EQ(bits_of(-INFINITY), 0xfc00);
  EXPECT_EQ(bits_of(5.960464477539063e-08), 0x0001);
  // Just above half way between 1 and its neighbour, and half way itself once it is a float.
  EXPECT_EQ(bits_of(1.0 + 0x1p-11 + 0x1p-40), 0x3c01);
  EXPECT_EQ(bits_of(1.0 + 0x1p-11), 0x3c00);
  EXPECT_EQ(bits_of(-1.0 - 0x1p-11 - 0x1p-40), 0xbc01);
  EXPECT_EQ(bits_of(0x1p-25), 0x0000);
  EXPECT_EQ(bits_of(0x1p-25 + 0x1p-70), 0x0001);
}

/// k = np.arange(1, 100001); sum(f(k).astype("f2").view("u2").astype("u8") * k)
TEST(Float16, IsNumPysForNumbersOfAllSizes) {
  std::uint64_t normal = 0;
  std::uint64_t subnormal = 0;
  std::uint64_t floats = 0;
  for (std::uint64_t k = 1; k <= 100'000; ++k) {
    const auto number = static_cast<double>(k);
    normal += k * bits_of(number * 1.00000000001 * 0.731 / 1.1);
    subnormal += k * bits_of((number + 0x1p-30) * 0x1p-25 * 0.5);
  }
  EXPECT_EQ(normal, 154848690285721U);
  EXPECT_EQ(subnormal, 24715160258304U);
  // n = np.arange(1 << 16, dtype="u4") * np.uint32(65537); x = n.view("f4"); x = x[x == x]
  std::uint64_t position = 0;
  for (std::uint32_t k = 0; k < num_patterns; ++k) {
    const auto value = std::bit_cast<float>(k * 65537U);
    if (value == value) floats += ++position * float16(value).bits();
  }
  EXPECT_EQ(floats, 94606568560000U);
}

TEST(Float16, ComputesInFloatAndRoundsOnce) {
  const float16 third(1.0 / 3);
  const float16 three(3);
  EXPECT_EQ((third * three).bits(), 0x3c00);  // numpy.float16: 1.0
  EXPECT_EQ((third + third).bits(), 0x3955);
  EXPECT_EQ((three / third).bits(), 0x4880);
  EXPECT_EQ((-third).bits(), 0xb555);
  EXPECT_EQ((float16(2049) - float16(1)).bits(), 0x67ff);
  EXPECT_LT(third, three);
  EXPECT_EQ(third * 3.0F, 0.999755859375F);
}

TEST(Float16, KnowsItsLimits) {
  using limits = std::numeric_limits<float16>;
  EXPECT_EQ(limits::max(), 65504.0F);
  EXPECT_EQ(limits::lowest(), -65504.0F);
  EXPECT_EQ(limits::min(), 0x1p-14F);
  EXPECT_EQ(limits::denorm_min(), 0x1p-24F);
  EXPECT_EQ(limits::epsilon(), 0x1p-10F);
  EXPECT_EQ(limits::infinity(), INFINITY);
  EXPECT_TRUE(std::isnan(limits::quiet_NaN()));
}

}  // namespace
}  // namespace tessera
