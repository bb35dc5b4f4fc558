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

// A diagonal below a diagonal, in chunks of columns: the singular values are 5, 10, ..., 5 k.
TEST(LeastSchedule, OfATallMatrixIsABlockOfItsRows) {
  constexpr ts::index_t columns = 60;
  const auto values = [](ts::bytes memory) {
    const auto diagonal =
        ts::eye<double>(columns, {.chunks = {columns, 10}, .spec = within(memory)}) *
        ts::arange<double>(1, columns + 1, 1, {.chunks = {10}, .spec = within(memory)});
    const auto zeros = ts::zeros<double>({30 * columns, columns},
                                         {.chunks = {30 * columns, 10}, .spec = within(memory)});
    return ts::svdvals(
        ts::rechunk(ts::concat(3.0 * diagonal, zeros, 4.0 * diagonal), {32 * columns, 10}));
  };
  const ts::bytes whole = ts::plan(values(ample)).projected_memory();
  const ts::bytes allowed{whole.count() * 3 / 4};
  const auto plan = ts::plan(values(allowed));
  EXPECT_LE(plan.projected_memory(), allowed);
  const auto singular = plan.compute();
  for (ts::index_t i = 0; i < columns; ++i) {
    EXPECT_NEAR(singular(i), 5.0 * static_cast<double>(columns - i), 1e-9);
  }
}

}  // namespace
