// SPDX-License-Identifier: Apache-2.0
#include "tessera/tessera.hpp"

#include "unit/array/support.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace tessera {
namespace {

using test::expect_error;
using test::expect_values;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

class Rolling : public testing::Test {
 protected:
  [[nodiscard]] spec limits() const { return {.work_dir = folder / "work"}; }
  test::scratch_directory folder;
};

TEST_F(Rolling, WindowsAreThoseOfNumPy) {
  const auto x = from_memory(std::vector<double>{1, 3, 2, 8, 6}, {5}, {.chunks = {2}});
  expect_values(rolling_sum(x, 3).compute(), {3}, {6.0, 13.0, 16.0});
  expect_values(rolling_mean(x, 2, axis<0>).compute(), {4}, {2.0, 2.5, 5.0, 7.0});
  expect_values(rolling_min(x, 3, axis<-1>).compute(), {3}, {1.0, 2.0, 2.0});
  expect_values(rolling_max(x, 3, axis_at(0)).compute(), {3}, {3.0, 8.0, 8.0});
  expect_values(rolling_stddev(x, 2).compute(), {4}, {1.0, 0.5, 3.0, 1.0});
  expect_values(rolling_sum(x, 1).compute(), {5}, {1.0, 3.0, 2.0, 8.0, 6.0});
  expect_values(rolling_sum(x, 5).compute(), {1}, {20.0});
}

TEST_F(Rolling, DtypesAreThoseOfFolds) {
  const auto bytes = from_memory(std::vector<std::uint8_t>{200, 100, 255}, {3}, {.chunks = {3}});
  expect_values<std::uint64_t, 1>(rolling_sum(bytes, 2).compute(), {2}, {300, 355});
  expect_values(rolling_mean(bytes, 2).compute(), {2}, {150.0, 177.5});
  expect_values<std::uint8_t, 1>(rolling_max(bytes, 2).compute(), {2}, {200, 255});
  static_assert(
      std::same_as<decltype(rolling_mean(astype<float16>(bytes), 2))::value_type, float16>);
}

// A difference of running sums would have lost the small ones, or kept the infinity for ever.
TEST_F(Rolling, NothingOutlivesItsWindow) {
  const auto x =
      from_memory(std::vector<double>{1e20, 1, 2, infinity, 3, nan, 4, 5, 6}, {9}, {.chunks = {4}});
  const auto sums = rolling_sum(x, 2).compute();
  EXPECT_EQ(sums(1), 3);
  EXPECT_EQ(sums(2), infinity);
  EXPECT_EQ(sums(3), infinity);
  EXPECT_TRUE(std::isnan(sums(4)));
  EXPECT_TRUE(std::isnan(sums(5)));
  EXPECT_EQ(sums(6), 9);
  const auto deviations = rolling_stddev(x, 2).compute();
  EXPECT_EQ(deviations(1), 0.5);
  EXPECT_TRUE(std::isnan(deviations(2)));
  EXPECT_TRUE(std::isnan(deviations(3)));
  EXPECT_EQ(deviations(6), 0.5);
  const auto greatest = rolling_max(x, 2).compute();
  EXPECT_TRUE(std::isnan(greatest(5)));
  EXPECT_EQ(greatest(6), 5);
}

// The variance of n whole numbers in a row is (n^2 - 1) / 12.
TEST_F(Rolling, DeviationsOfARampAreThoseOfAUniformDistribution) {
  const auto x = array<double, 2>(arange(1e9, 1e9 + 150, 1.0) + zeros<double>({3, 150}));
  for (const index_t length : {1, 2, 3, 7, 40, 75, 150}) {
    const auto n = static_cast<double>(length);
    const double deviation = std::sqrt((n * n - 1) / 12);
    const auto along = rolling_stddev(x, length, axis<1>).compute();
    const auto across = rolling_stddev(transpose(x), length, axis<0>).compute();
    ASSERT_EQ(along.shape(), (std::array<index_t, 2>{3, 151 - length}));
    for (index_t i = 0; i < 151 - length; ++i) {
      ASSERT_NEAR(along(1, i), deviation, 1e-12 * n) << length << " at " << i;
      ASSERT_NEAR(across(i, 2), deviation, 1e-12 * n) << length << " at " << i;
    }
  }
}

// Squares of distances may be out of the range of float64 although the elements are not.
TEST_F(Rolling, DeviationsThatOverflowAreInfinite) {
  const auto x = from_memory(std::vector<double>{1.5e308, -1.5e308, 1, 3, 5, 5}, {6});
  const auto deviations = rolling_stddev(x, 2).compute();
  EXPECT_EQ(deviations(0), infinity);
  EXPECT_EQ(deviations(1), infinity);
  EXPECT_EQ(deviations(2), 1);
  EXPECT_EQ(deviations(4), 0);
  const auto narrow = from_memory(std::vector<float>{3e38F, -3e38F, 1, 3}, {4});
  EXPECT_EQ(rolling_stddev(narrow, 2).compute()(0), 3e38F);
}

// The exact sum of a window is 6 * 2^62, which no integer of 64 bits holds.
TEST_F(Rolling, MeansOfWideIntegersDoNotWrap) {
  const std::int64_t wide = std::int64_t{1} << 62;
  const auto x = from_memory(std::vector<std::int64_t>(7, wide), {7});
  expect_values(rolling_mean(x, 6).compute(), {2}, {std::ldexp(1, 62), std::ldexp(1, 62)});
}

TEST_F(Rolling, AWindowThatDoesNotFitIsRefused) {
  const auto x = zeros<double>({4, 10});
  expect_error<shape_error>([&] { static_cast<void>(rolling_mean(x, 11, axis<1>)); },
                            {"rolling_mean", "11", "axis 1", "(4, 10)", "at most 10"});
  expect_error<value_error>([&] { static_cast<void>(rolling_mean(x, 0, axis<1>)); },
                            {"rolling_mean", "0", "1 or more"});
}

struct first_and_last {
  using state = std::tuple<double, double, bool>;
  static constexpr state identity{0, 0, false};
  static state take(const state& s, double x) { return merge(s, {x, x, true}); }
  static state merge(const state& a, const state& b) {
    if (!std::get<2>(b)) return a;
    return {std::get<2>(a) ? std::get<0>(a) : std::get<0>(b), std::get<1>(b), true};
  }
  static double finish(const state& s) { return 10 * std::get<0>(s) + std::get<1>(s); }
};

TEST_F(Rolling, TakesAMonoidThatDoesNotCommute) {
  const auto x = arange(1.0, 8.0, 1.0, {.chunks = {3}});
  expect_values(rolling(first_and_last{}, x, 3).compute(), {5}, {13.0, 24.0, 35.0, 46.0, 57.0});
}

TEST_F(Rolling, ReadsEachChunkOnce) {
  const auto x =
      store(random::uniform<float>({96, 40}, {.chunks = {16, 10}, .spec = limits()}), folder / "x");
  const plan means(stored(rolling_mean(x, 24, axis<0>), folder / "y"));
  EXPECT_EQ(means.num_operations(), 1U);
  EXPECT_EQ(means.bytes_read().count(), 96U * 40 * 4);
  EXPECT_EQ(means.compute().shape(), (std::array<index_t, 2>{73, 40}));
}

/// Expects the rolling sums of x + 1, and minima and deviations of x, for the `values` of x.
void expect_plain_windows(const std::vector<double>& values, index_vector extents, std::size_t axis,
                          index_t length, const ndarray<double, 3>& sums,
                          const ndarray<double, 3>& least, const ndarray<double, 3>& deviations) {
  const index_vector strides = row_major_strides(extents);
  extents[axis] -= length - 1;
  ASSERT_TRUE(std::ranges::equal(sums.shape(), extents));
  index_vector position(3);
  std::size_t at = 0;
  do {
    const double* const first = values.data() + offset_of(position, strides);
    double sum = 0;
    double squares = 0;
    double lowest = infinity;
    for (index_t i = 0; i < length; ++i) {
      const double v = first[i * strides[axis]];
      sum += v;
      squares += v * v;
      lowest = std::min(lowest, v);
    }
    const auto n = static_cast<double>(length);
    ASSERT_EQ(sums.data()[at], sum + n);
    ASSERT_EQ(least.data()[at], lowest);
    // Whole numbers: their squares are exact.
    ASSERT_NEAR(deviations.data()[at], std::sqrt((squares - sum * sum / n) / n), 1e-6);
    ++at;
  } while (next_position(position, extents));
}

// Random shapes, chunks, lengths and axes, stored and not, against the plain definition.
TEST_F(Rolling, RandomWindowsGiveWhatAPlainLoopGives) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto draw = [&random](index_t low, index_t high) {
    return std::uniform_int_distribution<index_t>(low, high)(random);
  };
  for (int round = 0; round < 60; ++round) {
    const std::array<index_t, 3> shape{draw(1, 90), draw(1, 12), draw(1, 90)};
    const std::array<index_t, 3> chunks{draw(1, 40), draw(1, 12), draw(1, 90)};
    const auto axis = static_cast<std::size_t>(draw(0, 2));
    const index_t length = draw(1, std::min<index_t>(shape.at(axis), 30));
    SCOPED_TRACE("shape " + format_shape(shape) + " chunks " + format_shape(chunks) + " axis " +
                 std::to_string(axis) + " length " + std::to_string(length));
    std::vector<double> values(static_cast<std::size_t>(shape[0] * shape[1] * shape[2]));
    for (double& value : values) value = static_cast<double>(draw(-50, 50));
    const auto memory =
        from_memory(std::vector<double>(values), shape, {.chunks = chunks, .spec = limits()});
    const array<double, 3> x =
        draw(0, 1) == 0 ? store(memory, folder / "x") : array<double, 3>(memory);
    const auto along = axis_at(static_cast<int>(axis));
    const std::array<index_t, 3> out_chunks{draw(1, 40), draw(1, 12), draw(1, 90)};
    const auto sums =
        store(rolling_sum(x + 1.0, length, along), folder / "y", {.chunks = out_chunks}).compute();
    const auto least = rolling_min(x, length, along).compute();
    const auto deviations = rolling_stddev(x, length, along).compute();
    expect_plain_windows(values, index_vector(shape.begin(), shape.end()), axis, length, sums,
                         least, deviations);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace tessera
