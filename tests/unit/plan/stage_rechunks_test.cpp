// SPDX-License-Identifier: Apache-2.0

/// \file
/// Rechunks by several copies: what is planned, what is really read, what comes out.

#include "tessera/tessera.hpp"

#include "unit/array/counting_store.hpp"

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
using namespace ts::literals;

class StageRechunks : public ::testing::Test {
 protected:
  StageRechunks() { std::filesystem::create_directories(spec.work_dir); }
  ~StageRechunks() override { std::filesystem::remove_all(spec.work_dir); }

  /// Returns a stored array whose elements are their positions.
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
  constexpr std::size_t all = 4096 * 512 * 8;
  EXPECT_LT(staged.bytes_read().count(), 6 * all);
  EXPECT_GT(direct.bytes_read().count(), 60 * all);
  EXPECT_LE(staged.projected_memory(), 400_kB);

  const long before = store->num_reads();
  const auto made = staged.compute();
  // Of the 256 chunks of x, each for one block or for two side by side.
  EXPECT_LE(store->num_reads() - before, 512);
  const ts::ndarray<std::int64_t, 2> found = made;
  for (ts::index_t i = 0; i < 4096; ++i) {
    for (ts::index_t j = 0; j < 512; ++j) ASSERT_EQ(found(i, j), i * 512 + j);
  }
}

TEST_F(StageRechunks, TakesAProgramIntoItsLastCopy) {
  const auto x = positions<2>({4096, 512}, {16, 512}, ts::codec::none{});
  const auto plan = ts::plan(in_storage, ts::stored(ts::rechunk(x, {4096, 1}) * 2 + 1, store,
                                                    "lines", {.compressor = ts::codec::none{}}));
  EXPECT_GT(plan.num_operations(), 1U);
  const auto made = plan.compute();
  const ts::ndarray<std::int64_t, 2> found = made;
  EXPECT_EQ(found(4095, 511), 2 * (4096 * 512 - 1) + 1);
  EXPECT_EQ(found(1, 2), 2 * (512 + 2) + 1);
}

TEST_F(StageRechunks, LeavesChunksThatAreReadOnce) {
  const auto x = positions<2>({128, 128}, {16, 128}, ts::codec::none{});
  const auto plan = ts::plan(in_storage, ts::stored(ts::rechunk(x, {32, 64}), store, "y"));
  EXPECT_EQ(plan.num_operations(), 1U);
}

TEST_F(StageRechunks, GivesTheSameElementsForRandomShapes) {
  const auto seed = std::random_device()();
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const auto up_to = [&random](ts::index_t most) {
    return std::uniform_int_distribution<ts::index_t>(1, most)(random);
  };
  int num_staged = 0;
  for (int i = 0; i < 40; ++i) {
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
    const auto made = plan.compute();
    const ts::ndarray<std::int64_t, 3> found = made;
    std::vector<std::int64_t> expected(found.span().size());
    std::iota(expected.begin(), expected.end(), std::int64_t{0});
    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), found.span().begin()));
    store->erase_all("x");
    store->erase_all("y");
  }
  EXPECT_GT(num_staged, 3);
}

}  // namespace
