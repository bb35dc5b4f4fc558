// SPDX-License-Identifier: Apache-2.0
#include "lower/product_tile.hpp"

#include "tessera/core/index.hpp"

#include <cstddef>
#include <gtest/gtest.h>
#include <random>

namespace tessera {
namespace {

/// Returns the tile of a product of matrices of `rows` by `inner` and `inner` by `columns`.
index_vector tile_of_matrices(const index_vector& extents, const index_vector& chunks,
                              std::size_t itemsize = 8) {
  return choose_tile({extents,
                      chunks,
                      {product_axis::row, product_axis::column, product_axis::inner},
                      itemsize,
                      false});
}

TEST(ProductTile, IsAnOrdinaryChunk) {
  EXPECT_EQ(tile_of_matrices({5000, 5000, 500}, {500, 500, 500}), (index_vector{500, 500, 500}));
  EXPECT_EQ(tile_of_matrices({9000, 9000, 900}, {1000, 900, 900}, 4),
            (index_vector{1000, 900, 900}));
}

// 4 MiB of float64 are 512 rows of 1024.
TEST(ProductTile, HasAtMostFourMebibytes) {
  EXPECT_EQ(tile_of_matrices({8192, 8192, 8192}, {1024, 2048, 1024}),
            (index_vector{512, 1024, 8192}));
}

TEST(ProductTile, IsShortAcrossWideChunks) {
  EXPECT_EQ(tile_of_matrices({1000, 1'000'000, 16}, {1000, 50'000, 16}, 4),
            (index_vector{250, 1000, 16}));
}

TEST(ProductTile, GivesASingleChunkTasks) {
  EXPECT_EQ(tile_of_matrices({2000, 2000, 2000}, {2000, 2000, 2000}),
            (index_vector{500, 500, 2000}));
}

// 64 tasks, of which each adds up whole steps.
TEST(ProductTile, CutsLongSumsIntoParts) {
  EXPECT_EQ(tile_of_matrices({10, 10, 1'000'000}, {10, 10, 1000}), (index_vector{10, 10, 16'000}));
  EXPECT_EQ(tile_of_matrices({640, 640, 1'000'000}, {80, 80, 1000}),
            (index_vector{80, 80, 1'000'000}));
}

TEST(ProductTile, LeavesBatchesAndExactSumsFree) {
  const product_domain batch{
      {64, 512, 512, 512},
      {64, 512, 512, 512},
      {product_axis::batch, product_axis::row, product_axis::column, product_axis::inner},
      4,
      false};
  EXPECT_EQ(choose_tile(batch), (index_vector{0, 512, 512, 512}));
  product_domain exact = batch;
  exact.is_exact = true;
  EXPECT_EQ(choose_tile(exact), (index_vector{0, 0, 0, 512}));
}

// 2^61 - 1 is a prime number.
TEST(ProductTile, IsAChunkThatHasNoDivisors) {
  constexpr index_t prime = (index_t{1} << 61) - 1;
  EXPECT_EQ(tile_of_matrices({4 * prime, 10, 10}, {prime, 10, 10}), (index_vector{prime, 10, 10}));
}

// Otherwise blocks of the next chunk would begin within a tile.
TEST(ProductTile, DividesChunksUnlessOneCoversTheAxis) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    const auto pick = [&](index_t most) {
      return 1 + static_cast<index_t>(random() % static_cast<unsigned>(most));
    };
    const index_vector extents{pick(20'000), pick(20'000), pick(3000)};
    const index_vector chunks{pick(extents[0]), pick(extents[1]), pick(extents[2])};
    const index_vector tile = tile_of_matrices(extents, chunks, seed % 2 == 0 ? 4 : 8);
    for (std::size_t axis = 0; axis < 2; ++axis) {
      EXPECT_TRUE(0 < tile[axis] && tile[axis] <= chunks[axis]) << "seed " << seed;
      EXPECT_TRUE(chunks[axis] == extents[axis] || chunks[axis] % tile[axis] == 0)
          << "seed " << seed << ": " << tile[axis] << " of " << chunks[axis];
    }
    EXPECT_TRUE(tile[2] == extents[2] || tile[2] % chunks[2] == 0) << "seed " << seed;
  }
}

}  // namespace
}  // namespace tessera
