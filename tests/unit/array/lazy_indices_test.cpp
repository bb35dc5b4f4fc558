// SPDX-License-Identifier: Apache-2.0
/// \file
/// Indices that are lazy arrays: their reads, memory and refusals. print_gathers.cpp compares
/// values with NumPy's.

#include "tessera/tessera.hpp"

#include "unit/array/counting_store.hpp"
#include "unit/array/support.hpp"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>

namespace tessera {
namespace {

using test::counting_store;
using test::expect_error;

constexpr index_t chunk = 8;
constexpr index_t num_chunks = 16;
constexpr index_t extent = chunk * num_chunks;

/// Numbers in 16 by 16 chunks, and the same order of rows for each column and for all; the store
/// counts.
class LazyIndices : public ::testing::Test {
 protected:
  LazyIndices() {
    store(reshape(arange<double>(extent * extent), {extent, extent}) + 0, store_, "x",
          {.chunks = {chunk, chunk}, .compressor = codec::none{}});
    const auto rows = (arange<std::int64_t>(extent) * 77) % index_t{extent};
    store(rows, store_, "rows", {.chunks = {chunk}, .compressor = codec::none{}});
    store(broadcast_to(rows(whole, newaxis), {extent, extent}) + 0, store_, "each",
          {.chunks = {chunk, chunk}, .compressor = codec::none{}});
  }

  [[nodiscard]] static spec with(std::size_t allowed) {
    return {.allowed_memory = bytes{allowed}, .intermediate_compressor = "none"};
  }
  template <class T, std::size_t N>
  [[nodiscard]] array<T, N> open_in(const char* name, std::size_t allowed) const {
    return open<T, N>(store_, name, with(allowed));
  }

  struct counted {
    long planned = 0;
    long read = 0;
    index_t num_tasks = 0;
  };

  /// Computes an expression that takes rows, and expects these rows.
  template <class E>
  counted run(const E& expression) {
    const auto computed = plan(expression, run_with{.executor = executors::serial()});
    const long before = store_->num_reads();
    const auto result = computed.compute();
    const long read = store_->num_reads() - before;
    for (index_t i = 0; i < result.size(); ++i) {
      const index_t row = i / extent * 77 % extent;
      EXPECT_EQ(result.data()[i], static_cast<double>(row * extent + i % extent)) << "at " << i;
      if (HasFailure()) break;
    }
    return {static_cast<long>(computed.bytes_read().count()), read, computed.num_tasks()};
  }

  std::shared_ptr<counting_store> store_ = std::make_shared<counting_store>();
};

constexpr long x_chunks = num_chunks * num_chunks;
constexpr long x_bytes = extent * extent * 8;

TEST_F(LazyIndices, ReadEachChunkOnceWhereABlockTakesTheWholeList) {
  constexpr std::size_t much = 10'000'000;
  const counted by_list =
      run(take(open_in<double, 2>("x", much), open_in<std::int64_t, 1>("rows", much), axis<0>));
  // One task copies the list, which all other tasks need, into one chunk.
  EXPECT_EQ(by_list.num_tasks, 1 + num_chunks);
  EXPECT_EQ(by_list.read, x_chunks + num_chunks);
  EXPECT_EQ(by_list.planned, x_bytes + extent * 8);
  const counted along = run(take_along_axis(open_in<double, 2>("x", much),
                                            open_in<std::int64_t, 2>("each", much), axis<0>));
  EXPECT_EQ(along.num_tasks, num_chunks);
  EXPECT_EQ(along.read, 2 * x_chunks);
  EXPECT_EQ(along.planned, 2 * x_bytes);
  const auto x = open_in<double, 2>("x", much);
  const auto rows = open_in<std::int64_t, 2>("each", much);
  const auto columns = arange<std::int64_t>(extent, {.spec = with(much)});
  const counted points = run(x.at(rows, columns));
  EXPECT_EQ(points.num_tasks, 1);
  EXPECT_EQ(points.read, 2 * x_chunks);
  EXPECT_EQ(points.planned, 2 * x_bytes);
}

// Of 128 rows a block has 32: they and their indices are 4 kB, and 64 were more than a quarter of
// the memory.
TEST_F(LazyIndices, ReadTheArrayForEachBlockOfTheListThatMemoryTakes) {
  constexpr std::size_t little = 24'000;
  const auto computed = plan(take_along_axis(open_in<double, 2>("x", little),
                                             open_in<std::int64_t, 2>("each", little), axis<0>));
  EXPECT_LE(computed.projected_memory().count(), little);
  const counted along = run(take_along_axis(open_in<double, 2>("x", little),
                                            open_in<std::int64_t, 2>("each", little), axis<0>));
  EXPECT_EQ(along.num_tasks, 4 * num_chunks);
  EXPECT_EQ(along.read, (4 + 1) * x_chunks);
  EXPECT_EQ(along.planned, (4 + 1) * x_bytes);
}

TEST_F(LazyIndices, HoldABlockAndAChunkHoweverManyThereAre) {
  constexpr std::size_t little = 16'000;
  // 131072 indices, 1 MB.
  const auto many = arange<std::int64_t>(extent * 1024, {.chunks = {512}, .spec = with(little)});
  const auto x = open_in<double, 2>("x", little);
  const auto computed = plan(take(x(whole, 5), many % index_t{extent}, axis<0>));
  EXPECT_LE(computed.projected_memory().count(), little);
  const auto result = computed.compute();
  for (index_t i = 0; i < result.size(); ++i) ASSERT_EQ(result(i), i % extent * extent + 5);
}

TEST_F(LazyIndices, AreTheSameInOtherProcessesAndFromAFile) {
  const test::scratch_directory folder;
  const spec limits{.work_dir = folder / "work", .allowed_memory = bytes{50'000'000}};
  store(reshape(arange<float>(600), {20, 30}) + 0.F, folder / "x", {.chunks = {6, 7}});
  store(arange<std::uint8_t>(30) % std::uint8_t{20}, folder / "i", {.chunks = {4}});
  const auto x = open<float, 2>(folder / "x", limits);
  const auto i = open<std::uint8_t, 1>(folder / "i", limits);
  const auto gathered = x.at(i, astype<std::int32_t>(i) - 20) * 2.F;
  const auto expected = gathered.compute();
  EXPECT_EQ(expected(23), 2 * (3 * 30 + 13));
  EXPECT_EQ(gathered.compute({.executor = executors::processes(2)}), expected);
  plan(stored(gathered, folder / "y")).save(folder / "plan");
  plan<>::load(folder / "plan").execute();
  EXPECT_EQ((open<float, 1>(folder / "y").compute()), expected);
}

TEST_F(LazyIndices, AlongDimensionsByName) {
  const auto x = label<"time", "latitude">(
      asarray(ndarray<int, 2>::of({{3, 1}, {9, 8}, {4, 6}}), {.chunks = {2, 1}}));
  const auto order = argsort(x, dim<"time">);
  const auto sorted = take_along_axis(x, order, dim<"time">);
  test::expect_values<int, 2>(sorted.array().compute(), {3, 2}, {3, 1, 4, 6, 9, 8});
  const auto rows = take(x, asarray(ndarray<int, 1>::of({2, 0, -1})), dim<"time">);
  test::expect_values<int, 2>(rows.array().compute(), {3, 2}, {4, 6, 3, 1, 4, 6});
}

TEST_F(LazyIndices, RefuseWhatIsNotThere) {
  const auto x = open<double, 2>(store_, "x");
  const auto rows = open<std::int64_t, 1>(store_, "rows");
  // 77 * 5 is 385, and 385 - 3 * 128 is 1; the element 127 is at 63 * 77.
  expect_error<task_error>([&] { (void)take(x, rows + index_t{1}, axis<1>).compute(); },
                           {"take: index 128, at (123,) of the indices",
                            "axis 1 of an array of shape (128, 128)", "[-128, 128)"});
  const auto orders = open<std::int64_t, 2>(store_, "each");
  expect_error<task_error>(
      [&] {
        (void)take_along_axis(x, where(orders == 0, index_t{-129}, orders), axis<0>)(whole,
                                                                                     slice(9, 12))
            .compute({.executor = executors::serial()});
      },
      {"take_along_axis: index -129, at (0, 9) of the indices", "axis 0"});
  expect_error<task_error>([&] { (void)take(x, rows - index_t{16385}).compute(); },
                           {"index -16385, at (0,)", "the elements of an array", "16384)"});
  expect_error<task_error>(
      [&] {
        (void)x.at(zeros<int>({2, 3}), full({3}, std::uint64_t{1} << 63U)).compute();
      },
      {"at: index 9223372036854775808, at (0, 0)", "axis 1"});
  expect_error<shape_error>([&] { (void)take_along_axis(x, orders(slice(0, 3)), axis<1>); },
                            {"(128, 128)", "(3, 128)", "axis 1"});
  expect_error<shape_error>([&] { (void)x.at(rows, rows(slice(0, 5))); }, {"at:", "broadcast"});
  expect_error<shape_error>([&] { (void)take(x(slice(0, 0)), rows, axis<0>); },
                            {"take:", "axis 0", "(0, 128)", "no elements"});
  const auto nothing = take(x(slice(0, 0)), rows(slice(0, 0)), axis<0>).compute();
  EXPECT_EQ(nothing.shape(), (std::array<index_t, 2>{0, extent}));
}

}  // namespace
}  // namespace tessera
