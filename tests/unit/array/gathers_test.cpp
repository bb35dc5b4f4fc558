// SPDX-License-Identifier: Apache-2.0
/// \file
/// Lists of indices, other shapes and selections: their reads, refusals and memory.
/// print_gathers.cpp compares their values with NumPy's.

#include "tessera/executor/memory.hpp"
#include "tessera/tessera.hpp"

#include "unit/array/counting_store.hpp"
#include "unit/array/support.hpp"

#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace tessera {
namespace {

using test::counting_store;
using test::expect_error;

constexpr index_t chunk = 8;
constexpr index_t num_chunks = 16;
constexpr index_t extent = chunk * num_chunks;
constexpr long all_chunks = num_chunks * num_chunks;

/// An array of 16 by 16 chunks; each element is its number. The store counts.
class Gathers : public ::testing::Test {
 protected:
  Gathers() {
    store(reshape(arange<double>(extent * extent), {extent, extent}) + 0, store_, "x",
          {.chunks = {chunk, chunk}, .compressor = codec::zlib{}});
    store(open_x(), store_, "uncompressed", {.compressor = codec::none{}});
  }

  [[nodiscard]] array<double, 2> open_x() const { return open<double, 2>(store_, "x"); }
  /// Returns the same, of which tasks need little more than their elements.
  [[nodiscard]] array<double, 2> open_x(std::size_t allowed) const {
    return open<double, 2>(
        store_, "uncompressed",
        spec{.allowed_memory = bytes{allowed}, .intermediate_compressor = "none"});
  }

  struct counted {
    long planned = 0;
    long read = 0;
    index_t num_tasks = 0;
  };

  /// Computes `expression`, and expects `value(i)` for its elements in row-major order.
  template <class E, class Value>
  counted run(const E& expression, Value value) {
    const auto computed = plan(expression);
    const long before = store_->num_reads();
    const auto result = computed.compute();
    const long read = store_->num_reads() - before;
    for (index_t i = 0; i < result.size(); ++i) {
      EXPECT_EQ(result.data()[i], value(i)) << "at " << i;
      if (result.data()[i] != value(i)) break;
    }
    constexpr auto chunk_bytes = static_cast<long>(chunk * chunk * sizeof(double));
    return {static_cast<long>(computed.bytes_read().count()) / chunk_bytes, read,
            computed.num_tasks()};
  }

  std::shared_ptr<counting_store> store_ = std::make_shared<counting_store>();
};

TEST_F(Gathers, OfAListReadTheChunksThatItLeadsToOnce) {
  // Chunks 15, 0 and 7 of the rows, again and again.
  const std::vector<index_t> rows{127, 0, 60, 3, 127, 61, 1, 120};
  const counted by_rows = run(take(open_x(), rows, axis<0>), [&](index_t i) {
    return static_cast<double>(rows[static_cast<std::size_t>(i / extent)] * extent + i % extent);
  });
  EXPECT_EQ(by_rows.read, 3 * num_chunks);
  EXPECT_EQ(by_rows.planned, by_rows.read);
  const counted columns = run(open_x()(index({64, 65}), index({3, 90, 2})), [](index_t i) {
    constexpr std::array<index_t, 3> at{3, 90, 2};
    return static_cast<double>((64 + i / 3) * extent + at[static_cast<std::size_t>(i % 3)]);
  });
  EXPECT_EQ(columns.read, 2);
  EXPECT_EQ(columns.planned, 2);
}

TEST_F(Gathers, OfAListReadEachChunkOnceInATaskHoweverItIsShuffled) {
  std::vector<index_t> rows(extent);
  for (index_t i = 0; i < extent; ++i) rows[static_cast<std::size_t>(i)] = i * 77 % extent;
  const auto rows_taken = take(open_x(), rows, axis<0>);
  const counted counts = run(rows_taken, [&](index_t i) {
    return static_cast<double>(rows[static_cast<std::size_t>(i / extent)] * extent + i % extent);
  });
  EXPECT_EQ(counts.planned, counts.read);
  EXPECT_EQ(counts.read, all_chunks);
}

TEST_F(Gathers, HoldABlockAChunkAndAnIndexForEachOfTheBlock) {
  std::vector<index_t> rows(extent);
  for (index_t i = 0; i < extent; ++i) rows[static_cast<std::size_t>(i)] = i * 77 % extent;
  // Of a chunk 512 B.
  const auto little = plan(take(open_x(2'000), rows, axis<0>));
  EXPECT_LE(little.projected_memory().count(), 2'000U);
  EXPECT_EQ(little.compute()(1, 5), static_cast<double>(77 * extent + 5));
}

TEST_F(Gathers, OfOtherShapesReadEachChunkOnce) {
  const auto number = [](index_t i) { return static_cast<double>(i); };
  for (const counted& counts :
       {run(ravel(open_x()), number), run(reshape(open_x(), {64, 256}), number),
        run(reshape(open_x(), {2, 64, 16, 8}), number),
        run(reshape(open_x(), {-1, 3 * 2 - 2}) + 0, number)}) {
    EXPECT_EQ(counts.read, all_chunks);
    EXPECT_EQ(counts.planned, counts.read);
    EXPECT_GE(counts.num_tasks, 2);
  }
  const counted tiled = run(tile(open_x(), {2, 1}),
                            [](index_t i) { return static_cast<double>(i % (extent * extent)); });
  EXPECT_LE(tiled.read, 2 * all_chunks);
  EXPECT_EQ(tiled.planned, tiled.read);
}

TEST_F(Gathers, OfOtherShapesTakeBlocksThatReadEachChunkOnce) {
  // Runs of half a row lie in 8 chunks each, which other tasks would read again: tasks take 8 rows.
  const auto flat = plan(ravel(open_x(20'000)));
  EXPECT_LE(flat.projected_memory().count(), 20'000U);
  const long before = store_->num_reads();
  const auto result = flat.compute();
  EXPECT_EQ(store_->num_reads() - before, all_chunks);
  for (index_t i = 0; i < extent * extent; ++i) ASSERT_EQ(result(i), static_cast<double>(i));
}

TEST_F(Gathers, FuseWithWhatIsElementwiseAndFold) {
  const auto x = open_x();
  const auto fused = plan(sum(take(x * 2 + 1, {5, 3}, axis<0>) - 1, axis<1>));
  EXPECT_EQ(fused.num_operations(), 1);
  const auto result = fused.compute();
  const double of_columns = extent * (extent - 1) / 2.0;
  EXPECT_EQ(result(0), 2 * (5.0 * extent * extent + of_columns));
  EXPECT_EQ(result(1), 2 * (3.0 * extent * extent + of_columns));
  EXPECT_EQ(plan(reshape(x, {64, 256}) + 1).num_operations(), 1);
}

TEST_F(Gathers, OfArraysInMemoryAndGeneratedOnesAreNoCopies) {
  const auto memory = asarray(ndarray<double, 1>::of({1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(plan(reshape(memory, {2, 3}) + 1).num_operations(), 1);
  EXPECT_EQ(plan(sum(reshape(arange<double>(1000), {10, 100}), axis<0>)).bytes_read().count(), 0U);
  EXPECT_EQ((reshape(memory, {3, 2})(2, 0).compute()), 5);
}

TEST_F(Gathers, AreTheSameFromAFileAndInOtherProcesses) {
  const test::scratch_directory folder;
  const spec limits{.work_dir = folder / "work", .allowed_memory = bytes{50'000'000}};
  store(reshape(arange<double>(600), {20, 30}) + 0, folder / "x", {.chunks = {6, 7}});
  const auto x = open<double, 2>(folder / "x", limits);
  const auto gathered = take(reshape(x, {30, 20}), {29, 4, 4, -30}, axis<0>) * 2;
  const auto expected = gathered.compute();
  EXPECT_EQ(expected(0, 3), 2 * (29 * 20 + 3));
  EXPECT_EQ(expected(3, 19), 2 * 19);
  EXPECT_EQ(gathered.compute({.executor = executors::processes(2)}), expected);
  plan(stored(gathered, folder / "y")).save(folder / "plan");
  plan<>::load(folder / "plan").execute();
  EXPECT_EQ((open<double, 2>(folder / "y").compute()), expected);
}

// Each of two equal intermediates is made while the other may be read.
TEST_F(Gathers, OfOneListTwiceAreStoredApart) {
  const test::scratch_directory folder;
  const spec limits{.work_dir = folder / "work"};
  const auto values = reshape(arange<double>(600), {20, 30}).compute();
  const auto x = asarray(values, {.chunks = {1, 30}, .spec = limits});
  const auto gathered = x(index({19, 3, 3, 7, 0, 11, 5, 2}));
  const pass_switches apart{
      .share = false, .fuse_producers = false, .fuse_siblings = false, .memory_tier = false};
  const run_with serial{.executor = executors::serial()};
  const auto sum = plan(apart, serial, gathered * 2.0 + flip(gathered, axis<0>)).compute();
  EXPECT_EQ(sum(0, 1), 2 * (19 * 30 + 1) + (2 * 30 + 1));
  EXPECT_EQ(sum(7, 29), 2 * (2 * 30 + 29) + (19 * 30 + 29));
  const auto difference = plan(apart, serial, flip(gathered, axis<0>) - gathered).compute();
  EXPECT_EQ(difference(0, 1), (2 - 19) * 30);
  EXPECT_EQ(difference(7, 29), (19 - 2) * 30);
}

TEST_F(Gathers, RefuseIndicesAndShapesThatAreNotThere) {
  const auto x = open_x();
  expect_error<shape_error>(
      [&] {
        (void)take(x, {0, 128}, axis<1>);
      },
      {"index 128, number 1 of the list", "axis 1", "[-128, 128)"});
  expect_error<shape_error>([&] { (void)x(index({0, -129})); }, {"index -129", "axis 0"});
  expect_error<shape_error>([&] { (void)x(index(std::vector<bool>(3, true))); },
                            {"a mask of 3 elements", "must have 128"});
  expect_error<shape_error>([&] { (void)take(x, {extent * extent}); }, {"16384", "(128, 128)"});
  expect_error<shape_error>(
      [&] {
        (void)x.at(std::vector{1, 2}, std::vector{1});
      },
      {"a list of 2 indices and axis 1 one of 1"});
  expect_error<shape_error>([&] { (void)reshape(x, {-1, -1}); }, {"(-1, -1)", "one extent"});
  expect_error<shape_error>(
      [&] {
        (void)reshape(x, {100, 100});
      },
      {"16384 elements", "(100, 100)"});
  expect_error<shape_error>([&] { (void)reshape(x, {-1, 100}); }, {"16384 elements", "(-1, 100)"});
  expect_error<shape_error>([&] { (void)reshape(x(slice(0, 0)), {-1, 0}); }, {"(-1, 0)"});
  expect_error<shape_error>([&] { (void)tile(x, -1); }, {"-1 times"});
  expect_error<shape_error>([&] { (void)repeat(x, -2); }, {"-2 times"});
  expect_error<shape_error>([&] { (void)repeat(x, {1, 2}, axis<0>); }, {"2 counts for axis 0"});
  expect_error<shape_error>(
      [&] {
        (void)take_along_axis(x, ndarray<int, 2>({1, 3}), axis<0>);
      },
      {"(128, 128)", "(1, 3)"});
}

TEST_F(Gathers, OfMasksReadTheElementsThatAreTrue) {
  const auto x = open_x();
  const counted some =
      run(x(x >= 16'000.0), [](index_t i) { return static_cast<double>(16'000 + i); });
  EXPECT_EQ(some.read, num_chunks);
  expect_error<shape_error>([&] { (void)x(x(slice(0, 4)) > 0.0); }, {"(4, 128)", "(128, 128)"});
  // Tasks have room beside the memory of the process; the result has one element or row too many.
  const bytes host = memory_with_code() + bytes{80'000'000};
  const spec little{.allowed_memory = bytes{8'000'000}, .host_memory = host};
  const auto num_rows = static_cast<index_t>(host.count() / 16'000 + 1);
  const auto y = ones<std::uint8_t>({num_rows, 1000}, {.spec = little});
  expect_error<memory_error>([&] { (void)nonzero(y); },
                             {"nonzero", std::to_string(num_rows * 1000), "16 bytes each"});
}

TEST(Coordinates, AreFoundByValue) {
  const std::vector<double> up{-2, 0, 0.5, 3};
  EXPECT_EQ(nearest(up, -9), 0);
  EXPECT_EQ(nearest(up, 0.25), 2);
  EXPECT_EQ(nearest(up, 0.2), 1);
  EXPECT_EQ(nearest(arange<double>(10), 4.4), 4);
  EXPECT_EQ(nearest(up, {0.2, 9.0, -9.0}).values(), (std::vector<index_t>{1, 3, 0}));
  EXPECT_EQ(nearest(up, std::vector<float>{0.25F}).values(), (std::vector<index_t>{2}));
  const auto x = arange<double>(4);
  EXPECT_EQ(x(nearest(up, asarray({3.0, 0.2}))).compute(), (ndarray<double, 1>{3, 1}));
  const auto selected = [&x](const slice& s) { return x(s).compute(); };
  EXPECT_EQ(selected(between(up, 0, 1)), x(slice(1, 3)).compute());
  EXPECT_EQ(selected(between(std::vector{3, 2, 1, 0}, 1, 2)), x(slice(1, 3)).compute());
  EXPECT_EQ(selected(between(up, 4, 9)).size(), 0);
  EXPECT_EQ(selected(between(up, 1, 0)).size(), 0);
  EXPECT_THROW((void)between(std::vector{1.0, 3.0, 2.0}, 0, 1), value_error);
  EXPECT_THROW((void)nearest(std::vector<double>{}, 1), shape_error);
  EXPECT_THROW((void)nearest(up, std::nan("")), value_error);
}

}  // namespace
}  // namespace tessera
