// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/bytes.hpp"

#include "tessera/core/error.hpp"

#include "unit/core/message_of.hpp"

#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <type_traits>

namespace {

using tessera::bytes;
using namespace tessera::literals;

TEST(Bytes, LiteralsFollowTheUnitsOfIEC80000) {
  EXPECT_EQ((7_B).count(), 7U);
  EXPECT_EQ((3_kB).count(), 3'000U);
  EXPECT_EQ((3_MB).count(), 3'000'000U);
  EXPECT_EQ((3_GB).count(), 3'000'000'000U);
  EXPECT_EQ((3_TB).count(), 3'000'000'000'000U);
  EXPECT_EQ((3_KiB).count(), 3'072U);
  EXPECT_EQ((3_MiB).count(), 3'145'728U);
  EXPECT_EQ((3_GiB).count(), 3'221'225'472U);
  EXPECT_EQ((3_TiB).count(), 3'298'534'883'328U);
}

TEST(Bytes, ParsesEveryUnitWithAndWithoutASpace) {
  EXPECT_EQ(bytes::parse("4096"), 4096_B);
  EXPECT_EQ(bytes::parse("17B"), 17_B);
  EXPECT_EQ(bytes::parse("100kB"), 100_kB);
  EXPECT_EQ(bytes::parse("200MB"), 200_MB);
  EXPECT_EQ(bytes::parse("2 GB"), 2_GB);
  EXPECT_EQ(bytes::parse("1 TB"), 1_TB);
  EXPECT_EQ(bytes::parse("64KiB"), 64_KiB);
  EXPECT_EQ(bytes::parse("5MiB"), 5_MiB);
  EXPECT_EQ(bytes::parse("1.5 GiB").count(), 1'610'612'736U);
  EXPECT_EQ(bytes::parse("1TiB"), 1_TiB);
  EXPECT_EQ(bytes::parse("0"), 0_B);
}

TEST(Bytes, RefusesTextThatIsNoSize) {
  for (const char* text : {"", "MB", "-1MB", " 1MB", "1mb", "1 MB ", "nan", "inf", "1e30", "1 2"}) {
    EXPECT_THROW((void)bytes::parse(text), tessera::value_error) << "'" << text << "'";
  }
}

TEST(Bytes, TheMessageOfABadSizeQuotesItAndShowsGoodOnes) {
  EXPECT_EQ(
      tessera::testing::message_of<tessera::value_error>([] { (void)bytes::parse("12 bananas"); }),
      "size '12 bananas': a size is a number and a unit, as in 200MB, 1.5 GiB or 4096");
}

TEST(Bytes, PrintsThreeSignificantDigitsAtMost) {
  EXPECT_EQ(format_short(0_B), "0 B");
  EXPECT_EQ(format_short(999_B), "999 B");
  EXPECT_EQ(format_short(1000_B), "1.0 kB");
  EXPECT_EQ(format_short(99'949_B), "99.9 kB");
  EXPECT_EQ(format_short(99'950_B), "100 kB");
  EXPECT_EQ(format_short(999'499_B), "999 kB");
  EXPECT_EQ(format_short(999'500_B), "1.0 MB");
  EXPECT_EQ(format_short(200_MB), "200 MB");
  EXPECT_EQ(format_short(1'234'567'890_B), "1.2 GB");
  EXPECT_EQ(format_short(12_TB), "12.0 TB");
}

TEST(Bytes, PrintsTheExactCountInGroupsOfThree) {
  EXPECT_EQ(format(12_B), "12 B");
  EXPECT_EQ(format(1000_B), "1.0 kB (1,000 B)");
  EXPECT_EQ(format(1'200'000'000_B), "1.2 GB (1,200,000,000 B)");
  std::ostringstream out;
  out << 123'456_B;
  EXPECT_EQ(out.str(), "123 kB (123,456 B)");
}

TEST(Bytes, AddsSubtractsMultipliesAndCompares) {
  bytes sum = 2_kB;
  sum += 5_B;
  EXPECT_EQ(sum, 2'005_B);
  EXPECT_EQ(sum - 5_B, 2_kB);
  EXPECT_EQ(sum + 95_B, 2'100_B);
  EXPECT_EQ((4_KiB) * 3, 12_KiB);
  EXPECT_LT(1_MB, 1_MiB);
}

TEST(Bytes, AreMadeOfCountsThatAreNotNegative) {
  EXPECT_EQ(bytes{500}.count(), 500U);
  EXPECT_THROW(bytes{-1}, tessera::value_error);
  static_assert(!std::is_convertible_v<int, bytes>);
  static_assert(!std::is_constructible_v<bytes, double>);
}

}  // namespace
