// SPDX-License-Identifier: Apache-2.0

/// \file
/// The memory of real programs on chunks of 200 MB, measured, against the projection of their
/// plans: measured <= reserved + projected.

#include "tessera/executor/memory.hpp"
#include "tessera/tessera.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iostream>
#include <limits>
#include <malloc.h>
#include <random>
#include <span>
#include <string>
#include <tuple>
#include <unistd.h>
#include <vector>

namespace {

namespace ts = tessera;
using namespace ts::literals;

class MemoryBound : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    // Large pieces go back to the system at once: glibc's cache is not the library's memory.
    mallopt(M_MMAP_THRESHOLD, 128 * 1024);
    // A fault maps the neighbours of a page of the program as well, if the host has them in memory.
    std::ifstream("/proc/self/exe").ignore(std::numeric_limits<std::streamsize>::max());
    std::filesystem::remove_all(folder());
    // Values that hardly compress, so that encoded chunks need the memory that the plan gives them.
    for (const std::string name : {"a", "b"}) {
      ts::store(
          ts::random::uniform<double>({5000, 10'000}, {.chunks = {5000, 5000}, .spec = spec()}),
          folder() + "/" + name, serial());
    }
  }

  static void TearDownTestSuite() { std::filesystem::remove_all(folder()); }

  /// The tests of this file may run side by side, each in a process of its own.
  static std::string folder() {
    return ::testing::TempDir() + "tessera-memory-" + std::to_string(getpid());
  }

  static const ts::spec& spec() {
    static const ts::spec limits{.work_dir = folder() + "/work", .allowed_memory = 2_GB};
    return limits;
  }

  static ts::run_with serial() { return {.executor = ts::executors::serial()}; }

  static ts::array<double, 2> open(const std::string& name) {
    return ts::open<double, 2>(folder() + "/" + name, spec());
  }

  /// Runs a program that stores its result and compares the memory in use with the projection.
  /// `allowance`: how many per cent of the memory in use may be projected.
  template <class E>
  static void check(const E& e, const ts::store_options& options = {},
                    std::size_t allowance = 115) {
    check_plan(ts::plan(ts::stored(e, folder() + "/result", options), serial()), allowance);
    std::filesystem::remove_all(folder() + "/result");
  }

  /// The same of a plan; its results stay.
  template <class Plan>
  static void check_plan(const Plan& plan, std::size_t allowance = 115) {
    // Memory that an earlier program gave back would be used again, and not be measured.
    malloc_trim(0);
    ASSERT_TRUE(ts::reset_peak_memory());
    const ts::bytes reserved = ts::resident_memory();
    (void)plan.compute();
    const ts::bytes measured = ts::peak_memory();
    const ts::bytes projected = plan.projected_memory() + plan.bounded().resident_memory();
    std::cout << plan << "measured " << measured << ", reserved " << reserved << ", projected "
              << projected << ": " << 100 * (measured - reserved).count() / projected.count()
              << " % of what was projected\n";
    // The plan itself, keys and the scheduler's books are no task's.
    constexpr ts::bytes books = 1_MB;
    EXPECT_LE(measured, reserved + projected + books);
    EXPECT_LE(plan.projected_memory(), 2_GB);
    // A bound that is much too high would hold as well.
    EXPECT_GE((measured - reserved).count() * allowance, projected.count() * 100);
  }
};

TEST_F(MemoryBound, Elementwise) {
  const auto a = open("a");
  const auto b = open("b");
  check(ts::sqrt(a * a + b * b) - 0.5 * a);
}

TEST_F(MemoryBound, OneOperand) { check(ts::sqrt(open("a"))); }

TEST_F(MemoryBound, ASliceOfWholeChunks) { check(open("a")(ts::whole, ts::slice(5000, 10'000))); }

TEST_F(MemoryBound, ReductionAlongAnAxis) { check(ts::mean(open("a") * open("b"), ts::axis<0>)); }

TEST_F(MemoryBound, ReductionOfEverything) { check(ts::stddev(open("a"))); }

TEST_F(MemoryBound, GroupsAlongAnAxis) {
  // States of 800 groups of each column: as large as a fifth of a chunk.
  const auto group = ts::arange<std::int64_t>(5000) % std::int64_t{800};
  check(ts::groupby_reduce(open("a"), group, ts::op::sum{}, 800, ts::axis<0>));
}

TEST_F(MemoryBound, CellsAlongAnAxis) { check(ts::topk(open("a"), 300, ts::axis<0>)); }

TEST_F(MemoryBound, PositionsAndMasks) {
  const auto a = open("a");
  check(ts::mean(a, ts::axis<1>, ts::where(a > 0.5)));
}

TEST_F(MemoryBound, Matmul) {
  const auto a = open("a");
  check(ts::matmul(a(ts::slice(0, 1000)), ts::permute_dims(a, ts::axis<1, 0>)));
}

// Sums of so few elements that they are cut along the summed axis.
TEST_F(MemoryBound, ProductsInParts) {
  const auto a = open("a");
  check(ts::matmul(a(ts::slice(0, 100)), ts::matrix_transpose(a)));
}

TEST_F(MemoryBound, SumsOfProducts) {
  const auto a = open("a");
  const auto b = open("b");
  check(ts::einsum<"ij,ij->j">(a, b));
  check(ts::einsum<"ij,ij,kj->ik">(a, b, a(ts::slice(0, 1000))), {.chunks = {5000, 1000}});
}

TEST_F(MemoryBound, WhatIsMadeOfProductsAndScans) {
  const auto a = open("a");
  const auto few = a(ts::slice(0, 1000));
  check(ts::matmul(few, ts::permute_dims(a, ts::axis<1, 0>)) - few(ts::whole, ts::slice(0, 5000)));
  check(ts::cumulative_sum(a, ts::axis<0>) * 2.0 - open("b"));
}

TEST_F(MemoryBound, FunctionsOfMatrices) {
  const auto x =
      ts::random::uniform<double>({1600, 1600}, {.chunks = {1600, 1600}, .spec = spec()});
  // An encoder would leave room unused, most for a matrix that is half zero.
  const ts::store_options plain{.compressor = ts::codec::none{}};
  const auto few = x(ts::slice(0, 1400), ts::slice(0, 1400));
  check(ts::inv(x), plain);
  check(ts::solve(x, x), plain);
  check(std::get<0>(ts::qr(x)), plain);
  check(std::get<1>(ts::eigh(few)), plain);
  // The vectors of halves, which their work has room for, are given back before results are made.
  check(std::get<0>(ts::svd(few)), plain, 150);
  check(
      ts::cholesky(3000.0 * ts::eye<double>(3000, {.chunks = {3000, 3000}, .spec = spec()}) + 1.0),
      plain);
}

TEST_F(MemoryBound, FactorsOfTallMatrices) {
  const auto x =
      ts::random::uniform<double>({400'000, 100}, {.chunks = {40'000, 100}, .spec = spec()});
  check(std::get<0>(ts::qr(x)));
  check(std::get<0>(ts::svd(x)));
  check(ts::lstsq(x, x(ts::whole, ts::slice(0, 50))).x);
}

// Runs of a line that no task holds.
TEST_F(MemoryBound, SortOfALongLine) {
  const auto x = ts::random::uniform<double>({30'000'000}, {.chunks = {1'000'000}, .spec = spec()});
  ts::store(x, folder() + "/line", serial());
  ts::spec little = spec();
  little.allowed_memory = 100_MB;
  check(ts::sort(ts::open<double, 1>(folder() + "/line", little)));
}

TEST_F(MemoryBound, SortOfLongLinesSideBySide) {
  ts::store(ts::random::uniform<double>({5'000'000, 4}, {.chunks = {200'000, 4}, .spec = spec()}),
            folder() + "/line", serial());
  ts::spec little = spec();
  little.allowed_memory = 40_MB;
  const auto lines = ts::open<double, 2>(folder() + "/line", little);
  // An encoder may take more than it does.
  check(ts::sort(lines, ts::axis<0>), {}, 140);
  check(ts::argsort(lines, ts::axis<0>), {}, 140);
}

// A transform that no task holds, in steps.
TEST_F(MemoryBound, TransformOfALongLine) {
  const auto x = ts::random::uniform<double>({30'000'000}, {.chunks = {1'000'000}, .spec = spec()});
  ts::store(x, folder() + "/line", serial());
  ts::spec little = spec();
  little.allowed_memory = 100_MB;
  const auto line = ts::open<double, 1>(folder() + "/line", little);
  check(ts::fft(line));
  check(ts::irfft(line(ts::slice(0, 10'000'001))));
}

// As many values as elements: a value, its count and its position take three times as much as it
// does alone.
TEST_F(MemoryBound, ValuesOfALongLine) {
  const ts::index_t size = 10'000'000;
  ts::store(ts::random::uniform<double>({size}, {.chunks = {500'000}, .spec = spec()}),
            folder() + "/line", serial());
  ts::spec little = spec();
  little.allowed_memory = 40_MB;
  const auto x = ts::open<double, 1>(folder() + "/line", little);
  ASSERT_TRUE(ts::reset_peak_memory());
  const ts::bytes reserved = ts::resident_memory();
  const auto values = ts::unique_values(x);
  const ts::bytes measured = ts::peak_memory();
  const ts::bytes result{static_cast<std::size_t>(values.size()) * sizeof(double)};
  std::cout << "measured " << measured << ", reserved " << reserved << ", result " << result
            << "\n";
  EXPECT_GT(values.size(), size * 99 / 100);
  EXPECT_LE(measured, reserved + result + little.allowed_memory);
}

TEST_F(MemoryBound, Slicing) {
  check(open("a")(ts::slice(1, 4999, 2), ts::slice(9999, 100, -1)) + 1.0, {.chunks = {2499, 5000}});
}

TEST_F(MemoryBound, DifferencesOfNeighbours) {
  const auto a = open("a");
  check(a(ts::whole, ts::slice(1, ts::none)) - a(ts::whole, ts::slice(ts::none, -1)));
}

TEST_F(MemoryBound, RollAndPad) {
  const auto a = open("a");
  check(a - ts::roll(a, 1, ts::axis<1>), {.chunks = {5000, 5000}});
  check(ts::pad(a, {{0, 0}, {2, 2}}, ts::boundary::reflect)(ts::whole, ts::slice(0, 10'000)) * 2.0);
}

TEST_F(MemoryBound, WhatLiesAroundBlocksOfWhatIsComputed) {
  const auto difference = [](ts::block_view<const double, 2> x, ts::block_view<double, 2> result) {
    for (ts::index_t i = 0; i < result.shape()[0]; ++i) {
      for (ts::index_t j = 0; j < result.shape()[1]; ++j) result(i, j) = x(i, j + 2) - x(i, j);
    }
  };
  check(ts::map_overlap<double>(difference, 2.0 * open("a") + 1.0, {.depth = {{0, 0}, {1, 1}}}));
}

TEST_F(MemoryBound, ListsOfIndices) {
  std::vector<ts::index_t> rows(2000);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<ts::index_t>(i) * 7 % 5000;
  check(ts::take(open("a"), rows, ts::axis<0>) + 1.0);
  check(open("a")(ts::whole, ts::index(rows)));
}

TEST_F(MemoryBound, LazyIndices) {
  const auto i = ts::astype<std::int16_t>(open("b") * 5000.0);
  const ts::store_options plain{.compressor = ts::codec::none{}};
  ts::store(i, folder() + "/i", plain, serial());
  const auto stored = ts::open<std::int16_t, 2>(folder() + "/i", spec());
  check(ts::take_along_axis(open("a"), stored, ts::axis<1>));
  check(ts::take(open("a"), stored(7, ts::slice(0, 2000)), ts::axis<1>));
  check(open("a").at(stored, stored));
  std::filesystem::remove_all(folder() + "/i");
}

TEST_F(MemoryBound, OtherShapes) {
  check(ts::reshape(open("a"), {50'000, 1000}));
  check(ts::ravel(open("a")(ts::slice(0, 1000))));
}

TEST_F(MemoryBound, RollingAndCoarseMeans) {
  check(ts::mean(ts::sliding_window_view(open("a"), 5, ts::axis<1>), ts::axis<-1>));
  check(ts::coarsen(ts::op::mean{}, open("a"), {2, 1}));
}

TEST_F(MemoryBound, LevelsOfWhatIsStored) {
  const ts::array<double, 2> doubled = 2.0 * open("a");
  const ts::array<double, 2> means = ts::coarsen(ts::op::mean{}, doubled, {2, 2});
  const std::string levels = folder() + "/levels";
  const ts::plan plan(ts::stored(doubled, levels + "/0"), ts::stored(means, levels + "/1"),
                      ts::stored(ts::coarsen(ts::op::mean{}, means, {2, 2}), levels + "/2"),
                      serial());
  ASSERT_EQ(plan.num_operations(), 1U);
  check_plan(plan);
  std::filesystem::remove_all(levels);
}

/// Returns the most memory that running `plan` takes, beside the memory before.
template <class Plan>
ts::bytes used_by(const Plan& plan) {
  malloc_trim(0);
  EXPECT_TRUE(ts::reset_peak_memory());
  const ts::bytes before = ts::resident_memory();
  (void)plan.compute();
  return ts::peak_memory() - before;
}

// An array of 8 MB: the input of a round, its output, and a little for each of the 600 operations.
TEST_F(MemoryBound, RoundsOfALoop) {
  ts::array<double, 1> x = ts::arange<double>(1e6, {.chunks = {250'000}, .spec = spec()});
  for (int i = 0; i < 200; ++i) x = x - ts::mean(x);
  const ts::plan plan(x, serial());
  EXPECT_LE(plan.bounded().resident_memory(), 24_MB);
  EXPECT_LE(used_by(plan), 24_MB);
}

TEST_F(MemoryBound, ProductsInARow) {
  const auto a = ts::random::uniform<double>({1000, 1000}, {.chunks = {500, 500}, .spec = spec()});
  // A library of products takes its own memory with the first.
  (void)ts::matmul(a, a).compute(serial());
  ts::array<double, 2> x = a;
  for (int i = 0; i < 10; ++i) x = ts::matmul(x, a);
  const ts::plan plan(x, serial());
  EXPECT_EQ(plan.bytes_written(), 0_B);
  EXPECT_LE(plan.bounded().resident_memory(), 24_MB);
  // Besides the process, whose memory is in the bound.
  const ts::memory_bound bound = plan.bounded().bound();
  const ts::bytes besides = bound.total() - bound.reserved;
  EXPECT_LE(besides, 32_MB);
  EXPECT_LE(used_by(plan), besides + 256_kB);
}

TEST_F(MemoryBound, ScansAndRollingWindows) {
  const auto a = open("a");
  check(ts::cumulative_sum(a, ts::axis<1>));
  check(ts::cumulative_max(a, ts::axis<0>));
  check(ts::rolling_mean(a, 24, ts::axis<0>), {.chunks = {5000, 5000}});
}

TEST_F(MemoryBound, GroupsOfSeveralAxes) {
  const auto a = open("a");
  check(ts::histogram(a, ts::bins{100, 0, 1}));
  check(ts::groupby_reduce(a, ts::astype<std::int64_t>(open("b") * 12.0), ts::op::mean{}, 12,
                           ts::axis<0, 1>));
}

TEST_F(MemoryBound, PositionsOfExtremes) { check(ts::argmax(open("a"), ts::axis<0>)); }

TEST_F(MemoryBound, Rechunk) { check(ts::rechunk(open("a"), {1250, 10'000})); }

TEST_F(MemoryBound, CopyOfChunks) { check(open("a")); }

TEST_F(MemoryBound, FieldOfRecords) {
  // Of each chunk of 96 MB of records 32 MB are wanted.
  const ts::index_t length = 4'000'000;
  const auto records = ts::zarr_array::create(
      folder() + "/records",
      {.shape = {2 * length},
       .chunks = {length},
       .dtype = ts::data_type::parse(R"([["x", "<f8"], ["rest", "|V16"]])")});
  std::vector<std::uint64_t> values(static_cast<std::size_t>(3 * length));
  std::generate(values.begin(), values.end(), std::mt19937_64());
  std::vector<std::byte> encoded(records.encoded_bound());
  for (const ts::index_t i : {0, 1}) {
    records.write_chunk(ts::index_vector{i}, std::as_bytes(std::span(values)).data(), encoded);
  }
  values = {};
  encoded = {};
  check(ts::isnan(ts::open<double, 1>(folder() + "/records", ts::field("x"), {.spec = spec()})));
}

// Shards of 200 MB of chunks of 8 MB: a task writes a whole shard, and reads chunk by chunk.
TEST_F(MemoryBound, OfShards) {
  const ts::store_options sharded{.chunks = {1000, 1000}, .shards = {5000, 5000}, .format = 3};
  check(open("a") + 1.0, sharded);
  ts::store(open("a"), folder() + "/shards", sharded, serial());
  check(ts::sum(open("shards") * 2.0, ts::axis<0>), {}, 200);
  check(open("shards") + open("a"), {.chunks = {5000, 5000}}, 130);
  std::filesystem::remove_all(folder() + "/shards");
}

// Shards of 200 MB, and tasks of at most 100 MB: they append chunks to their shards step by step.
TEST_F(MemoryBound, OfStreamedShards) {
  ts::store(open("a"), folder() + "/rows", {.chunks = {500, 5000}}, serial());
  const ts::spec little{.work_dir = folder() + "/work", .allowed_memory = 100_MB};
  const auto rows = ts::open<double, 2>(folder() + "/rows", {.spec = little});
  ts::store_options sharded{.chunks = {500, 1000}, .shards = {5000, 5000}, .format = 3};
  const auto sums = ts::plan(ts::stored(rows + 1.0, folder() + "/result", sharded), serial());
  EXPECT_LE(sums.projected_memory(), 100_MB);
  check_plan(sums);
  sharded.compressor = ts::codec::none{};
  const auto copy = ts::plan(ts::stored(rows, folder() + "/result", sharded), serial());
  EXPECT_LE(copy.projected_memory(), 100_MB);
  check_plan(copy);
  // Shards of two results grow at once, of which one has its axes in another order.
  ts::store_options transposed = sharded;
  transposed.order = 'F';
  const auto both = ts::plan(ts::stored(rows * 2.0, folder() + "/result", sharded),
                             ts::stored(rows + 1.0, folder() + "/second", transposed), serial());
  EXPECT_LE(both.projected_memory(), 100_MB);
  check_plan(both);
  std::filesystem::remove_all(folder() + "/rows");
  std::filesystem::remove_all(folder() + "/result");
  std::filesystem::remove_all(folder() + "/second");
}

}  // namespace
