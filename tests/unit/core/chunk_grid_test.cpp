// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/chunk_grid.hpp"

#include "tessera/core/error.hpp"

#include <gtest/gtest.h>
#include <limits>
#include <string>

namespace {

using namespace tessera;

std::string message_of(const index_vector& shape, const index_vector& chunks) {
  try {
    (void)chunk_grid(shape, chunks);
  } catch (const shape_error& e) {
    return e.what();
  }
  return "accepted";
}

TEST(ChunkGrid, CountsTheChunksThatStickOut) {
  const chunk_grid grid({10, 7, 8}, {4, 3, 8});
  EXPECT_EQ(grid.num_chunks(), (index_vector{3, 3, 1}));
  EXPECT_EQ(grid.size(), 9);
}

TEST(ChunkGrid, CutsEdgeChunksAtTheArray) {
  const chunk_grid grid({10, 7}, {4, 3});
  EXPECT_EQ(grid.chunk_region(index_vector{0, 1}), (region{{0, 3}, {4, 6}}));
  EXPECT_EQ(grid.chunk_region(index_vector{2, 2}), (region{{8, 6}, {10, 7}}));
}

TEST(ChunkGrid, NumbersChunksInRowMajorOrder) {
  const chunk_grid grid({10, 7}, {4, 3});
  EXPECT_EQ(grid.chunk_at(0), (index_vector{0, 0}));
  EXPECT_EQ(grid.chunk_at(5), (index_vector{1, 2}));
  EXPECT_EQ(grid.chunk_at(8), (index_vector{2, 2}));
}

TEST(ChunkGrid, FindsTheChunksThatARegionTouches) {
  const chunk_grid grid({10, 7}, {4, 3});
  EXPECT_EQ(grid.chunks_touching({{3, 0}, {9, 3}}), (region{{0, 0}, {3, 1}}));
  EXPECT_EQ(grid.chunks_touching({{4, 3}, {8, 4}}), (region{{1, 1}, {2, 2}}));
}

TEST(ChunkGrid, TouchesNoChunkWithAnEmptyRegion) {
  EXPECT_TRUE(chunk_grid({10}, {4}).chunks_touching({{4}, {4}}).empty());
}

TEST(ChunkGrid, HasNoChunksAlongAnAxisOfExtentZero) {
  const chunk_grid grid({0, 7}, {4, 3});
  EXPECT_EQ(grid.num_chunks(), (index_vector{0, 3}));
  EXPECT_EQ(grid.size(), 0);
}

TEST(ChunkGrid, OfRankZeroHasOneChunk) {
  const chunk_grid grid(index_vector{}, index_vector{});
  EXPECT_EQ(grid.size(), 1);
  EXPECT_EQ(grid.chunk_at(0), index_vector{});
}

TEST(ChunkGrid, TakesChunksFarLongerThanTheArray) {
  const index_t longest = std::numeric_limits<index_t>::max();
  const chunk_grid grid({10}, {longest});
  EXPECT_EQ(grid.size(), 1);
  EXPECT_EQ(grid.chunk_region(index_vector{0}), (region{{0}, {10}}));
}

TEST(ChunkGrid, RefusesWhatIsNoGridAndSaysWhy) {
  EXPECT_EQ(message_of({4, 4}, {2}), "chunks (2,) must have one length per axis of shape (4, 4)");
  EXPECT_EQ(message_of({4, -1}, {2, 2}), "shape (4, -1): every extent must be at least 0");
  EXPECT_EQ(message_of({4, 4}, {2, 0}),
            "chunks (2, 0): every chunk length must be at least 1, found 0 along axis 1");
}

}  // namespace
