// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/fold.hpp"

#include "unit/kernel/run_fold.hpp"

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace tessera {
namespace {

using testing::fold_all;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class T>
void expect_results_of_numbers() {
  const std::vector<T> x{5, 3, 4, 1, 2};
  using sum_type = detail::sum_type<T>;
  using mean_type = detail::mean_type<T>;
  EXPECT_EQ((fold_all<sum_type>(fold::sum<T>(), x)), sum_type{15});
  EXPECT_EQ((fold_all<sum_type>(fold::prod<T>(), x)), sum_type{120});
  EXPECT_EQ((fold_all<T>(fold::min<T>(), x)), T{1});
  EXPECT_EQ((fold_all<T>(fold::max<T>(), x)), T{5});
  EXPECT_EQ((fold_all<mean_type>(fold::mean<T>(), x)), mean_type{3});
  EXPECT_EQ((fold_all<mean_type>(fold::variance<T>(), x)), mean_type{2});
  EXPECT_EQ((fold_all<mean_type>(fold::variance<T>(), x, fold::correction(1))), mean_type{2.5});
  EXPECT_EQ((fold_all<mean_type>(fold::stddev<T>(), x, fold::correction(3))),
            static_cast<mean_type>(std::sqrt(5.0)));
  EXPECT_TRUE((fold_all<bool>(fold::any<T>(), x)));
  EXPECT_TRUE((fold_all<bool>(fold::all<T>(), x)));
  EXPECT_FALSE((fold_all<bool>(fold::all<T>(), std::vector<T>{1, 0, 1})));
  EXPECT_FALSE((fold_all<bool>(fold::any<T>(), std::vector<T>{0, 0, 0})));
}

TEST(Fold, GivesTheResultsOfEveryNumberType) {
  expect_results_of_numbers<std::int8_t>();
  expect_results_of_numbers<std::int16_t>();
  expect_results_of_numbers<std::int32_t>();
  expect_results_of_numbers<std::int64_t>();
  expect_results_of_numbers<std::uint8_t>();
  expect_results_of_numbers<std::uint16_t>();
  expect_results_of_numbers<std::uint32_t>();
  expect_results_of_numbers<std::uint64_t>();
  expect_results_of_numbers<float>();
  expect_results_of_numbers<double>();
}

TEST(Fold, CountsTrueInASumOfBools) {
  const std::vector<bool> x{true, false, true, true};
  EXPECT_EQ((fold_all<std::int64_t>(fold::sum<bool>(), x)), 3);
  EXPECT_EQ((fold_all<std::int64_t>(fold::prod<bool>(), x)), 0);
  EXPECT_EQ((fold_all<double>(fold::mean<bool>(), x)), 0.75);
  EXPECT_FALSE((fold_all<bool>(fold::min<bool>(), x)));
  EXPECT_TRUE((fold_all<bool>(fold::max<bool>(), x)));
  EXPECT_TRUE((fold_all<bool>(fold::any<bool>(), x)));
  EXPECT_FALSE((fold_all<bool>(fold::all<bool>(), x)));
}

TEST(Fold, GivesTheDtypesOfTheStandard) {
  EXPECT_EQ(fold::sum<std::int8_t>().output, dtype::int64);
  EXPECT_EQ(fold::sum<std::uint8_t>().output, dtype::uint64);
  EXPECT_EQ(fold::prod<bool>().output, dtype::int64);
  EXPECT_EQ(fold::sum<float>().output, dtype::float32);
  EXPECT_EQ(fold::mean<float>().output, dtype::float32);
  EXPECT_EQ(fold::mean<std::int32_t>().output, dtype::float64);
  EXPECT_EQ(fold::max<std::int16_t>().output, dtype::int16);
  EXPECT_EQ(fold::all<double>().output, dtype::boolean);
}

TEST(Fold, GivesTheResultsOfNothing) {
  EXPECT_EQ((fold_all<double>(fold::sum<double>(), std::vector<double>{})), 0.0);
  EXPECT_EQ((fold_all<double>(fold::prod<double>(), std::vector<double>{})), 1.0);
  EXPECT_TRUE(std::isnan(fold_all<double>(fold::mean<double>(), std::vector<double>{})));
  EXPECT_TRUE(std::isnan(fold_all<double>(fold::variance<double>(), std::vector<double>{})));
  EXPECT_FALSE((fold_all<bool>(fold::any<int>(), std::vector<int>{})));
  EXPECT_TRUE((fold_all<bool>(fold::all<int>(), std::vector<int>{})));
}

TEST(Fold, TakesADivisorBelowZeroForZero) {
  const std::vector<double> one{2};
  EXPECT_TRUE(std::isnan(fold_all<double>(fold::variance<double>(), one, fold::correction(1))));
  EXPECT_EQ(
      (fold_all<double>(fold::variance<double>(), std::vector<double>{1, 3}, fold::correction(5))),
      inf);
}

TEST(Fold, FindsExtremaOnTheirSideOfZero) {
  EXPECT_EQ((fold_all<double>(fold::max<double>(), std::vector<double>{-3, -1, -2})), -1);
  EXPECT_EQ((fold_all<std::int8_t>(fold::max<std::int8_t>(), std::vector<std::int8_t>{-128, -128})),
            -128);
  EXPECT_EQ((fold_all<std::uint64_t>(fold::min<std::uint64_t>(),
                                     std::vector<std::uint64_t>{~std::uint64_t{0}})),
            ~std::uint64_t{0});
  EXPECT_EQ((fold_all<double>(fold::max<double>(), std::vector<double>{-inf, -inf})), -inf);
  EXPECT_EQ((fold_all<float>(fold::min<float>(),
                             std::vector<float>{std::numeric_limits<float>::infinity()})),
            std::numeric_limits<float>::infinity());
}

TEST(Fold, PropagatesNaNAndInfinityWhereverTheyStand) {
  for (std::size_t position = 0; position < 70; ++position) {
    std::vector<double> x(70, 1.0);
    x[position] = nan;
    EXPECT_TRUE(std::isnan(fold_all<double>(fold::min<double>(), x))) << position;
    EXPECT_TRUE(std::isnan(fold_all<double>(fold::max<double>(), x))) << position;
    EXPECT_TRUE(std::isnan(fold_all<double>(fold::sum<double>(), x))) << position;
    EXPECT_TRUE(fold_all<bool>(fold::all<double>(), x)) << position;
    x[position] = inf;
    EXPECT_EQ(fold_all<double>(fold::sum<double>(), x), inf) << position;
    EXPECT_EQ(fold_all<double>(fold::mean<double>(), x), inf) << position;
  }
  EXPECT_TRUE(std::isnan(fold_all<double>(fold::sum<double>(), std::vector<double>{inf, -inf, 1})));
}

TEST(Fold, WrapsSumsOfIntegers) {
  const auto greatest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(
      (fold_all<std::int64_t>(fold::sum<std::int64_t>(), std::vector<std::int64_t>{greatest, 1})),
      std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(
      (fold_all<std::int64_t>(fold::prod<std::int64_t>(), std::vector<std::int64_t>{greatest, 2})),
      -2);
  EXPECT_EQ(
      (fold_all<std::uint64_t>(fold::sum<std::uint8_t>(), std::vector<std::uint8_t>{255, 255})),
      510U);
}

TEST(Fold, KeepsEveryBitOfASumOfFloat64OverStrips) {
  // The exact sum is 2; a plain or pairwise sum gives 0.
  std::vector<double> x(4 * max_strip, 0.0);
  x[0] = 1;
  x[max_strip] = 1e100;
  x[2 * max_strip] = 1;
  x[3 * max_strip] = -1e100;
  EXPECT_EQ((fold_all<double>(fold::sum<double>(), x)), 2);
  const std::vector<double> few{1, 1e100, 1, -1e100};
  EXPECT_EQ((testing::fold_each<double>(fold::sum<double>(), few)), 2);
}

TEST(Fold, RoundsASumOfFloat64NoMoreThanALaneOfAStripDoes) {
  // 64 additions in a lane and 5 of lanes, each with half a unit in the last place; a plain sum of
  // these is wrong by thousands of units.
  const std::vector<double> x(1000 * max_strip, 0.1);
  const auto exact = 1000.0L * max_strip * 0.1;
  EXPECT_NEAR((fold_all<double>(fold::sum<double>(), x)), static_cast<double>(exact),
              static_cast<double>(exact * 69 * 0x1p-53L));
}

TEST(Fold, SumsFloat32InFloat64) {
  // 2^24 + 1 + 1 + ...: each 1 would be lost to a float32 accumulator.
  std::vector<float> x(2001, 1.0F);
  x[0] = 16777216.0F;
  EXPECT_EQ((fold_all<float>(fold::sum<float>(), x)), 16779216.0F);
  EXPECT_EQ((fold_all<float>(fold::prod<float>(), std::vector<float>{1e30F, 1e30F, 1e-30F})),
            1e30F);
}

TEST(Fold, FindsTheVarianceOfDataFarFromZero) {
  std::vector<double> x;
  for (int i = 0; i < 1000; ++i) x.push_back(1e9 + (i % 2 == 0 ? 1.0 : -1.0));
  EXPECT_EQ((fold_all<double>(fold::variance<double>(), x)), 1.0);
  // The running mean is rounded to a multiple of 2^-23 at each step.
  EXPECT_NEAR((testing::fold_each<double>(fold::variance<double>(), x)), 1.0, 0x1p-23);
}

TEST(Fold, TellsCorrectionsApart) {
  EXPECT_EQ(fold::correction(1), fold::correction(1));
  EXPECT_FALSE(fold::correction(1) == fold::correction(0));
}

}  // namespace
}  // namespace tessera
