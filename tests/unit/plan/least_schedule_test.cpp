// SPDX-License-Identifier: Apache-2.0

/// \file
/// Free axes, and matrices, are cut until a task keeps to the allowed memory.

#include "tessera/store/memory_store.hpp"
#include "tessera/tessera.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <memory>

namespace {

namespace ts = tessera;
using namespace ts::literals;

constexpr ts::bytes ample = 1_GB;

ts::spec within(ts::bytes memory) { return {.allowed_memory = memory, .costs = {.workers = 2}}; }

ts::array<float, 3> field(ts::bytes memory) {
  return ts::random::normal<float>({64, 60, 80},
                                   {.chunks = {4, 60, 80}, .spec = within(memory), .seed = 1});
}

template <class T, std::size_t N>
void expect_equal_bits(const ts::ndarray<T, N>& x, const ts::ndarray<T, N>& y) {
  ASSERT_EQ(x.shape(), y.shape());
  EXPECT_EQ(std::memcmp(x.data(), y.data(), sizeof(T) * static_cast<std::size_t>(x.size())), 0);
}

// The state of a window of 30 elements takes 30 x 8 B for each of 60 x 80 lines: 1.15 MB.
TEST(LeastSchedule, OfAScanHasFewLines) {
  const auto running = [](ts::bytes memory) {
    const auto u = field(memory);
    return ts::rolling_mean(u * u, 30, ts::axis<0>);
  };
  const auto store = std::make_shared<ts::memory_store>();
  const ts::store_options raw{.compressor = ts::codec::none{}};
  const auto plan = ts::plan(ts::stored(running(500_kB), store, "r", raw));
  EXPECT_LE(plan.projected_memory(), 500_kB);
  plan.compute();
  expect_equal_bits(ts::open<float, 3>(store, "r", within(ample)).compute(),
                    ts::plan(running(ample)).compute());
}

// A mean of each of 100 groups has a state of 16 B or more for each of 60 x 80 lines: 7.7 MB.
TEST(LeastSchedule, OfAFoldHasFewLines) {
  const auto means = [](ts::bytes memory) {
    const auto groups = ts::arange<std::int32_t>(64, {.chunks = {64}, .spec = within(memory)});
    return ts::groupby_reduce(field(memory), groups, ts::op::mean{}, 100, ts::axis<0>);
  };
  const auto plan = ts::plan(means(3_MB));
  EXPECT_LE(plan.projected_memory(), 3_MB);
  expect_equal_bits(plan.compute(), ts::plan(means(ample)).compute());
}

constexpr ts::index_t columns = 60;

/// A diagonal below a diagonal, in chunks of columns: the singular values are 5, 10, ..., 5 k.
ts::array<double, 2> tall(ts::bytes memory) {
  const auto diagonal =
      ts::eye<double>(columns, {.chunks = {columns, 10}, .spec = within(memory)}) *
      ts::arange<double>(1, columns + 1, 1, {.chunks = {10}, .spec = within(memory)});
  const auto zeros = ts::zeros<double>({30 * columns, columns},
                                       {.chunks = {30 * columns, 10}, .spec = within(memory)});
  return ts::rechunk(ts::concat(3.0 * diagonal, zeros, 4.0 * diagonal), {32 * columns, 10});
}

/// Returns three quarters of the memory of a task of `plan`, which holds the whole matrix.
template <class Plan>
ts::bytes less_than(const Plan& plan) {
  return ts::bytes{plan.projected_memory().count() * 3 / 4};
}

TEST(LeastSchedule, OfATallMatrixIsABlockOfItsRows) {
  const auto whole = ts::plan(ts::svdvals(tall(ample)));
  const ts::bytes allowed = less_than(whole);
  const auto plan = ts::plan(ts::svdvals(tall(allowed)));
  EXPECT_LE(plan.projected_memory(), allowed);
  // A run that goes on with other memory begins anew: the bits of the two differ.
  EXPECT_NE(plan.bounded().identity(), whole.bounded().identity());
  const auto singular = plan.compute();
  for (ts::index_t i = 0; i < columns; ++i) {
    EXPECT_NEAR(singular(i), 5.0 * static_cast<double>(columns - i), 1e-9);
  }
}

TEST(LeastSchedule, OfATallMatrixGivesItsFactors) {
  const auto [whole_q, whole_r] = ts::qr(tall(ample));
  const ts::bytes allowed = less_than(ts::plan(whole_q, whole_r));
  const auto [q, r] = ts::qr(tall(allowed));
  const auto plan = ts::plan(q, r);
  EXPECT_LE(plan.projected_memory(), allowed);
  const auto [values_q, values_r] = plan.compute();
  const auto product = ts::matmul(ts::asarray(values_q), ts::asarray(values_r));
  EXPECT_LT(ts::max(ts::abs(product - tall(ample))).compute()(), 1e-9);
}

// The first cut of a chunk needs a buffer for its part: 2.25 chunks of 8 MB, after 2.
TEST(LeastSchedule, OfAProductIsBehindACutThatSavesNothing) {
  const auto plan = ts::plan([] {
    const auto store = std::make_shared<ts::memory_store>();
    const auto x = ts::random::normal<double>({1000, 1000}, {.chunks = {1000, 1000}, .seed = 3});
    ts::store(x, store, "x", {.compressor = ts::codec::none{}});
    const auto stored = ts::open<double, 2>(store, "x", within(14_MB));
    return ts::matmul(stored, stored);
  }());
  EXPECT_LE(plan.projected_memory(), 14_MB);
}

}  // namespace
