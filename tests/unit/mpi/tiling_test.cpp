// SPDX-License-Identifier: Apache-2.0
#include "array/mpi/tiling.hpp"

#include <gtest/gtest.h>

namespace tessera::mpi {
namespace {

TEST(Tiling, APartGoesOnToTheNextOne) {
  const std::vector<region> boxes =
      boxes_of({7, 5}, {{{0, 0}, {}}, {{0, 3}, {}}, {{4, 0}, {}}, {{4, 3}, {}}});
  EXPECT_EQ(boxes[0], (region{{0, 0}, {4, 3}}));
  EXPECT_EQ(boxes[1], (region{{0, 3}, {4, 5}}));
  EXPECT_EQ(boxes[2], (region{{4, 0}, {7, 3}}));
  EXPECT_EQ(boxes[3], (region{{4, 3}, {7, 5}}));
}

TEST(Tiling, APartHasTheExtentsThatItStates) {
  const std::vector<region> boxes = boxes_of(
      {4, 4},
      {{{0, 0}, index_vector{4, 2}}, {{0, 2}, index_vector{2, 2}}, {{2, 2}, index_vector{2, 2}}});
  EXPECT_EQ(boxes[0], (region{{0, 0}, {4, 2}}));
  EXPECT_EQ(problem_of({4, 4}, boxes), "");
}

TEST(Tiling, AnEmptyPartEndsNoOther) {
  const std::vector<region> boxes = boxes_of({6}, {{{0}, {}}, {{3}, index_vector{0}}});
  EXPECT_EQ(boxes[0], (region{{0}, {6}}));
  EXPECT_EQ(problem_of({6}, boxes), "");
}

TEST(Tiling, TellsOfPartsThatOverlap) {
  EXPECT_EQ(problem_of({4, 4}, {{{2, 0}, {4, 4}}, {{0, 0}, {3, 2}}, {{0, 2}, {2, 4}}}),
            "ranks 0 and 1 both hold [2:3, 0:2]");
}

TEST(Tiling, TellsOfGaps) {
  EXPECT_EQ(problem_of({4, 4}, {{{0, 0}, {2, 4}}, {{2, 1}, {4, 4}}}),
            "the parts hold 14 of its 16 elements");
}

TEST(Tiling, TellsOfPartsBeyondTheArray) {
  EXPECT_EQ(problem_of({4}, {{{0}, {2}}, {{2}, {5}}}),
            "rank 1 holds [2:5], which reaches beyond the array");
  EXPECT_EQ(problem_of({4}, {{{-1}, {4}}}), "rank 0 holds [-1:4], which reaches beyond the array");
}

TEST(Tiling, FindsTheGridWhoseChunksTheRanksHold) {
  const auto by_rank = regular_grid(
      {5, 7}, {{{3, 4}, {5, 7}}, {{0, 0}, {3, 4}}, {{3, 0}, {5, 4}}, {{0, 4}, {3, 7}}});
  ASSERT_TRUE(by_rank.has_value());
  EXPECT_EQ(by_rank->grid.chunks(), (index_vector{3, 4}));
  EXPECT_EQ(by_rank->holders, (std::vector<std::size_t>{1, 3, 2, 0}));
}

TEST(Tiling, FindsNoGridWhereChunksDiffer) {
  EXPECT_FALSE(regular_grid({6}, {{{0}, {2}}, {{2}, {5}}, {{5}, {6}}}).has_value());
  EXPECT_FALSE(
      regular_grid({4, 4}, {{{0, 0}, {4, 2}}, {{0, 2}, {2, 4}}, {{2, 2}, {4, 4}}}).has_value());
}

TEST(Tiling, AGridHasAtMostOneChunkForEachRank) {
  // 5 along 4: chunks of 2, so that three ranks hold something.
  const rank_grid by_rank = even_grid({5}, {4});
  EXPECT_EQ(by_rank.grid.chunks(), index_vector{2});
  EXPECT_EQ(by_rank.holders, (std::vector<std::size_t>{0, 1, 2}));
}

}  // namespace
}  // namespace tessera::mpi
