// SPDX-License-Identifier: Apache-2.0

/// \file
/// Rechunks by several copies: the planned traffic, the real traffic, and the values.

#include "tessera/tessera.hpp"

#include "unit/array/counting_store.hpp"
#include "unit/plan/file_bytes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

namespace ts = tessera;
using ts::test::file_bytes;
using namespace ts::literals;

class StageRechunks : public ::testing::Test {
 protected:
  StageRechunks() { std::filesystem::create_directories(spec.work_dir); }
  ~StageRechunks() override { std::filesystem::remove_all(spec.work_dir); }

  /// Returns a stored array; its elements are their positions.
  template <std::size_t N>
  ts::array<std::int64_t, N> positions(const std::array<ts::index_t, N>& shape,
                                       const std::array<ts::index_t, N>& chunks,
                                       const ts::codec::configuration& compressor) {
    const auto size =
        std::accumulate(shape.begin(), shape.end(), ts::index_t{1}, std::multiplies<>{});
    std::vector<std::int64_t> values(static_cast<std::size_t>(size));
    std::iota(values.begin(), values.end(), std::int64_t{0});
    (void)ts::store(ts::ndarray<std::int64_t, N>(shape, values), store, "x",
                    {.chunks = std::vector<ts::index_t>(chunks.begin(), chunks.end()),
                     .compressor = compressor});
    return ts::open<std::int64_t, N>(store, "x", spec);
  }

  std::shared_ptr<ts::test::counting_store> store = std::make_shared<ts::test::counting_store>();
  ts::spec spec{.work_dir = ::testing::TempDir() + "stage-rechunks-" + std::to_string(getpid()),
                .allowed_memory = 400_kB,
                .intermediate_compressor = "none"};
  ts::pass_switches in_storage{.memory_tier = false};
};

TEST_F(StageRechunks, PutsACopyBetweenWhereItIsCheaper) {
  const auto x = positions<2>({4096, 512}, {16, 512}, ts::codec::none{});
  const auto lines =
      ts::stored(x, store, "lines", {.chunks = {4096, 1}, .compressor = ts::codec::none{}});
  in_storage.stage_rechunks = false;
  const auto direct = ts::plan(in_storage, lines);
  EXPECT_EQ(direct.num_operations(), 1U);
  in_storage.stage_rechunks = true;
  const auto staged = ts::plan(in_storage, lines);
  EXPECT_GT(staged.num_operations(), 1U);
  // Each copy reads all elements about once; directly, all chunks are read for a few lines each.
  constexpr std::size_t array_bytes = 4096 * 512 * 8;
  EXPECT_LT(staged.bytes_read().count(), 6 * array_bytes);
  EXPECT_GT(direct.bytes_read().count(), 60 * array_bytes);
  EXPECT_LE(staged.projected_memory(), 400_kB);

  const long before = store->num_reads();
  const auto result = staged.compute();
  // Of the 256 chunks of x, each for one block or for two side by side.
  EXPECT_LE(store->num_reads() - before, 512);
  const ts::ndarray<std::int64_t, 2> values_read = result;
  for (ts::index_t i = 0; i < 4096; ++i) {
    for (ts::index_t j = 0; j < 512; ++j) ASSERT_EQ(values_read(i, j), i * 512 + j);
  }
}

TEST_F(StageRechunks, TakesAProgramIntoItsLastCopy) {
  const auto x = positions<2>({4096, 512}, {16, 512}, ts::codec::none{});
  const auto plan = ts::plan(in_storage, ts::stored(ts::rechunk(x, {4096, 1}) * 2 + 1, store,
                                                    "lines", {.compressor = ts::codec::none{}}));
  EXPECT_GT(plan.num_operations(), 1U);
  const auto result = plan.compute();
  const ts::ndarray<std::int64_t, 2> values_read = result;
  EXPECT_EQ(values_read(4095, 511), 2 * (4096 * 512 - 1) + 1);
  EXPECT_EQ(values_read(1, 2), 2 * (512 + 2) + 1);
}

TEST_F(StageRechunks, LeavesChunksThatAreReadOnce) {
  const auto x = positions<2>({128, 128}, {16, 128}, ts::codec::none{});
  const auto plan = ts::plan(in_storage, ts::stored(ts::rechunk(x, {32, 64}), store, "y"));
  EXPECT_EQ(plan.num_operations(), 1U);
}

/// A rechunk of int64 in an allowed memory.
struct rechunk_case {
  std::string name;
  std::array<ts::index_t, 2> shape;
  std::array<ts::index_t, 2> from;
  std::array<ts::index_t, 2> to;
  std::uint64_t allowed;
};

const std::vector<rechunk_case> rechunk_cases{
    {"time to space", {2048, 512}, {4, 512}, {2048, 4}, 200'000},
    {"space to time", {2048, 512}, {2048, 4}, {4, 512}, 200'000},
    {"coprime grids", {1001, 1003}, {13, 1003}, {1001, 7}, 400'000},
    {"transposed chunks", {1024, 1024}, {1024, 16}, {16, 1024}, 300'000},
    {"columns to rows", {1000, 1000}, {1000, 1}, {1, 1000}, 30'000}};

/// Expects that each element of a matrix is its position.
void expect_positions(const ts::ndarray<std::int64_t, 2>& values) {
  const ts::index_t columns = values.shape()[1];
  for (ts::index_t i = 0; i < values.shape()[0]; ++i) {
    for (ts::index_t j = 0; j < columns; ++j) ASSERT_EQ(values(i, j), i * columns + j);
  }
}

// The store counts the first reads and the last writes, the system the traffic in between, with
// some metadata.
TEST_F(StageRechunks, ReadsAndWritesWhatItPlans) {
  for (const rechunk_case& rechunk : rechunk_cases) {
    SCOPED_TRACE(rechunk.name);
    spec.allowed_memory = ts::bytes{rechunk.allowed};
    const auto x = positions<2>(rechunk.shape, rechunk.from, ts::codec::none{});
    const ts::store_options options{.chunks = {rechunk.to[0], rechunk.to[1]},
                                    .compressor = ts::codec::none{}};
    const ts::run_with settings{.executor = ts::executors::threads(2)};
    const auto plan = ts::plan(in_storage, settings, ts::stored(x, store, "y", options));
    EXPECT_GT(plan.num_operations(), 1U);
    EXPECT_LE(plan.projected_memory(), spec.allowed_memory);
    const file_bytes files_before;
    const long bytes = store->num_bytes();
    const long writes = store->num_writes();
    const auto result = plan.compute();
    const file_bytes files;
    const auto bytes_of = [](long count, const auto& chunk) {
      return static_cast<double>(count * chunk[0] * chunk[1] * 8);
    };
    const double read =
        static_cast<double>(store->num_bytes() - bytes + files.read - files_before.read);
    const double written = bytes_of(store->num_writes() - writes, rechunk.to) +
                           static_cast<double>(files.written - files_before.written);
    const auto planned_read = static_cast<double>(plan.bytes_read().count());
    const auto planned_written = static_cast<double>(plan.bytes_written().count());
    // Of a range of a chunk whole rows are planned.
    EXPECT_LE(read, 1.02 * planned_read);
    EXPECT_GE(read, 0.95 * planned_read);
    // Chunks at the array's end are stored whole, and planned without the part beyond it.
    EXPECT_GE(written, planned_written);
    EXPECT_LE(written, 1.2 * planned_written);
    const ts::index_t num_chunks = ts::ceil_divide(rechunk.shape[0], rechunk.to[0]) *
                                   ts::ceil_divide(rechunk.shape[1], rechunk.to[1]);
    EXPECT_EQ(store->num_writes() - writes, num_chunks);
    const ts::ndarray<std::int64_t, 2> values_read = result;
    EXPECT_EQ(values_read.shape(), rechunk.shape);
    expect_positions(values_read);
    store->erase_all("x");
    store->erase_all("y");
  }
}

// Hourly maps of 40 years, 1.46 TB, to series: written once in between and once at the end,
// 2.91 TB; directly, 2.1 PB would be read.
TEST_F(StageRechunks, TakesTwoCopiesForFortyYearsOfMaps) {
  spec.allowed_memory = ts::bytes{2'500'000'000};
  spec.costs = ts::costs::object_store();
  spec.costs.workers = 100;
  const ts::index_t hours = 350'640;
  (void)ts::zarr_array::create(
      store, "era5",
      {.shape = {hours, 721, 1440}, .chunks = {31, 721, 1440}, .dtype = ts::dtype::float32});
  const auto maps = ts::open<float, 3>(store, "era5", spec);
  const auto plan = ts::plan(in_storage, ts::run_with{},
                             ts::stored(ts::rechunk(maps, {hours, 10, 10}), store, "series"));
  EXPECT_EQ(plan.num_operations(), 2U);
  EXPECT_LE(plan.projected_memory(), spec.allowed_memory);
  const double size = 4.0 * static_cast<double>(hours) * 721 * 1440;
  // Chunks at the array's end are written whole.
  EXPECT_GE(static_cast<double>(plan.bytes_written().count()), 2 * size);
  EXPECT_LE(static_cast<double>(plan.bytes_written().count()), 1.04 * 2 * size);
  const ts::plan_cost cost = plan.cost(100);
  // The figures of the design, computed by another program.
  EXPECT_LE(static_cast<double>(plan.bytes_read().count()), 1.02 * 2.98e12);
  EXPECT_LE(cost.work.count(), 1.02 * 78'704);
  EXPECT_LE(cost.wall.count(), 1.02 * 848);
}

TEST_F(StageRechunks, HoldsTheArrayInMemoryWhereThereIsRoom) {
  (void)positions<2>({4096, 512}, {16, 512}, ts::codec::none{});
  // Two workers may have 20 MB together: the array of 16.8 MB, and two small tasks.
  spec.allowed_memory = 10_MB;
  const auto roomy = ts::plan(ts::stored(ts::open<std::int64_t, 2>(store, "x", spec), store,
                                         "lines", {.chunks = {4096, 1}}),
                              ts::run_with{.executor = ts::executors::threads(2)});
  EXPECT_EQ(roomy.num_operations(), 2U);
  EXPECT_EQ(roomy.bytes_read().count(), 4096U * 512 * 8);
  EXPECT_EQ(roomy.bounded().resident_memory().count(), 4096U * 512 * 8);
  EXPECT_LE(roomy.projected_host_memory(), roomy.bounded().bound().reserved + 20_MB);
  const long before = store->num_reads();
  const auto result = roomy.compute();
  EXPECT_EQ(store->num_reads() - before, 256);
  const ts::ndarray<std::int64_t, 2> values_read = result;
  for (ts::index_t i = 0; i < 4096; ++i) {
    for (ts::index_t j = 0; j < 512; ++j) ASSERT_EQ(values_read(i, j), i * 512 + j);
  }
}

TEST_F(StageRechunks, DoesNotCountOnMemoryThatOtherTasksNeed) {
  const auto make_plan = [this](bool has_large_tasks) {
    spec.allowed_memory = 10_MB;
    const auto x = ts::open<std::int64_t, 2>(store, "x", spec);
    const ts::array<std::int64_t, 1> large =
        ts::ones<std::int64_t>({1 << 20}, {.chunks = {1 << 19}, .spec = spec});
    const auto settings = ts::run_with{.executor = ts::executors::threads(2)};
    const auto lines = ts::stored(x, store, "lines", {.chunks = {4096, 1}});
    const auto sums = ts::stored(
        large + large, store, "other",
        {.chunks = {has_large_tasks ? 1 << 19 : 1 << 10}, .compressor = ts::codec::none{}});
    return ts::plan(lines, sums, settings).bounded().resident_memory();
  };
  (void)positions<2>({4096, 512}, {16, 512}, ts::codec::none{});
  EXPECT_EQ(make_plan(false).count(), 4096U * 512 * 8);
  EXPECT_EQ(make_plan(true), 0_B);
}

TEST_F(StageRechunks, ReadsChunksStraightIntoTheResult) {
  const auto x = positions<2>({512, 512}, {16, 512}, ts::codec::none{});
  const auto whole = ts::plan(ts::rechunk(x, {16, 512}));
  // A task holds a chunk at most, not a second one.
  EXPECT_LE(whole.projected_memory(), 66_kB);
  const auto turned = ts::permute_dims(x, ts::axis<1, 0>)(ts::slice(3, ts::none, 5)).compute();
  for (ts::index_t j = 0; j < turned.shape()[0]; ++j) {
    for (ts::index_t i = 0; i < 512; ++i) ASSERT_EQ(turned(j, i), i * 512 + 3 + 5 * j);
  }
}

TEST_F(StageRechunks, GivesTheSameElementsForRandomShapes) {
  const auto seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const auto up_to = [&random](ts::index_t most) {
    return std::uniform_int_distribution<ts::index_t>(1, most)(random);
  };
  int num_staged = 0;
  // Few are staged by chance.
  for (int i = 0; i < 40 || (num_staged < 4 && i < 1000); ++i) {
    std::array<ts::index_t, 3> shape{};
    std::array<ts::index_t, 3> from{};
    std::array<ts::index_t, 3> to{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      shape[axis] = up_to(48);
      from[axis] = up_to(3) == 1 ? shape[axis] : up_to(std::min<ts::index_t>(5, shape[axis]));
      to[axis] = up_to(3) == 1 ? shape[axis] : up_to(std::min<ts::index_t>(5, shape[axis]));
    }
    const auto size = [](const auto& chunk) { return chunk[0] * chunk[1] * chunk[2] * 8; };
    const ts::index_t least = 3 * std::max(size(from), size(to)) + 1024;
    spec.allowed_memory = ts::bytes{static_cast<std::size_t>(least)};
    const ts::codec::configuration compressor = ts::codec::none{};
    const auto x = positions<3>(shape, from, compressor);
    const auto plan = ts::plan(
        in_storage,
        ts::stored(x, store, "y", {.chunks = {to[0], to[1], to[2]}, .compressor = compressor}));
    num_staged += plan.num_operations() > 1 ? 1 : 0;
    EXPECT_LE(plan.projected_memory(), spec.allowed_memory);
    const auto result = plan.compute();
    const ts::ndarray<std::int64_t, 3> values_read = result;
    std::vector<std::int64_t> expected(values_read.span().size());
    std::iota(expected.begin(), expected.end(), std::int64_t{0});
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), values_read.span().begin()));
    store->erase_all("x");
    store->erase_all("y");
  }
  EXPECT_GE(num_staged, 4);
}

}  // namespace
