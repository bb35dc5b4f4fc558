// SPDX-License-Identifier: Apache-2.0
#include "tessera/function/statistical.hpp"

#include "unit/kernel/run_fold.hpp"

#include <array>
#include <cmath>
#include <cstddef>
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
  using sum_type = op::accumulated_t<T>;
  using mean_type = floating_t<T>;
  EXPECT_EQ((fold_all<sum_type>(op::sum::kernel<T>(), x)), sum_type{15});
  EXPECT_EQ((fold_all<sum_type>(op::prod::kernel<T>(), x)), sum_type{120});
  EXPECT_EQ((fold_all<T>(op::min::kernel<T>(), x)), T{1});
  EXPECT_EQ((fold_all<T>(op::max::kernel<T>(), x)), T{5});
  EXPECT_EQ((fold_all<mean_type>(op::mean::kernel<T>(), x)), mean_type{3});
  EXPECT_EQ((fold_all<mean_type>(op::var::kernel<T>(), x)), mean_type{2});
  EXPECT_EQ((fold_all<mean_type>(op::var::kernel<T>(), x, op::var{1}.parameters())),
            mean_type{2.5});
  EXPECT_EQ((fold_all<mean_type>(op::stddev::kernel<T>(), x, op::var{3}.parameters())),
            static_cast<mean_type>(std::sqrt(5.0)));
  EXPECT_TRUE((fold_all<bool>(op::any::kernel<T>(), x)));
  EXPECT_TRUE((fold_all<bool>(op::all::kernel<T>(), x)));
  EXPECT_FALSE((fold_all<bool>(op::all::kernel<T>(), std::vector<T>{1, 0, 1})));
  EXPECT_FALSE((fold_all<bool>(op::any::kernel<T>(), std::vector<T>{0, 0, 0})));
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

/// Returns the position of the greatest element of strips of three elements, which are taken in
/// this order.
std::int64_t position_of_greatest(const std::vector<double>& x,
                                  const std::vector<std::size_t>& strips) {
  constexpr std::size_t length = 3;
  testing::buffer<double> elements(x);
  testing::fold_states state(op::argmax::kernel<double>(), 1);
  for (const std::size_t strip : strips) {
    const auto first = static_cast<std::int64_t>(length * strip);
    testing::buffer<std::int64_t> positions(std::vector<std::int64_t>{first, first + 1, first + 2});
    const std::array<const std::byte*, 2> inputs{elements.bytes() + length * strip * sizeof(double),
                                                 positions.bytes()};
    state.take_all(inputs.data(), length);
  }
  return state.finish<std::int64_t>()[0];
}

TEST(Fold, FindsTheFirstOfEqualsInWhateverOrderStripsCome) {
  for (const std::vector<std::size_t>& order :
       {std::vector<std::size_t>{0, 1, 2}, std::vector<std::size_t>{2, 1, 0},
        std::vector<std::size_t>{1, 2, 0}, std::vector<std::size_t>{2, 0, 1}}) {
    EXPECT_EQ(position_of_greatest({1, 2, 5, 5, 4, 3, 2, 5, 1}, order), 2);
    EXPECT_EQ(position_of_greatest({-inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf, -inf}, order),
              0);
    EXPECT_EQ(position_of_greatest({1, inf, 3, 4, nan, 6, nan, 8, 9}, order), 4);
    EXPECT_EQ(position_of_greatest({1, 2, 3, 4, 5, 6, 7, 9, 9}, order), 7);
  }
}

TEST(Fold, CountsTrueInASumOfBools) {
  const std::vector<bool> x{true, false, true, true};
  EXPECT_EQ((fold_all<std::int64_t>(op::sum::kernel<bool>(), x)), 3);
  EXPECT_EQ((fold_all<std::int64_t>(op::prod::kernel<bool>(), x)), 0);
  EXPECT_EQ((fold_all<double>(op::mean::kernel<bool>(), x)), 0.75);
  EXPECT_FALSE((fold_all<bool>(op::min::kernel<bool>(), x)));
  EXPECT_TRUE((fold_all<bool>(op::max::kernel<bool>(), x)));
  EXPECT_TRUE((fold_all<bool>(op::any::kernel<bool>(), x)));
  EXPECT_FALSE((fold_all<bool>(op::all::kernel<bool>(), x)));
}

TEST(Fold, GivesTheDtypesOfTheStandard) {
  EXPECT_EQ(op::sum::kernel<std::int8_t>().outputs.front(), dtype::int64);
  EXPECT_EQ(op::sum::kernel<std::uint8_t>().outputs.front(), dtype::uint64);
  EXPECT_EQ(op::prod::kernel<bool>().outputs.front(), dtype::int64);
  EXPECT_EQ(op::sum::kernel<float>().outputs.front(), dtype::float32);
  EXPECT_EQ(op::mean::kernel<float>().outputs.front(), dtype::float32);
  EXPECT_EQ(op::mean::kernel<std::int32_t>().outputs.front(), dtype::float64);
  EXPECT_EQ(op::max::kernel<std::int16_t>().outputs.front(), dtype::int16);
  EXPECT_EQ(op::all::kernel<double>().outputs.front(), dtype::boolean);
}

TEST(Fold, GivesTheResultsOfNothing) {
  EXPECT_EQ((fold_all<double>(op::sum::kernel<double>(), std::vector<double>{})), 0.0);
  EXPECT_EQ((fold_all<double>(op::prod::kernel<double>(), std::vector<double>{})), 1.0);
  EXPECT_TRUE(std::isnan(fold_all<double>(op::mean::kernel<double>(), std::vector<double>{})));
  EXPECT_TRUE(std::isnan(fold_all<double>(op::var::kernel<double>(), std::vector<double>{})));
  EXPECT_FALSE((fold_all<bool>(op::any::kernel<int>(), std::vector<int>{})));
  EXPECT_TRUE((fold_all<bool>(op::all::kernel<int>(), std::vector<int>{})));
}

TEST(Fold, TakesADivisorBelowZeroForZero) {
  const std::vector<double> element{2};
  EXPECT_TRUE(
      std::isnan(fold_all<double>(op::var::kernel<double>(), element, op::var{1}.parameters())));
  EXPECT_EQ((fold_all<double>(op::var::kernel<double>(), std::vector<double>{1, 3},
                              op::var{5}.parameters())),
            inf);
}

TEST(Fold, FindsExtremaOnTheirSideOfZero) {
  EXPECT_EQ((fold_all<double>(op::max::kernel<double>(), std::vector<double>{-3, -1, -2})), -1);
  EXPECT_EQ(
      (fold_all<std::int8_t>(op::max::kernel<std::int8_t>(), std::vector<std::int8_t>{-128, -128})),
      -128);
  EXPECT_EQ((fold_all<std::uint64_t>(op::min::kernel<std::uint64_t>(),
                                     std::vector<std::uint64_t>{~std::uint64_t{0}})),
            ~std::uint64_t{0});
  EXPECT_EQ((fold_all<double>(op::max::kernel<double>(), std::vector<double>{-inf, -inf})), -inf);
  EXPECT_EQ((fold_all<float>(op::min::kernel<float>(),
                             std::vector<float>{std::numeric_limits<float>::infinity()})),
            std::numeric_limits<float>::infinity());
}

TEST(Fold, PropagatesNaNAndInfinityWhereverTheyStand) {
  for (std::size_t position = 0; position < 70; ++position) {
    std::vector<double> x(70, 1.0);
    x[position] = nan;
    EXPECT_TRUE(std::isnan(fold_all<double>(op::min::kernel<double>(), x))) << position;
    EXPECT_TRUE(std::isnan(fold_all<double>(op::max::kernel<double>(), x))) << position;
    EXPECT_TRUE(std::isnan(fold_all<double>(op::sum::kernel<double>(), x))) << position;
    EXPECT_TRUE(fold_all<bool>(op::all::kernel<double>(), x)) << position;
    x[position] = inf;
    EXPECT_EQ(fold_all<double>(op::sum::kernel<double>(), x), inf) << position;
    EXPECT_EQ(fold_all<double>(op::mean::kernel<double>(), x), inf) << position;
  }
  EXPECT_TRUE(
      std::isnan(fold_all<double>(op::sum::kernel<double>(), std::vector<double>{inf, -inf, 1})));
}

TEST(Fold, WrapsSumsOfIntegers) {
  const auto greatest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ((fold_all<std::int64_t>(op::sum::kernel<std::int64_t>(),
                                    std::vector<std::int64_t>{greatest, 1})),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ((fold_all<std::int64_t>(op::prod::kernel<std::int64_t>(),
                                    std::vector<std::int64_t>{greatest, 2})),
            -2);
  EXPECT_EQ((fold_all<std::uint64_t>(op::sum::kernel<std::uint8_t>(),
                                     std::vector<std::uint8_t>{255, 255})),
            510U);
}

TEST(Fold, KeepsEveryBitOfASumOfFloat64OverStrips) {
  // The exact sum is 2; a plain or pairwise sum gives 0.
  std::vector<double> x(4 * max_strip, 0.0);
  x[0] = 1;
  x[max_strip] = 1e100;
  x[2 * max_strip] = 1;
  x[3 * max_strip] = -1e100;
  EXPECT_EQ((fold_all<double>(op::sum::kernel<double>(), x)), 2);
}

TEST(Fold, RoundsASumOfFloat64NoMoreThanALaneOfAStripDoes) {
  // 16 additions in a lane and 5 of lanes, each with half a unit in the last place; a plain sum of
  // these is wrong by thousands of units.
  const std::vector<double> x(1000 * max_strip, 0.1);
  const auto exact = 1000.0L * max_strip * 0.1;
  EXPECT_NEAR((fold_all<double>(op::sum::kernel<double>(), x)), static_cast<double>(exact),
              static_cast<double>(exact * 21 * 0x1p-53L));
}

TEST(Fold, SumsFloat32InFloat64) {
  // 2^24 + 1 + 1 + ...: each 1 would be lost to a float32 accumulator.
  std::vector<float> x(2001, 1.0F);
  x[0] = 16777216.0F;
  EXPECT_EQ((fold_all<float>(op::sum::kernel<float>(), x)), 16779216.0F);
  EXPECT_EQ((fold_all<float>(op::prod::kernel<float>(), std::vector<float>{1e30F, 1e30F, 1e-30F})),
            1e30F);
}

TEST(Fold, FindsTheVarianceOfDataFarFromZero) {
  std::vector<double> x;
  for (int i = 0; i < 1000; ++i) x.push_back(1e9 + (i % 2 == 0 ? 1.0 : -1.0));
  EXPECT_EQ((fold_all<double>(op::var::kernel<double>(), x)), 1.0);
  // The running mean is rounded to a multiple of 2^-23 at each step.
  EXPECT_NEAR((testing::fold_each<double>(op::var::kernel<double>(), x)), 1.0, 0x1p-23);
}

// As NumPy: infinity has no distance from itself, whichever element it is.
TEST(Fold, HasNoVarianceOfInfinity) {
  constexpr auto numbers = detail::counting::numbers;
  for (std::size_t position = 0; position < 3; ++position) {
    std::vector<double> x{1, 2, 4};
    x[position] = inf;
    EXPECT_TRUE(std::isnan(fold_all<double>(op::var::kernel<double>(), x))) << position;
    EXPECT_TRUE(std::isnan(testing::fold_each<double>(op::var::kernel<double>(), x))) << position;
    const fold_kernel& counted = op::stddev::counted_kernel<double, numbers>();
    EXPECT_TRUE(std::isnan(testing::fold_each<double>(counted, x))) << position;
    x.push_back(nan);
    EXPECT_TRUE(std::isnan(testing::fold_each<double>(counted, x))) << position;
  }
}

TEST(Fold, CountsNoNaNInAVariance) {
  const fold_kernel& kernel = op::var::counted_kernel<double, detail::counting::numbers>();
  EXPECT_EQ(testing::fold_each<double>(kernel, std::vector<double>{nan, 1, nan, 3, nan}), 1.0);
  EXPECT_TRUE(std::isnan(testing::fold_each<double>(kernel, std::vector<double>{nan, nan})));
}

TEST(Fold, TellsCorrectionsApart) {
  EXPECT_EQ(op::var{1}.parameters(), op::var{1}.parameters());
  EXPECT_FALSE(op::var{1}.parameters() == op::var{0}.parameters());
}

}  // namespace
}  // namespace tessera
