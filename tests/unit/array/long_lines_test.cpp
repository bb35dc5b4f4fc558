// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/axis_order.hpp"
#include "tessera/array/compute.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/array/from_memory.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/array/random.hpp"
#include "tessera/array/store_target.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/function/conversion.hpp"
#include "tessera/function/quantiles.hpp"
#include "tessera/function/sorting.hpp"
#include "tessera/function/sums.hpp"
#include "tessera/store/memory_store.hpp"

#include "unit/array/support.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gmock/gmock.h>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace tessera {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Returns the text of a plan.
template <class... Es>
std::string words_of(const Es&... es) {
  std::ostringstream out;
  out << plan(es...);
  return out.str();
}

/// Returns a line in a store, of which a task may take `allowed`.
template <class T>
array<T, 1> line_of(const std::vector<T>& values, index_t chunk, bytes allowed) {
  ndarray<T, 1> elements({static_cast<index_t>(values.size())});
  std::copy(values.begin(), values.end(), elements.data());
  auto store = std::make_shared<memory_store>();
  (void)plan(stored(asarray(std::move(elements), {.chunks = {chunk}}), store, "x",
                    {.compressor = codec::none{}}))
      .compute();
  return open<T, 1>(store, "x", spec{.allowed_memory = allowed});
}

template <class T>
std::vector<T> list_of(const ndarray<T, 1>& values) {
  return {values.data(), values.data() + values.size()};
}

/// Lines of each kind that is hard on who splits by values.
std::vector<std::vector<float>> hard_lines(std::size_t size) {
  std::vector<std::vector<float>> lines(6, std::vector<float>(size, 3.5F));
  std::mt19937 random(7);
  for (std::size_t i = 0; i < size; ++i) {
    lines[1][i] = static_cast<float>(i);
    lines[2][i] = -static_cast<float>(i);
    lines[3][i] = i % 1000 == 0 ? std::ldexp(1.0F, static_cast<int>(i / 1000) - 60) : 1.0F;
    lines[4][i] = i % 3 == 0 ? std::numeric_limits<float>::infinity() : 0.0F;
    lines[5][i] = static_cast<float>(random() % 100'000) * (random() % 2 == 0 ? 1e-30F : -1e30F);
  }
  return lines;
}

constexpr index_t size = 200'000;
constexpr bytes less_than_line{700'000};

TEST(LongLines, AreSortedWhateverTheyHold) {
  for (std::vector<float>& values : hard_lines(size)) {
    const array<float, 1> x = line_of(values, 7001, less_than_line);
    const auto sorted = sort(x).compute();
    const auto positions = argsort(x, descending).compute();
    std::vector<std::int64_t> expected(values.size());
    std::iota(expected.begin(), expected.end(), std::int64_t{0});
    std::stable_sort(expected.begin(), expected.end(), [&](std::int64_t a, std::int64_t b) {
      return values[static_cast<std::size_t>(a)] > values[static_cast<std::size_t>(b)];
    });
    EXPECT_EQ(list_of(positions), expected);
    std::sort(values.begin(), values.end());
    EXPECT_EQ(list_of(sorted), values);
  }
}

TEST(LongLines, HaveTheMediansOfSortedOnes) {
  for (std::vector<float>& values : hard_lines(size)) {
    const array<float, 1> x = line_of(values, 7001, less_than_line);
    const float result = median(x).compute()();
    const float lower = quantile(x, 0.25, quantile_method::lower).compute()();
    std::sort(values.begin(), values.end());
    const double middle =
        (static_cast<double>(values[size / 2 - 1]) + static_cast<double>(values[size / 2])) / 2;
    EXPECT_EQ(result, static_cast<float>(middle));
    EXPECT_EQ(lower, values[(size - 1) / 4]);
  }
}

TEST(LongLines, KeepTheOrderOfZerosAndPutNanBehind) {
  std::vector<double> values;
  std::mt19937 random(3);
  for (index_t i = 0; i < size; ++i) {
    const auto kind = random() % 10;
    values.push_back(kind == 0   ? std::numeric_limits<double>::quiet_NaN()
                     : kind == 1 ? 1.0
                     : kind < 5  ? 0.0
                                 : -0.0);
  }
  const auto sorted = sort(line_of(values, 10'000, bytes{900'000})).compute();
  std::vector<bool> expected;
  std::vector<bool> signs;
  for (const double value : values) {
    if (value == 0) expected.push_back(std::signbit(value));
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    signs.push_back(std::signbit(sorted.data()[i]));
  }
  EXPECT_EQ(signs, expected);
  EXPECT_EQ(std::count(values.begin(), values.end(), 1.0),
            std::count(sorted.data(), sorted.data() + size, 1.0));
  EXPECT_TRUE(std::isnan(sorted.data()[size - 1]));
  EXPECT_FALSE(
      std::isnan(sorted.data()[static_cast<std::size_t>(std::count_if(
                                   values.begin(), values.end(), [](double x) { return x == x; })) -
                               1]));
}

TEST(LongLines, AreTakenInPassesOnlyWhereNoTaskHoldsOne) {
  const std::vector<float> values(size, 1.0F);
  const array<float, 1> fits = line_of(values, 7001, bytes{4'000'000});
  EXPECT_THAT(words_of(median(fits)), Not(HasSubstr("pass 1")));
  EXPECT_THAT(words_of(sort(fits)), Not(HasSubstr("pass 1")));
  const array<float, 1> x = line_of(values, 7001, less_than_line);
  EXPECT_THAT(words_of(median(x)), HasSubstr("median: count, pass 1 of 3"));
  EXPECT_THAT(words_of(argsort(x)), HasSubstr("argsort: count, pass 1 of "));
}

TEST(LongLines, AreReadOnceForEachPassAndEachRun) {
  const std::vector<std::uint16_t> values(1'000'000, 5);
  const array<std::uint16_t, 1> x = line_of(values, 50'000, bytes{1'700'000});
  const auto once = plan(sum(x)).bytes_read().count();
  EXPECT_THAT(words_of(median(x)), HasSubstr("count by digit(x, median: next digit)"));
  const auto passes = plan(median(x)).bytes_read().count();
  EXPECT_GE(passes, 2 * once);
  EXPECT_LE(passes, 3 * once);
  // A run takes a megabyte.
  const auto runs = plan(sort(x)).bytes_read().count();
  EXPECT_GE(runs, 4 * once);
  EXPECT_LE(runs, 5 * once);
}

TEST(LongLines, GiveTheSameOnEveryExecutor) {
  const array<float, 1> x = line_of(hard_lines(size)[5], 7001, less_than_line);
  const run_with serial{.executor = executors::serial()};
  const run_with threads{.executor = executors::threads(3)};
  EXPECT_EQ(list_of(sort(x).compute(serial)), list_of(sort(x).compute(threads)));
  const auto some = quantile(x, {0.1, 0.9});
  EXPECT_EQ(list_of(some.compute(serial)), list_of(some.compute(threads)));
}

TEST(LongLines, TravelToProcesses) {
  const auto x = astype<float>(random::uniform<double>(
      {size}, {.chunks = {10'000}, .spec = spec{.allowed_memory = less_than_line}}));
  const run_with here{.executor = executors::serial()};
  const run_with there{.executor = executors::processes(2)};
  EXPECT_EQ(list_of(sort(x).compute(there)), list_of(sort(x).compute(here)));
  const auto some = nanquantile(x, {0.1, 0.9});
  EXPECT_EQ(list_of(some.compute(there)), list_of(some.compute(here)));
}

/// Returns columns, each with the numbers below `size` times some number, in its own order.
ndarray<double, 2> columns_of(index_t count) {
  ndarray<double, 2> values({size, count});
  for (index_t i = 0; i < size; ++i) {
    for (index_t j = 0; j < count; ++j) {
      values(i, j) = static_cast<double>((i * 7919 + j * 31) % size * (j + 1));
    }
  }
  return values;
}

TEST(LongLines, OfSeveralAxesAreSorted) {
  constexpr index_t count = 5;
  auto store = std::make_shared<memory_store>();
  const auto in_memory = asarray(columns_of(count), {.chunks = {7001, 2}});
  (void)plan(stored(in_memory, store, "columns"), stored(in_memory.T(), store, "rows")).compute();
  const spec little{.allowed_memory = bytes{1'400'000}};
  const auto columns = open<double, 2>(store, "columns", little);
  const auto rows = open<double, 2>(store, "rows", little);
  EXPECT_THAT(words_of(sort(columns, axis<0>)), HasSubstr("sort: count, pass 1 of "));
  EXPECT_LE(plan(sort(columns, axis<0>)).projected_memory(), little.allowed_memory);
  const auto sorted = sort(columns, axis<0>).compute();
  const auto of_rows = sort(rows, axis<1>, descending).compute();
  const auto positions = argsort(columns, axis<0>).compute();
  const auto values = columns_of(count);
  for (index_t i = 0; i < size; ++i) {
    for (index_t j = 0; j < count; ++j) {
      const auto expected = static_cast<double>(i * (j + 1));
      ASSERT_EQ(sorted(i, j), expected) << i << ", " << j;
      ASSERT_EQ(of_rows(j, size - 1 - i), expected) << i << ", " << j;
      ASSERT_EQ(values(positions(i, j), j), expected) << i << ", " << j;
    }
  }
}

// Of sixteen lines in a chunk, each would be read for all of them: they are copied apart before.
TEST(LongLines, SideBySideAreCopiedApart) {
  constexpr index_t length = 150'000;
  constexpr bytes little{1'200'000};
  const auto x = random::uniform<double>({length, 16}, {.chunks = {1000, 16}});
  auto store = std::make_shared<memory_store>();
  (void)plan(stored(x, store, "x", {.compressor = codec::none{}})).compute();
  const auto lines = open<double, 2>(store, "x", spec{.allowed_memory = little});
  EXPECT_THAT(words_of(sort(lines, axis<0>)), HasSubstr("sort: lines"));
  const auto sorted = plan(sort(lines, axis<0>));
  const auto once = plan(sum(lines)).bytes_read().count();
  // Eight passes, a copy, and four runs of each line.
  EXPECT_LE(sorted.bytes_read().count(), 14 * once);
  const auto values = sorted.compute();
  const auto expected =
      sort(open<double, 2>(store, "x", spec{.allowed_memory = bytes{200'000'000}}), axis<0>)
          .compute();
  for (index_t i = 0; i < length; ++i) {
    for (index_t j = 0; j < 16; ++j) ASSERT_EQ(values(i, j), expected(i, j)) << i << ", " << j;
  }
}

}  // namespace
}  // namespace tessera
