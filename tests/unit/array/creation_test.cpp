// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/creation.hpp"

#include "tessera/array/compute.hpp"
#include "tessera/array/from_memory.hpp"
#include "tessera/array/random.hpp"
#include "tessera/core/error.hpp"
#include "tessera/function/elementwise.hpp"
#include "tessera/function/statistical.hpp"

#include "unit/array/support.hpp"

#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <span>
#include <vector>

namespace tessera {
namespace {

using test::expect_error;
using test::expect_values;

TEST(Creation, ConstantsAreTheSameEverywhere) {
  expect_values<double, 2>(zeros<double>({2, 3}).compute(), {2, 3}, {0, 0, 0, 0, 0, 0});
  expect_values<std::uint8_t, 1>(ones<std::uint8_t>({3}).compute(), {3}, {1, 1, 1});
  expect_values<float, 2>(full<float>({1, 2}, 2.5F).compute(), {1, 2}, {2.5F, 2.5F});
  expect_values<bool, 1>(full<bool>({2}, true).compute(), {2}, {true, true});
  expect_values<double, 0>(full(std::array<index_t, 0>{}, 4.0).compute(), {}, {4.0});
  EXPECT_EQ(empty<int>({0, 5}).compute().size(), 0);
}

TEST(Creation, LikeTakesShapeDtypeAndChunks) {
  const auto x = zeros<float>({4, 6}, {.chunks = {2, 3}});
  const auto like = full_like(x, 3);
  static_assert(std::same_as<decltype(like)::value_type, float>);
  EXPECT_EQ(like.chunks(), (std::array<index_t, 2>{2, 3}));
  EXPECT_EQ(ones_like(x + 1).compute()(3, 5), 1.0F);
  EXPECT_EQ(zeros_like(x).shape(), x.shape());
}

TEST(Creation, ArangeFollowsNumPy) {
  expect_values<int, 1>(arange(5, {.chunks = {2}}).compute(), {5}, {0, 1, 2, 3, 4});
  expect_values<int, 1>(arange(10, 0, -3).compute(), {4}, {10, 7, 4, 1});
  expect_values<double, 1>(arange<double>(0, 1, 0.3).compute(), {4}, {0, 0.3, 0.6, 0.9});
  EXPECT_EQ(arange(3, 3).compute().size(), 0);
  expect_error<value_error>([] { static_cast<void>(arange(0, 3, 0)); }, {"arange", "step 0"});
}

// Expected: exact arithmetic of integers.
TEST(Creation, RangesOfIntegersCountWithoutRounding) {
  using limits = std::numeric_limits<std::int64_t>;
  const auto last = arange<std::int64_t>(limits::max() - 4, limits::max());
  expect_values<std::int64_t, 1>(
      last.compute(), {4},
      {limits::max() - 4, limits::max() - 3, limits::max() - 2, limits::max() - 1});
  const auto whole = arange<std::int64_t>(limits::min(), limits::max(), limits::max());
  expect_values<std::int64_t, 1>(whole.compute(), {3}, {limits::min(), -1, limits::max() - 1});
  const auto down = arange<std::int64_t>(limits::max(), limits::min(), limits::min());
  expect_values<std::int64_t, 1>(down.compute(), {2}, {limits::max(), -1});
  using unsigned_limits = std::numeric_limits<std::uint64_t>;
  const auto greatest =
      arange<std::uint64_t>(unsigned_limits::max() - 3, unsigned_limits::max(), 2);
  expect_values<std::uint64_t, 1>(greatest.compute(), {2},
                                  {unsigned_limits::max() - 3, unsigned_limits::max() - 1});
  EXPECT_EQ(arange<std::uint64_t>(5, 3).compute().size(), 0);
  EXPECT_EQ(arange<std::int8_t>(-128, 127).compute().size(), 255);
  expect_error<shape_error>(
      [] { static_cast<void>(arange<std::int64_t>(limits::min(), limits::max())); },
      {"arange", "2^63 - 1"});
}

TEST(Creation, LinspaceFollowsNumPy) {
  expect_values<double, 1>(linspace(1, 2, 5).compute(), {5}, {1, 1.25, 1.5, 1.75, 2});
  expect_values<double, 1>(linspace(0, 1, 4, {.endpoint = false}).compute(), {4},
                           {0, 0.25, 0.5, 0.75});
  expect_values<float, 1>(linspace<float>(3, 5, 1).compute(), {1}, {3});
}

TEST(Creation, MemoryIsReadInPlace) {
  std::vector<double> values{1, 2, 3, 4, 5, 6};
  const auto x = from_memory(values.data(), {2, 3}, {.chunks = {1, 2}});
  const auto y = from_memory(std::span<const double>(values), {6});
  const auto sum = x + 1;
  values[5] = 60;
  expect_values<double, 2>(sum.compute(), {2, 3}, {2, 3, 4, 5, 6, 61});
  EXPECT_EQ(y.compute()(5), 60);
  expect_error<shape_error>(
      [&] { static_cast<void>(from_memory(std::span<const double>(values), {7})); },
      {"from_memory", "6 elements", "(7,)"});
}

TEST(Creation, ChunksArePerAxisWholeOrAutomatic) {
  const auto x = zeros<double>({1000, 50, 7}, {.chunks = {100, whole, automatic}});
  EXPECT_EQ(x.chunks(), (std::array<index_t, 3>{100, 50, 7}));
  EXPECT_EQ(zeros<int>({5}, {.chunks = {9}}).chunks(), (std::array<index_t, 1>{5}));
  expect_error<shape_error>(
      [] {
        static_cast<void>(zeros<int>({5, 5}, {.chunks = {2}}));
      },
      {"zeros", "1 chunk lengths", "(5, 5)"});
  expect_error<value_error>([] { static_cast<void>(zeros<int>({5}, {.chunks = {-1}})); },
                            {"zeros", "axis 0", "-1", "at least 1"});
  expect_error<shape_error>([] { static_cast<void>(zeros<int>({-5})); }, {"zeros", "-5"});
}

TEST(Creation, AutomaticChunksAreSquareAndBounded) {
  const auto x = zeros<double>({100'000, 100'000});
  const auto [rows, columns] = x.chunks();
  EXPECT_NEAR(static_cast<double>(rows * columns) * 8, 100e6, 1e6);
  EXPECT_NEAR(static_cast<double>(rows), static_cast<double>(columns), 2);
  const spec small{.allowed_memory = bytes{1'000'000}};
  const auto y = zeros<double>({100'000, 100}, {.spec = small});
  EXPECT_LE(y.chunks()[0] * y.chunks()[1] * 8, 100'000);
  EXPECT_EQ(y.chunks()[1], 100);
}

TEST(Creation, AutomaticChunksAreLargeWhereRequestsTakeLong) {
  const auto bytes_of = [](const spec& limits) {
    const auto x = zeros<double>({100'000, 100'000}, {.spec = limits});
    return static_cast<double>(x.chunks()[0] * x.chunks()[1] * 8);
  };
  using namespace std::chrono_literals;
  const costs far{.read_bandwidth = bytes{1'000'000'000}, .latency = 50ms};
  // A request takes as long as 50 MB.
  EXPECT_NEAR(bytes_of({.allowed_memory = bytes{10'000'000'000}, .costs = far}), 500e6, 5e6);
  EXPECT_NEAR(bytes_of({.allowed_memory = bytes{2'000'000'000}, .costs = far}), 200e6, 2e6);
  EXPECT_NEAR(bytes_of({.allowed_memory = bytes{2'000'000'000},
                        .reserved_memory = bytes{1'500'000'000},
                        .costs = far}),
              50e6, 5e5);
  EXPECT_NEAR(bytes_of({.costs = costs::object_store()}), 100e6, 1e6);
}

TEST(Random, SeedAndPositionAloneDecide) {
  const auto a = random::uniform<double>({6, 7}, {.chunks = {2, 3}, .seed = 5}).compute();
  const auto b = random::uniform<double>({6, 7}, {.chunks = {6, 1}, .seed = 5}).compute();
  const auto c = random::uniform<double>({6, 7}, {.seed = 6}).compute();
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
}

TEST(Random, HasTheMomentsOfItsDistribution) {
  const auto u = random::uniform<double>({200'000}, {.seed = 1, .low = -1, .high = 3});
  const auto [mean_u, var_u, min_u, max_u] = compute(mean(u), var(u), min(u), max(u));
  EXPECT_NEAR(double{mean_u}, 1.0, 0.02);
  EXPECT_NEAR(double{var_u}, 16.0 / 12.0, 0.02);
  EXPECT_GE(double{min_u}, -1.0);
  EXPECT_LT(double{max_u}, 3.0);
  const auto n = random::normal<float>({200'000}, {.seed = 2, .mean = 4, .stddev = 2});
  const auto [mean_n, stddev_n] = compute(mean(n), stddev(n));
  EXPECT_NEAR(float{mean_n}, 4.0F, 0.03F);
  EXPECT_NEAR(float{stddev_n}, 2.0F, 0.03F);
}

}  // namespace
// At 10 GB/s and 50 ms for a request, ten times the bytes of a request are 5 GB.
TEST(Creation, ChoosesNoChunksThatCodecsDoNotTake) {
  const spec limits{
      .allowed_memory = bytes{64'000'000'000},
      .costs = {.read_bandwidth = bytes{10'000'000'000}, .latency = costs::seconds{50e-3}}};
  const auto x = zeros<double>({100'000, 100'000}, {.spec = limits});
  const auto chunks = x.chunks();
  EXPECT_LE(8 * chunks[0] * chunks[1], 1'000'000'000);
  EXPECT_GE(8 * chunks[0] * chunks[1], 900'000'000);
}

}  // namespace tessera
