// SPDX-License-Identifier: Apache-2.0
// Functions of elements that are hard on them: means far above the spread, infinities beside NaN,
// integers beyond 2^53.
#include "tessera/tessera.hpp"

#include "unit/array/support.hpp"

#include <cmath>
#include <concepts>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using test::expect_values;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// One of 32 elements is 2^-9 above the rest, which are 10^12. The mean, 10^12 + 2^-14, is between
/// two numbers of float64.
constexpr index_t num_elements = 64 * 32;
constexpr double step = 1.0 / 512;
std::vector<double> steps_above_a_great_mean() {
  std::vector<double> values;
  for (index_t i = 0; i < num_elements; ++i) values.push_back(1e12 + (i % 32 == 5 ? step : 0));
  return values;
}

// The moments of a number that is 1 with probability p, else 0.
constexpr double p = 1.0 / 32;
const double deviation = step * std::sqrt(p * (1 - p));
const double skewness = (1 - 2 * p) / std::sqrt(p * (1 - p));
constexpr double excess_kurtosis = (1 - 6 * p * (1 - p)) / (p * (1 - p));

constexpr double tolerance = 1e-13;
void expect_close(double value, double expected) {
  EXPECT_NEAR(value, expected, tolerance * std::abs(expected));
}

template <std::size_t N>
void expect_all_close(const ndarray<double, N>& values, double expected) {
  for (const double value : values.span()) expect_close(value, expected);
}

class Moments : public testing::TestWithParam<index_t> {
 protected:
  [[nodiscard]] array<double, 1> x() const {
    return asarray(steps_above_a_great_mean(), {.chunks = {GetParam()}});
  }
};

TEST_P(Moments, OfAGreatMeanKeepTheirDigits) {
  const auto positive = where(x() > 0.0);
  const auto [s, v, ns, ws, k, kurt] = compute(stddev(x()), var(x(), correction(1)), nanstd(x()),
                                               stddev(x(), positive), skew(x()), kurtosis(x()));
  expect_close(s(), deviation);
  expect_close(v(), deviation * deviation * num_elements / (num_elements - 1));
  expect_close(ns(), deviation);
  expect_close(ws(), deviation);
  expect_close(k(), skewness);
  expect_close(kurt(), excess_kurtosis);
}

// Both parts are the same number, so that variances are twice as great.
TEST_P(Moments, OfComplexNumbersKeepTheirDigits) {
  const auto z = x() * complex128(1, 1);
  static_assert(std::same_as<decltype(var(z))::value_type, double>);
  const auto group = arange<std::int64_t>(num_elements, {.chunks = {GetParam()}}) / 64 % 2;
  const auto [v, ns, ws, gs] =
      compute(var(z), nanstd(z), stddev(z, where(x() > 0.0)),
              groupby_reduce(z, astype<std::int64_t>(group), op::stddev{}, 2));
  expect_close(v(), 2 * deviation * deviation);
  expect_close(ns(), std::sqrt(2.0) * deviation);
  expect_close(ws(), std::sqrt(2.0) * deviation);
  expect_all_close(gs, std::sqrt(2.0) * deviation);
}

TEST_P(Moments, OfColumnsKeepTheirDigits) {
  const auto columns = broadcast_to(reshape(x(), {num_elements, 1}), {num_elements, 3});
  expect_all_close(stddev(columns, axis<0>).compute(), deviation);
  expect_all_close(nanstd(columns, axis<0>).compute(), deviation);
  expect_all_close(skew(columns, axis<0>).compute(), skewness);
}

TEST_P(Moments, OfGroupsAndWindowsKeepTheirDigits) {
  const auto group = arange<std::int64_t>(num_elements, {.chunks = {GetParam()}}) / 64 % 2;
  expect_all_close(groupby_reduce(x(), astype<std::int64_t>(group), op::stddev{}, 2).compute(),
                   deviation);
  expect_all_close(rolling_stddev(x(), 64).compute(), deviation);
}

INSTANTIATE_TEST_SUITE_P(Chunks, Moments, testing::Values(1, 7, 100, num_elements));

// Half of the greatest number twice: the sum of the squares of the distances from zero overflows.
TEST(HardValues, VariancesOfGreatNumbers) {
  for (const index_t chunk : {1, 2}) {
    const auto chunked = [chunk](std::vector<double> values) {
      return asarray(std::move(values), {.chunks = {chunk}});
    };
    EXPECT_EQ(var(chunked({1e300, 1e300})).compute()(), 0);
    EXPECT_EQ(nanvar(chunked({1e300, 1e300})).compute()(), 0);
    EXPECT_EQ(rolling_stddev(chunked({1e300, 1e300}), 2).compute()(0), 0);
    EXPECT_EQ(var(chunked({1e300, -1e300})).compute()(), infinity);
    EXPECT_TRUE(std::isnan(var(chunked({1, infinity})).compute()()));
    EXPECT_TRUE(std::isnan(nanvar(chunked({1, infinity, nan})).compute()()));
  }
}

// Distances from the mean overflow, and the elements and their mean are finite: numpy.var is
// infinite. An infinite element has no distance from a mean: numpy.var is NaN.
TEST(HardValues, VariancesWhoseDistancesOverflow) {
  constexpr double max = std::numeric_limits<double>::max();
  const std::vector<std::pair<std::vector<double>, double>> cases{
      {{max, 1, -1}, infinity},        {{1, max, -1}, infinity},
      {{max, -max, 0}, infinity},      {{max, -max, max, -max, 1, 2}, infinity},
      {{-1, 1, 2, -max}, infinity},    {{max, -max, infinity}, nan},
      {{infinity, max, -max, 1}, nan}, {{1, -infinity, max, -max, max, 0}, nan}};
  for (const auto& [values, variance] : cases) {
    const auto size = static_cast<index_t>(values.size());
    for (index_t chunk = 1; chunk <= size; ++chunk) {
      const auto x = asarray(values, {.chunks = {chunk}});
      const auto columns = broadcast_to(reshape(x, {size, 1}), {size, 3});
      const auto group = zeros<std::int64_t>({size}, {.chunks = {chunk}});
      const auto [v, nv, wv, gv, cv, ncv, zv] =
          compute(var(x), nanvar(x), var(x, where(x == x)), groupby_reduce(x, group, op::var{}, 1),
                  var(columns, axis<0>), nanvar(columns, axis<0>), var(x * complex128(1, 0)));
      const auto expect = [&, expected = variance](double value, const char* name) {
        const bool is_equal = std::isnan(expected) ? std::isnan(value) : value == expected;
        EXPECT_TRUE(is_equal) << name << " of " << testing::PrintToString(values)
                              << " in chunks of " << chunk << ": " << value;
      };
      expect(v(), "var");
      expect(nv(), "nanvar");
      expect(wv(), "var where");
      expect(gv(0), "groups");
      for (const double value : cv.span()) expect(value, "columns");
      for (const double value : ncv.span()) expect(value, "nanvar of columns");
      if (!std::isnan(variance)) expect(zv(), "complex");
      expect(rolling_stddev(x, size).compute()(0), "window");
    }
  }
}

TEST(HardValues, ComplexNumbersWithANanPartAreLeftOut) {
  const auto z =
      asarray(ndarray<complex64, 1>::of({{1, 2}, {nan, 0}, {3, -2}, {0, nan}}), {.chunks = {3}});
  static_assert(std::same_as<decltype(nanvar(z))::value_type, float>);
  EXPECT_EQ(nanvar(z).compute()(), 5.0F);
  EXPECT_TRUE(std::isnan(var(z).compute()()));
  EXPECT_TRUE(std::isnan(nanvar(z, correction(2)).compute()()));
}

TEST(HardValues, NanvarWithoutADivisorIsNan) {
  const auto x = asarray({1.0, 2.0, nan});
  EXPECT_TRUE(std::isnan(nanvar(x, correction(2)).compute()()));
  EXPECT_TRUE(std::isnan(nanstd(x, correction(3)).compute()()));
  EXPECT_EQ(nanvar(x, correction(1)).compute()(), 0.5);
  EXPECT_EQ(var(asarray({1.0, 2.0}), correction(2)).compute()(), infinity);
}

TEST(HardValues, PositionsOfInfinitiesBehindNan) {
  for (const index_t chunk : {1, 2, 3}) {
    const auto x = asarray({nan, -infinity, nan}, {.chunks = {chunk}});
    EXPECT_EQ(nanargmax(x).compute()(), 1);
    EXPECT_EQ(nanargmin(-x).compute()(), 1);
    const auto rows =
        asarray({{nan, infinity, nan}, {infinity, nan, nan}, {nan, infinity, infinity}},
                {.chunks = {chunk, 3}});
    expect_values<std::int64_t, 1>(nanargmin(rows, axis<0>).compute(), {3}, {1, 0, 2});
    expect_values<std::int64_t, 1>(nanargmax(-rows, axis<0>).compute(), {3}, {1, 0, 2});
    expect_values<std::int64_t, 1>(nanargmin(astype<float>(rows), axis<1>).compute(), {3},
                                   {1, 0, 1});
  }
}

TEST(HardValues, RollingMeansOfGreatIntegers) {
  constexpr std::int64_t nanoseconds = 1700000000000000000;
  constexpr auto greatest = std::numeric_limits<std::int64_t>::max();
  constexpr auto greatest_unsigned = std::numeric_limits<std::uint64_t>::max();
  for (const index_t chunk : {1, 2, 7}) {
    expect_values(
        rolling_mean(asarray(std::vector<std::int64_t>(7, nanoseconds), {.chunks = {chunk}}), 6)
            .compute(),
        {2}, {1.7e18, 1.7e18});
    expect_values(
        rolling_mean(asarray(std::vector<std::int64_t>(3, greatest), {.chunks = {chunk}}), 2)
            .compute(),
        {2}, {0x1p63, 0x1p63});
    expect_values(
        rolling_mean(asarray(std::vector<std::uint64_t>(2, greatest_unsigned), {.chunks = {chunk}}),
                     2)
            .compute(),
        {1}, {0x1p64});
  }
}

// Source: NumPy since 1.24: zero if the exponent has a positive real part, else NaN.
TEST(HardValues, ComplexPowersOfZero) {
  const auto zeros = full<complex128>({1}, complex128());
  EXPECT_EQ(pow(zeros, complex128(0.5, 1e-3)).compute()(0), complex128());
  EXPECT_EQ(pow(astype<complex64>(zeros), complex64(2, -1)).compute()(0), complex64());
  EXPECT_EQ(float_power(zeros, complex128(1, -1)).compute()(0), complex128());
  EXPECT_TRUE(std::isnan(pow(zeros, complex128(0, 1)).compute()(0).real()));
  EXPECT_TRUE(std::isnan(pow(zeros, complex128(-1, 1)).compute()(0).real()));
}

TEST(HardValues, AveragesOfSmallFloatsStayInRange) {
  const auto h = full<float16>({2000}, float16(100.F));
  EXPECT_EQ(static_cast<float>(average(h, ones<float16>({2000})).compute()()), 100.F);
  const auto great = full<float16>({3000}, float16(126.F));
  EXPECT_EQ(static_cast<float>(average(great, great).compute()()), 126.F);
  const auto x = average(asarray({1e38F, 3e38F}), asarray({2.F, 2.F})).compute()();
  EXPECT_FLOAT_EQ(x, 2e38F);
}

// Their squares, or cubes, are beyond float32, or float16, on either side.
TEST(HardValues, NormsOfSmallFloatsStayInRange) {
  for (const float scale : {1e30F, 1e-30F}) {
    const auto x = asarray({3 * scale, 4 * scale}, {.chunks = {1}});
    EXPECT_FLOAT_EQ(vector_norm(x).compute()(), 5 * scale);
    EXPECT_FLOAT_EQ(matrix_norm(reshape(x, {1, 2})).compute()(), 5 * scale);
    EXPECT_FLOAT_EQ(norm(x, order<3>).compute()(), std::cbrt(91.F) * scale);
    EXPECT_FLOAT_EQ(vector_norm(x * complex64(0, 1)).compute()(), 5 * scale);
  }
  const auto h = astype<float16>(asarray({300.F, 400.F}));
  EXPECT_EQ(static_cast<float>(vector_norm(h).compute()()), 500.F);
}

// As float64, 2^53 + 1 would be 2^53.
TEST(HardValues, SetsOfIntegersOfDifferentSignsAreExact) {
  constexpr std::int64_t odd = (std::int64_t{1} << 53) + 1;
  for (const index_t chunk : {1, 4}) {
    const auto a = asarray(std::vector<std::int64_t>{odd, -1, 5}, {.chunks = {chunk}});
    const auto b =
        asarray(std::vector<std::uint64_t>{odd - 1, ~std::uint64_t{0}, 5}, {.chunks = {chunk}});
    expect_values(isin(a, b).compute(), {3}, {false, false, true});
    expect_values<std::int64_t, 1>(intersect1d(a, b), {1}, {5});
    expect_values<std::uint64_t, 1>(intersect1d(b, a), {1}, {5});
    expect_values<std::int64_t, 1>(setdiff1d(a, b), {2}, {-1, odd});
  }
}

TEST(HardValues, ElementsAreFoundAmongIntegersOfTheOtherSign) {
  constexpr std::int64_t odd = (std::int64_t{1} << 53) + 1;
  constexpr std::uint64_t above = std::uint64_t{1} << 63;
  for (const index_t chunk : {1, 3}) {
    const auto a = asarray(std::vector<std::int64_t>{-1, odd, 0}, {.chunks = {chunk}});
    const std::vector<std::uint64_t> values{0, odd - 1, odd, above};
    expect_values<std::int64_t, 1>(searchsorted(values, a).compute(), {3}, {0, 2, 0});
    expect_values<std::int64_t, 1>(searchsorted(values, a, right).compute(), {3}, {0, 3, 1});
    const auto b = asarray(std::vector<std::uint64_t>{above, odd, 0}, {.chunks = {chunk}});
    const std::vector<std::int64_t> with_negative{-1, 0, odd - 1};
    expect_values<std::int64_t, 1>(searchsorted(with_negative, b).compute(), {3}, {3, 3, 1});
  }
}

/// Integers near the least and the greatest value of every integer type, in order.
template <class T>
std::vector<T> integers_at_the_ends() {
  std::vector<T> values;
  const auto add = [&](auto value) {
    if (std::in_range<T>(value)) values.push_back(static_cast<T>(value));
  };
  const auto least = std::numeric_limits<std::int64_t>::min();
  for (const std::int64_t x : {least, least + 1, -(std::int64_t{1} << 40)}) add(x);
  for (const int x : {-32769, -129, -128, -1, 0, 1, 127, 128, 255, 256, 65535, 65536}) add(x);
  for (const int bits : {31, 32, 40, 53, 63}) {
    const std::uint64_t power = std::uint64_t{1} << bits;
    for (const std::uint64_t x : {power - 1, power, power + 1}) add(x);
  }
  add(~std::uint64_t{0});
  return values;
}

/// Expects the results of C++'s comparisons of `x[i]` and `number(i)`.
template <class X, class Y, class Number>
void expect_compared(const std::vector<X>& x, const Y& y, Number number) {
  const auto a = asarray(x, {.chunks = {3}});
  const auto [equal, not_equal, less, less_equal, greater, greater_equal, turned] =
      compute(a == y, a != y, a<y, a <= y, a> y, a >= y, y < a);
  for (index_t i = 0; i < a.size(); ++i) {
    const X lhs = x[static_cast<std::size_t>(i)];
    const auto rhs = number(static_cast<std::size_t>(i));
    SCOPED_TRACE(std::to_string(lhs) + ", " + std::to_string(rhs));
    EXPECT_EQ(equal(i), std::cmp_equal(lhs, rhs));
    EXPECT_EQ(not_equal(i), std::cmp_not_equal(lhs, rhs));
    EXPECT_EQ(less(i), std::cmp_less(lhs, rhs));
    EXPECT_EQ(less_equal(i), std::cmp_less_equal(lhs, rhs));
    EXPECT_EQ(greater(i), std::cmp_greater(lhs, rhs));
    EXPECT_EQ(greater_equal(i), std::cmp_greater_equal(lhs, rhs));
    EXPECT_EQ(turned(i), std::cmp_less(rhs, lhs));
  }
}

template <class T>
void expect_compared_with_numbers() {
  const std::vector<T> x = integers_at_the_ends<T>();
  const auto expect = [&](auto number) {
    expect_compared(x, number, [&](std::size_t) { return number; });
  };
  for (const std::int64_t number : integers_at_the_ends<std::int64_t>()) expect(number);
  for (const std::uint64_t number : integers_at_the_ends<std::uint64_t>()) expect(number);
}

TEST(HardValues, IntegersAreComparedWithNumbersOfAnySize) {
  expect_compared_with_numbers<std::uint8_t>();
  expect_compared_with_numbers<std::int32_t>();
  expect_compared_with_numbers<std::int64_t>();
  expect_compared_with_numbers<std::uint64_t>();
}

TEST(HardValues, IntegersOfDifferentSignsAreCompared) {
  const auto y = integers_at_the_ends<std::uint64_t>();
  for (const std::int64_t x : integers_at_the_ends<std::int64_t>()) {
    expect_compared(std::vector<std::int64_t>(y.size(), x), asarray(y, {.chunks = {4}}),
                    [&](std::size_t i) { return y[i]; });
    expect_compared(y, full<std::int64_t>({std::ssize(y)}, x), [&](std::size_t) { return x; });
  }
}

// As infinite numbers, which NumPy rounds them to.
TEST(HardValues, FloatsAreComparedWithNumbersBeyondThem) {
  const auto x = asarray({-3e38F, 3e38F, static_cast<float>(nan)});
  expect_values((x < 1e300).compute(), {3}, {true, true, false});
  expect_values((x <= -1e300).compute(), {3}, {false, false, false});
  expect_values((x != 1e300).compute(), {3}, {true, true, true});
  expect_values((astype<float16>(x) == 100000).compute(), {3}, {false, true, false});
}

TEST(HardValues, BoundsBeyondTheDtypeClipNothing) {
  const auto x = asarray(std::vector<std::uint8_t>{0, 7, 255});
  expect_values<std::uint8_t, 1>(clip(x, -1, 300).compute(), {3}, {0, 7, 255});
  expect_values<std::uint8_t, 1>(clip(x, 5, std::int64_t{1} << 40).compute(), {3}, {5, 7, 255});
  expect_values<std::uint8_t, 1>(clip(x, none, 300).compute(), {3}, {0, 7, 255});
  expect_values<std::uint8_t, 1>(clip(x, -1, none).compute(), {3}, {0, 7, 255});
  test::expect_error<value_error>([&] { static_cast<void>(clip(x, 300, 400)); }, {"300", "uint8"});
  expect_values<float, 1>(clip(asarray({1.F, -2.F}), -1e300, 1e300).compute(), {2}, {1, -2});
}

}  // namespace
}  // namespace tessera
