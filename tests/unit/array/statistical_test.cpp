// SPDX-License-Identifier: Apache-2.0
#include "tessera/function/statistical.hpp"

#include "tessera/array/compute.hpp"
#include "tessera/array/from_memory.hpp"
#include "tessera/array/manipulation.hpp"
#include "tessera/array/windows.hpp"
#include "tessera/core/error.hpp"
#include "tessera/function/elementwise.hpp"
#include "tessera/function/rolling.hpp"
#include "tessera/function/running.hpp"

#include "unit/array/support.hpp"

#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <utility>

namespace tessera {
namespace {

using test::expect_error;
using test::expect_values;

// The expected values are NumPy's.

/// The numbers `i * 7 mod 11 - 4` in row-major order.
template <class T>
array<T, 3> sample(chunk_lengths chunks = {2, 3, 2}) {
  ndarray<T, 3> values({3, 4, 5});
  for (int i = 0; i < 60; ++i) values.data()[i] = static_cast<T>(i * 7 % 11 - 4);
  return asarray(std::move(values), {.chunks = std::move(chunks)});
}

TEST(Statistical, TakesConditions) {
  const auto is_high = sample<double>() > 3;
  static_assert(std::same_as<decltype(mean(is_high))::value_type, double>);
  static_assert(std::same_as<decltype(max(is_high))::value_type, bool>);
  expect_values<double, 0>(mean(is_high).compute(), {}, {0.26666666666666666});
  expect_values<double, 1>(nanmean(is_high, axis<0, 2>).compute(), {4},
                           {0.2, 0.3333333333333333, 0.26666666666666666, 0.26666666666666666});
  expect_values<double, 0>(stddev(is_high).compute(), {}, {0.44221663871405337});
  expect_values<bool, 1>(max(is_high, axis<0>)(0).compute(), {5}, {true, false, true, true, false});
  expect_values<bool, 1>(min(is_high, axis<0, 1>).compute(), {5},
                         {false, false, false, false, false});
  const auto weights = asarray({1.0, 2.0, 3.0}, {.chunks = {2}});
  expect_values<double, 1>(average(is_high, weights, axis<0>)(0).compute(), {5},
                           {0.3333333333333333, 0, 0.5, 0.16666666666666666, 0});
  expect_values<double, 2>(coarsen(op::mean{}, is_high, {1, 2, 1})(0).compute(), {2, 5},
                           {0, 0.5, 0, 0.5, 0.5, 0, 0, 0.5, 0, 0.5});
  const auto line = is_high(0, 0);
  expect_values<double, 1>(rolling_mean(line, 3).compute(), {3},
                           {0, 0.3333333333333333, 0.3333333333333333});
  expect_values<bool, 1>(rolling_max(line, 3).compute(), {3}, {false, true, true});
  expect_values<bool, 1>(cumulative_max(line).compute(), {5}, {false, false, false, true, true});
}

void expect_sums_and_means(const array<double, 3>& x) {
  expect_values<double, 0>((sum(x)).compute(), {}, {61.0});
  expect_values<double, 2>((sum(x, axis<0>)).compute(), {4, 5},
                           {1.0, 0.0, -1.0, 9.0,  -3.0, 7.0,  6.0, 5.0, 4.0, 3.0,
                            2.0, 1.0, 0.0,  -1.0, 9.0,  -3.0, 7.0, 6.0, 5.0, 4.0});
  expect_values<double, 2>(
      (sum(x, axis<1>)).compute(), {3, 5},
      {-4.0, 2.0, 8.0, 3.0, 9.0, 6.0, 12.0, -4.0, 2.0, 8.0, 5.0, 0.0, 6.0, 12.0, -4.0});
  expect_values<double, 2>((sum(x, axis<-1>)).compute(), {3, 4},
                           {6.0, 5.0, 4.0, 3.0, 2.0, 12.0, 0.0, 10.0, -2.0, 8.0, 7.0, 6.0});
  expect_values<double, 1>((sum(x, axis<0, 2>)).compute(), {4}, {6.0, 25.0, 11.0, 19.0});
  expect_values<double, 3>((sum(x, axis<2, 1>, keepdims)).compute(), {3, 1, 1}, {18.0, 24.0, 19.0});
  expect_values<double, 0>((mean(x)).compute(), {}, {1.0166666666666666});
  expect_values<double, 2>(
      (mean(x, axis<0>)).compute(), {4, 5},
      {0.3333333333333333,  0.0000000000000000,  -0.3333333333333333, 3.0000000000000000,
       -1.0000000000000000, 2.3333333333333335,  2.0000000000000000,  1.6666666666666667,
       1.3333333333333333,  1.0000000000000000,  0.6666666666666666,  0.3333333333333333,
       0.0000000000000000,  -0.3333333333333333, 3.0000000000000000,  -1.0000000000000000,
       2.3333333333333335,  2.0000000000000000,  1.6666666666666667,  1.3333333333333333});
  expect_values<double, 2>(
      (mean(x, axis<1>)).compute(), {3, 5},
      {-1.0, 0.5, 2.0, 0.75, 2.25, 1.5, 3.0, -1.0, 0.5, 2.0, 1.25, 0.0, 1.5, 3.0, -1.0});
  expect_values<double, 2>((mean(x, axis<-1>)).compute(), {3, 4},
                           {1.2, 1.0, 0.8, 0.6, 0.4, 2.4, 0.0, 2.0, -0.4, 1.6, 1.4, 1.2});
  expect_values<double, 1>((mean(x, axis<0, 2>)).compute(), {4},
                           {0.4, 1.6666666666666667, 0.7333333333333333, 1.2666666666666666});
  expect_values<double, 3>((mean(x, axis<2, 1>, keepdims)).compute(), {3, 1, 1}, {0.9, 1.2, 0.95});
}

void expect_extremes(const array<double, 3>& x) {
  expect_values<double, 0>((min(x)).compute(), {}, {-4.0});
  expect_values<double, 2>((min(x, axis<0>)).compute(), {4, 5},
                           {-4.0, -3.0, -4.0, 0.0,  -4.0, -2.0, -1.0, -2.0, -3.0, -2.0,
                            -3.0, -4.0, -3.0, -4.0, 0.0,  -4.0, -2.0, -1.0, -2.0, -3.0});
  expect_values<double, 2>(
      (min(x, axis<1>)).compute(), {3, 5},
      {-4.0, -4.0, -1.0, -3.0, -3.0, -3.0, 0.0, -4.0, -4.0, -1.0, -4.0, -3.0, -3.0, 0.0, -4.0});
  expect_values<double, 2>(
      (min(x, axis<-1>)).compute(), {3, 4},
      {-4.0, -3.0, -4.0, -3.0, -4.0, -2.0, -4.0, -2.0, -4.0, -2.0, -3.0, -4.0});
  expect_values<double, 1>((min(x, axis<0, 2>)).compute(), {4}, {-4.0, -3.0, -4.0, -4.0});
  expect_values<double, 3>((min(x, axis<2, 1>, keepdims)).compute(), {3, 1, 1}, {-4.0, -4.0, -4.0});
  expect_values<double, 0>((max(x)).compute(), {}, {6.0});
  expect_values<double, 2>((max(x, axis<0>)).compute(), {4, 5},
                           {4.0, 3.0, 4.0, 6.0, 2.0, 6.0, 5.0, 6.0, 5.0, 4.0,
                            5.0, 4.0, 3.0, 4.0, 6.0, 2.0, 6.0, 5.0, 6.0, 5.0});
  expect_values<double, 2>(
      (max(x, axis<1>)).compute(), {3, 5},
      {2.0, 5.0, 5.0, 6.0, 6.0, 6.0, 6.0, 2.0, 5.0, 5.0, 5.0, 3.0, 6.0, 6.0, 2.0});
  expect_values<double, 2>((max(x, axis<-1>)).compute(), {3, 4},
                           {6.0, 5.0, 6.0, 5.0, 4.0, 6.0, 4.0, 6.0, 4.0, 6.0, 5.0, 6.0});
  expect_values<double, 1>((max(x, axis<0, 2>)).compute(), {4}, {6.0, 6.0, 6.0, 6.0});
  expect_values<double, 3>((max(x, axis<2, 1>, keepdims)).compute(), {3, 1, 1}, {6.0, 6.0, 6.0});
}

void expect_variances(const array<double, 3>& x) {
  expect_values<double, 0>((var(x)).compute(), {}, {10.14972222222222});
  expect_values<double, 2>(
      (var(x, axis<0>)).compute(), {4, 5},
      {10.888888888888886, 6.0000000000000000, 10.888888888888888, 6.0000000000000000,
       6.0000000000000000, 10.888888888888891, 6.0000000000000000, 10.888888888888888,
       10.888888888888888, 6.0000000000000000, 10.888888888888888, 10.888888888888886,
       6.0000000000000000, 10.888888888888888, 6.0000000000000000, 6.0000000000000000,
       10.888888888888891, 6.0000000000000000, 10.888888888888888, 10.888888888888888});
  expect_values<double, 2>((var(x, axis<1>)).compute(), {3, 5},
                           {5.0, 13.25, 5.0, 11.1875, 11.1875, 13.25, 5.0, 5.0, 13.25, 5.0, 11.1875,
                            5.0, 13.25, 5.0, 5.0});
  expect_values<double, 2>((var(x, axis<-1>)).compute(), {3, 4},
                           {11.760000000000002, 10.0, 11.76, 8.24, 8.24, 8.24, 10.0, 10.0, 8.24,
                            8.24, 8.24, 11.760000000000002});
  expect_values<double, 1>(
      (var(x, axis<0, 2>)).compute(), {4},
      {9.840000000000002, 9.155555555555557, 10.328888888888889, 10.328888888888889});
  expect_values<double, 3>((var(x, axis<2, 1>, keepdims)).compute(), {3, 1, 1},
                           {10.49, 10.16, 9.747499999999999});
}

void expect_deviations(const array<double, 3>& x) {
  expect_values<double, 0>((stddev(x)).compute(), {}, {3.1858628693373197});
  expect_values<double, 2>(
      (stddev(x, axis<0>)).compute(), {4, 5},
      {3.299831645537221,  2.449489742783178,  3.2998316455372216, 2.449489742783178,
       2.449489742783178,  3.299831645537222,  2.449489742783178,  3.2998316455372216,
       3.2998316455372216, 2.449489742783178,  3.2998316455372216, 3.299831645537221,
       2.449489742783178,  3.2998316455372216, 2.449489742783178,  2.449489742783178,
       3.299831645537222,  2.449489742783178,  3.2998316455372216, 3.2998316455372216});
  expect_values<double, 2>(
      (stddev(x, axis<1>)).compute(), {3, 5},
      {2.23606797749979, 3.640054944640259, 2.23606797749979, 3.344772040064913, 3.344772040064913,
       3.640054944640259, 2.23606797749979, 2.23606797749979, 3.640054944640259, 2.23606797749979,
       3.344772040064913, 2.23606797749979, 3.640054944640259, 2.23606797749979, 2.23606797749979});
  expect_values<double, 2>(
      (stddev(x, axis<-1>)).compute(), {3, 4},
      {3.4292856398964497, 3.1622776601683795, 3.4292856398964493, 2.870540018881465,
       2.870540018881465, 2.870540018881465, 3.1622776601683795, 3.1622776601683795,
       2.870540018881465, 2.870540018881465, 2.870540018881465, 3.4292856398964497});
  expect_values<double, 1>(
      (stddev(x, axis<0, 2>)).compute(), {4},
      {3.1368774282716245, 3.0258148581093915, 3.2138588781850532, 3.2138588781850532});
  expect_values<double, 3>((stddev(x, axis<2, 1>, keepdims)).compute(), {3, 1, 1},
                           {3.2388269481403293, 3.1874754901018454, 3.1220986531498327});
}

TEST(Statistical, ReducesAlongAnyAxes) {
  const auto x = sample<double>();
  expect_sums_and_means(x);
  expect_extremes(x);
  expect_variances(x);
  expect_deviations(x);
}

TEST(Statistical, CorrectionIsTakenFromTheDivisor) {
  const auto x = sample<double>();
  expect_values<double, 2>(
      (var(x, axis<0>, correction(1))).compute(), {4, 5},
      {16.33333333333333,  9.0000000000000000, 16.333333333333332, 9.0000000000000000,
       9.0000000000000000, 16.333333333333336, 9.0000000000000000, 16.333333333333332,
       16.333333333333332, 9.0000000000000000, 16.333333333333332, 16.33333333333333,
       9.0000000000000000, 16.333333333333332, 9.0000000000000000, 9.0000000000000000,
       16.333333333333336, 9.0000000000000000, 16.333333333333332, 16.333333333333332});
  expect_values<double, 0>((stddev(x, correction(1.5))).compute(), {}, {3.2264487459080313});
}

TEST(Statistical, IntegersGetTheDtypesOfNumPy) {
  const auto x = sample<std::int16_t>();
  static_assert(std::same_as<decltype(sum(x))::value_type, std::int64_t>);
  static_assert(std::same_as<decltype(sum(astype<std::uint8_t>(x)))::value_type, std::uint64_t>);
  static_assert(std::same_as<decltype(mean(x))::value_type, double>);
  static_assert(std::same_as<decltype(min(x))::value_type, std::int16_t>);
  static_assert(std::same_as<decltype(mean(astype<float>(x)))::value_type, float>);
  static_assert(std::same_as<decltype(sum(x > 0))::value_type, std::int64_t>);
  expect_values<std::int64_t, 2>((sum(x, axis<1>)).compute(), {3, 5},
                                 {-4, 2, 8, 3, 9, 6, 12, -4, 2, 8, 5, 0, 6, 12, -4});
  expect_values<double, 2>((mean(x, axis<2>)).compute(), {3, 4},
                           {1.2, 1.0, 0.8, 0.6, 0.4, 2.4, 0.0, 2.0, -0.4, 1.6, 1.4, 1.2});
  expect_values<std::int16_t, 1>((max(x, axis<0, 1>)).compute(), {5}, {6, 6, 6, 6, 6});
  expect_values<std::int64_t, 0>((sum(x > 0)).compute(), {}, {33});
  expect_values<std::int64_t, 1>((prod(x(0, slice(0, 2), slice(0, 3)), axis<1>)).compute(), {2},
                                 {12, -10});
  expect_values<double, 2>(
      (var(x, axis<0>)).compute(), {4, 5},
      {10.888888888888886, 6.0000000000000000, 10.888888888888888, 6.0000000000000000,
       6.0000000000000000, 10.888888888888891, 6.0000000000000000, 10.888888888888888,
       10.888888888888888, 6.0000000000000000, 10.888888888888888, 10.888888888888886,
       6.0000000000000000, 10.888888888888888, 6.0000000000000000, 6.0000000000000000,
       10.888888888888891, 6.0000000000000000, 10.888888888888888, 10.888888888888888});
}

TEST(Statistical, AnyAndAll) {
  const auto x = sample<double>();
  expect_values<bool, 2>((any(x == 6.0, axis<1>)).compute(), {3, 5},
                         {false, false, false, true, true, true, true, false, false, false, false,
                          false, true, true, false});
  expect_values<bool, 2>((all(x > -4, axis<0>)).compute(), {4, 5},
                         {false, true,  false, true,  false, true,  true, true, true, true,
                          true,  false, true,  false, true,  false, true, true, true, true});
  expect_values<bool, 0>((any(x)).compute(), {}, {true});
  expect_values<bool, 0>((all(x, axis<0, 1, 2>)).compute(), {}, {false});
}

TEST(Statistical, FoldsWholeExpressions) {
  const auto x = sample<double>();
  expect_values<double, 2>(
      (mean(x * x + 1, axis<0>)).compute(), {4, 5},
      {12.000000000000000, 7.0000000000000000, 12.000000000000000, 16.000000000000000,
       8.0000000000000000, 17.333333333333332, 11.000000000000000, 14.666666666666666,
       13.666666666666666, 8.0000000000000000, 12.333333333333334, 12.000000000000000,
       7.0000000000000000, 12.000000000000000, 16.000000000000000, 8.0000000000000000,
       17.333333333333332, 11.000000000000000, 14.666666666666666, 13.666666666666666});
  expect_values<double, 3>(
      ((x - mean(x, axis<0>, keepdims)) / stddev(x, axis<0>, keepdims)).compute(), {3, 4, 5},
      {-1.3131983079178742, 1.2247448713915892,  -0.2020305089104422,  1.2247448713915892,
       1.2247448713915892,  -1.313198307917874,  1.2247448713915892,   -0.2020305089104422,
       -1.313198307917874,  1.2247448713915892,  -0.20203050891044214, -1.3131983079178742,
       1.2247448713915892,  -0.2020305089104422, 1.2247448713915892,   1.2247448713915892,
       -1.313198307917874,  1.2247448713915892,  -0.2020305089104422,  -1.313198307917874,
       1.111167799007432,   0.0000000000000000,  -1.1111677990074318,  0.0000000000000000,
       0.0000000000000000,  1.1111677990074318,  0.0000000000000000,   -1.111167799007432,
       1.111167799007432,   0.0000000000000000,  -1.1111677990074318,  1.111167799007432,
       0.0000000000000000,  -1.1111677990074318, 0.0000000000000000,   0.0000000000000000,
       1.1111677990074318,  0.0000000000000000,  -1.111167799007432,   1.111167799007432,
       0.20203050891044222, -1.2247448713915892, 1.313198307917874,    -1.2247448713915892,
       -1.2247448713915892, 0.20203050891044208, -1.2247448713915892,  1.313198307917874,
       0.2020305089104422,  -1.2247448713915892, 1.313198307917874,    0.20203050891044222,
       -1.2247448713915892, 1.313198307917874,   -1.2247448713915892,  -1.2247448713915892,
       0.20203050891044208, -1.2247448713915892, 1.313198307917874,    0.2020305089104422});
  expect_values<double, 2>((sum(permute_dims(x, axis<2, 0, 1>), axis<0>)).compute(), {3, 4},
                           {6.0, 5.0, 4.0, 3.0, 2.0, 12.0, 0.0, 10.0, -2.0, 8.0, 7.0, 6.0});
  expect_values<double, 0>((max(sum(x, axis<1>))).compute(), {}, {12.0});
}

TEST(Statistical, ChunksDoNotChangeResults) {
  const ndarray<double, 2> expected = var(sample<double>(whole), axis<1>).compute();
  for (const chunk_lengths& chunks :
       {chunk_lengths{1, 1, 1}, chunk_lengths{3, 1, 5}, chunk_lengths{2, 4, 3}}) {
    const ndarray<double, 2> variances = var(sample<double>(chunks), axis<1>).compute();
    for (index_t i = 0; i < variances.size(); ++i) {
      EXPECT_NEAR(variances.data()[i], expected.data()[i], 1e-14);
    }
  }
}

TEST(Statistical, NoElementsGiveTheIdentity) {
  const auto x = zeros<double>({0, 3});
  expect_values<double, 1>(sum(x, axis<0>).compute(), {3}, {0, 0, 0});
  expect_values<double, 1>(prod(x, axis<0>).compute(), {3}, {1, 1, 1});
  expect_values<bool, 1>(all(x, axis<0>).compute(), {3}, {true, true, true});
  EXPECT_EQ(sum(x, axis<1>).compute().size(), 0);
  EXPECT_TRUE(std::isnan(mean(x, axis<0>).compute()(1)));
}

TEST(Statistical, ExtremesOfNothingAreRefused) {
  const auto x = zeros<double>({0, 3});
  expect_error<shape_error>([&] { static_cast<void>(max(x, axis<0>)); },
                            {"max", "axis 0", "(0, 3)"});
  EXPECT_EQ(min(x, axis<1>).compute().size(), 0);
}

TEST(Statistical, ReducingNoAxisChangesNothing) {
  const auto x = asarray(ndarray<double, 1>::of({1, 2, 3}));
  expect_values<double, 1>(sum(x, axis<>).compute(), {3}, {1, 2, 3});
  expect_values<double, 0>(sum(sum(x)).compute(), {}, {6});
}

TEST(Statistical, NanSpreads) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto x = asarray(ndarray<double, 1>::of({1, nan, 3}), {.chunks = {1}});
  EXPECT_TRUE(std::isnan(double{max(x).compute()}));
  EXPECT_TRUE(std::isnan(double{mean(x).compute()}));
}

}  // namespace
}  // namespace tessera
