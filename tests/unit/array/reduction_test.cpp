// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/compute.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/array/from_memory.hpp"
#include "tessera/array/manipulation.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/core/error.hpp"
#include "tessera/function/elementwise.hpp"
#include "tessera/function/statistical.hpp"

#include "unit/array/support.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using test::expect_error;
using test::expect_values;

/// The numbers `i * 7 mod 11 - 4` in row-major order.
template <class T>
array<T, 3> sample(chunk_lengths chunks = {2, 3, 2}) {
  ndarray<T, 3> values({3, 4, 5});
  for (int i = 0; i < 60; ++i) values.data()[i] = static_cast<T>(i * 7 % 11 - 4);
  return asarray(std::move(values), {.chunks = std::move(chunks)});
}

TEST(Reduction, AnAxisMayBeKnownAtRunTimeAlone) {
  const auto x = sample<double>();
  for (const int k : {0, 1, -1}) {
    const auto at_run_time = sum(x, axis_at(k), keepdims).compute();
    const auto known = (k == 0   ? sum(x, axis<0>).compute()
                        : k == 1 ? sum(x, axis<1>).compute()
                                 : sum(x, axis<2>).compute());
    ASSERT_EQ(at_run_time.size(), known.size());
    for (index_t i = 0; i < known.size(); ++i) EXPECT_EQ(at_run_time.data()[i], known.data()[i]);
  }
  expect_error<shape_error>([&] { static_cast<void>(mean(x, axis_at(3))); },
                            {"mean: axis 3 is not in [-3, 3)", "rank 3"});
}

TEST(Reduction, WhatCannotBeKeptIsRefused) {
  const auto x = zeros<double>({4, 3});
  expect_error<shape_error>([&] { static_cast<void>(topk(x, 5, axis<0>)); },
                            {"topk: k is 5", "axis 0 has 4 elements"});
  expect_error<shape_error>([&] { static_cast<void>(argtopk(x, 0, axis<0>)); },
                            {"argtopk: k is 0"});
  expect_error<shape_error>(
      [&] {
        static_cast<void>(argmax(zeros<double>({0, 3}), axis<0>));
      },
      {"argmax", "axis 0", "(0, 3)"});
}

TEST(Reduction, GroupsThatAreNoneAreRefused) {
  const auto x = zeros<double>({4, 3});
  const auto labels = zeros<int>({4});
  expect_error<shape_error>(
      [&] { static_cast<void>(groupby_reduce(x, labels, op::sum{}, 0, axis<0>)); },
      {"groupby_reduce: 0 groups"});
  expect_error<shape_error>(
      [&] { static_cast<void>(groupby_reduce(x, labels, op::sum{}, 2, axis<1>)); },
      {"sum", "(4, 3)", "(1, 4)"});
  expect_error<value_error>(
      [&] {
        static_cast<void>(histogram(x, bins{0, 0, 1}));
      },
      {"histogram: 0 bins"});
  expect_error<value_error>(
      [&] {
        static_cast<void>(histogram(x, bins{3, 1, 1}));
      },
      {"histogram", "from 1 to 1"});
  // Neighbouring doubles are 128 apart there.
  expect_error<value_error>(
      [&] {
        static_cast<void>(histogram(x, bins{100, 1e18, 1e18 + 12'800}));
      },
      {"histogram: 100 bins", "128 wide", "at most 14 bins"});
  const std::vector<double> edges{0, 2, 1};
  expect_error<value_error>([&] { static_cast<void>(histogram(x, edges)); },
                            {"histogram: edge 2 is 1", "ascend"});
  expect_error<value_error>([&] { static_cast<void>(digitize(x, edges)); }, {"ascend or descend"});
}

// With any instructions of the compiler: an edge that is a product and a sum in one rounding is
// another number.
TEST(Reduction, EdgesOfBinsAreInTheBinsThatTheyBegin) {
  for (const index_t count : {7, 10, 33, 100}) {
    for (const double low : {-12.5, -1.7, 0.1, 3.3}) {
      for (const double width : {0.001, 0.7, 4.8, 25.0}) {
        const bins even{count, low, low + width};
        std::vector<std::int64_t> expected(static_cast<std::size_t>(count), 1);
        // The last bin has both of its ends.
        expected.back() = 2;
        const auto counts = histogram(asarray(even.edges()), even).compute();
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), counts.span().begin()))
            << count << " bins from " << low << " to " << low + width;
        std::vector<double> below = even.edges();
        for (double& edge : below) edge = std::nextafter(edge, -HUGE_VAL);
        expected.back() = 1;
        const auto before = histogram(asarray(below), even).compute();
        EXPECT_TRUE(std::equal(expected.begin(), expected.end(), before.span().begin()))
            << "below " << count << " bins from " << low << " to " << low + width;
      }
    }
  }
}

TEST(Reduction, TooManyGroupsAreRefusedWithTheirNumber) {
  const spec small{.allowed_memory = bytes{1'000'000}};
  const auto x = zeros<double>({4, 100}, {.chunks = {4, 100}, .spec = small});
  const auto labels = zeros<int>({4}, {.spec = small});
  expect_error<memory_error>(
      [&] { static_cast<void>(plan(groupby_reduce(x, labels, op::sum{}, 100'000, axis<0>))); },
      {"state of sum of 100000 groups"});
}

TEST(Reduction, GroupsOfNothingAreWhatReductionsOfNothingAre) {
  const auto x = zeros<double>({0, 2});
  const auto labels = zeros<int>({0});
  expect_values<double, 2>(groupby_reduce(x, labels, op::sum{}, 2, axis<0>).compute(), {2, 2},
                           {0, 0, 0, 0});
  EXPECT_TRUE(std::isnan(groupby_reduce(x, labels, op::max{}, 2, axis<0>).compute()(1, 1)));
  expect_values<std::int64_t, 1>(bincount(zeros<int>({0}), 3).compute(), {3}, {0, 0, 0});
}

/// The least and the greatest element, as two results.
struct extremes_of {
  using state = std::tuple<double, double>;
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr state identity{infinity, -infinity};
  static state take(const state& s, double x) {
    return {std::min(std::get<0>(s), x), std::max(std::get<1>(s), x)};
  }
  static state merge(const state& a, const state& b) {
    return {std::min(std::get<0>(a), std::get<0>(b)), std::max(std::get<1>(a), std::get<1>(b))};
  }
  static std::tuple<double, double> finish(const state& s) { return s; }
};

/// A sum of products of two arrays.
struct dot_of {
  using state = double;
  static constexpr state identity = 0;
  static state take(state s, double a, double b) { return s + a * b; }
  static state merge(state a, state b) { return a + b; }
};

/// Digits in a row: a monoid that does not commute.
struct digits_of {
  using state = std::tuple<std::int64_t, std::int64_t>;
  static constexpr state identity{0, 1};
  static state take(const state& s, int digit) {
    return {std::get<0>(s) * 10 + digit, std::get<1>(s) * 10};
  }
  static state merge(const state& a, const state& b) {
    return {std::get<0>(a) * std::get<1>(b) + std::get<0>(b), std::get<1>(a) * std::get<1>(b)};
  }
  static std::int64_t finish(const state& s) { return std::get<0>(s); }
};

TEST(Reduction, ReducesByMonoidsOfTheUsers) {
  const auto x = sample<double>();
  const auto [low, high] = reduction(extremes_of{}, x, axis<0>);
  const auto [lows, highs] = plan(low, high).compute();
  const auto least = min(x, axis<0>).compute();
  const auto greatest = max(x, axis<0>).compute();
  for (index_t i = 0; i < least.size(); ++i) {
    EXPECT_EQ(lows.data()[i], least.data()[i]);
    EXPECT_EQ(highs.data()[i], greatest.data()[i]);
  }
  EXPECT_EQ(plan(low, high).num_operations(), 1U) << "one walk";
  EXPECT_EQ(double{reduction(dot_of{}, x, x).compute()}, double{sum(x * x).compute()});
  EXPECT_EQ(double{reduction(dot_of{}, x, x, where(x > 0.0)).compute()},
            double{sum(x * x, where(x > 0.0)).compute()});
}

TEST(Reduction, StatesMeetInTheOrderOfTheirAxis) {
  const auto digits =
      asarray(ndarray<int, 2>({17, 2}, {1, 9, 2, 8, 3, 7, 4, 6, 5, 5, 6, 4, 7, 3, 8, 2, 9,
                                        1, 1, 9, 2, 8, 3, 7, 4, 6, 5, 5, 6, 4, 7, 3, 8, 2}),
              {.chunks = {5, 1}});
  expect_values<std::int64_t, 1>(reduction(digits_of{}, digits, axis<0>).compute(), {2},
                                 {12345678912345678, 98765432198765432});
  const auto row = permute_dims(digits, axis<1, 0>);
  expect_values<std::int64_t, 1>(reduction(digits_of{}, row, axis<1>).compute(), {2},
                                 {12345678912345678, 98765432198765432});
}

}  // namespace
}  // namespace tessera
