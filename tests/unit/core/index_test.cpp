// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/index.hpp"

#include "tessera/core/error.hpp"

#include "unit/core/message_of.hpp"

#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace tessera;

constexpr index_t largest = std::numeric_limits<index_t>::max();

TEST(IndexVector, HoldsUpToThirtyTwoValues) {
  index_vector v(max_rank, 7);
  EXPECT_EQ(v.size(), 32U);
  EXPECT_EQ(v[31], 7);
  EXPECT_THROW(v.push_back(1), shape_error);
  EXPECT_EQ(v.size(), 32U);
  EXPECT_THROW(index_vector(33), shape_error);
}

TEST(IndexVector, TheMessageOfAnExcessiveRankStatesBothNumbers) {
  EXPECT_EQ(tessera::testing::message_of<shape_error>([] { const index_vector v(40); }),
            "rank 40: an array has at most 32 axes");
}

TEST(IndexVector, ComparesSizesAndValues) {
  const std::vector<index_t> values{3, 1};
  index_vector v{3};
  EXPECT_FALSE(v == (index_vector{3, 1}));
  v.push_back(1);
  EXPECT_EQ(v, index_vector(values));
  EXPECT_EQ(v.back(), 1);
  v[0] = 4;
  EXPECT_FALSE(v == (index_vector{3, 1}));
  EXPECT_TRUE(index_vector{}.empty());
}

TEST(IndexVector, CopiesAreIndependent) {
  const index_vector original{1, 2, 3};
  index_vector copy = original;
  copy[1] = 9;
  EXPECT_EQ(original, (index_vector{1, 2, 3}));
  copy = index_vector{5};
  EXPECT_EQ(copy, index_vector{5});
}

// As std::vector, for all sizes before and after, also the sizes that do not fit inside.
TEST(IndexVector, IsAssignedAndMovedAsVectorsAre) {
  const auto counted = [](std::size_t size, index_t first) {
    std::vector<index_t> values(size);
    std::iota(values.begin(), values.end(), first);
    return values;
  };
  for (std::size_t before = 0; before <= max_rank; ++before) {
    for (std::size_t after = 0; after <= max_rank; ++after) {
      const std::vector<index_t> old_values = counted(before, 100);
      const std::vector<index_t> new_values = counted(after, 200);
      const index_vector source(new_values);

      index_vector assigned(old_values);
      assigned = source;
      EXPECT_TRUE(std::ranges::equal(assigned, new_values));
      EXPECT_TRUE(std::ranges::equal(source, new_values));

      index_vector passed(source);
      index_vector moved(old_values);
      moved = std::move(passed);
      EXPECT_TRUE(std::ranges::equal(moved, new_values));
      EXPECT_TRUE(passed.empty());  // NOLINT(bugprone-use-after-move)
      passed = moved;
      EXPECT_TRUE(std::ranges::equal(passed, new_values));

      index_vector grown(std::move(passed));
      std::vector<index_t> expected = new_values;
      for (index_t value = 0; grown.size() < max_rank; ++value) {
        grown.push_back(value);
        expected.push_back(value);
      }
      EXPECT_TRUE(std::ranges::equal(grown, expected));
      grown = index_vector(old_values);
      EXPECT_TRUE(std::ranges::equal(grown, old_values));
      EXPECT_EQ(grown, index_vector(old_values));
    }
  }
}

TEST(NumElements, IsTheProductOfTheExtents) {
  EXPECT_EQ(num_elements(index_vector{}), 1);
  EXPECT_EQ(num_elements(index_vector{2, 3, 4}), 24);
  EXPECT_EQ(num_elements(index_vector{largest}), largest);
}

TEST(NumElements, IsZeroForAnEmptyAxisHoweverLongTheOthers) {
  EXPECT_EQ(num_elements(index_vector{largest, largest, 0}), 0);
}

TEST(NumElements, RefusesNegativeExtentsAndOverflow) {
  EXPECT_THROW((void)num_elements(index_vector{2, -1}), shape_error);
  EXPECT_THROW((void)num_elements(index_vector{0, -1}), shape_error);
  EXPECT_THROW((void)num_elements(index_vector{index_t{1} << 32, index_t{1} << 31}), shape_error);
  EXPECT_EQ(num_elements(index_vector{index_t{1} << 31, index_t{1} << 31}), index_t{1} << 62);
}

TEST(RowMajorStrides, AreThoseOfNumPyInElements) {
  EXPECT_EQ(row_major_strides(index_vector{4, 6}), (index_vector{6, 1}));
  EXPECT_EQ(row_major_strides(index_vector{2, 3, 4}), (index_vector{12, 4, 1}));
  EXPECT_EQ(row_major_strides(index_vector{}), index_vector{});
}

TEST(RowMajorStrides, IgnoreTheLengthOfTheFirstAxis) {
  EXPECT_EQ(row_major_strides(index_vector{largest, 2}), (index_vector{2, 1}));
  EXPECT_THROW((void)row_major_strides(index_vector{1, largest, 2}), shape_error);
}

TEST(CheckedMultiply, StopsAtTwoToTheSixtyThird) {
  EXPECT_EQ(checked_multiply(index_t{1} << 31, index_t{1} << 31), index_t{1} << 62);
  EXPECT_THROW((void)checked_multiply(index_t{1} << 31, index_t{1} << 32), shape_error);
}

TEST(CeilDivide, RoundsUpAndDoesNotOverflow) {
  EXPECT_EQ(ceil_divide(0, 4), 0);
  EXPECT_EQ(ceil_divide(8, 4), 2);
  EXPECT_EQ(ceil_divide(9, 4), 3);
  EXPECT_EQ(ceil_divide(largest, 2), index_t{1} << 62);
}

TEST(FormatShape, IsPythonsTuple) {
  EXPECT_EQ(format_shape(index_vector{}), "()");
  EXPECT_EQ(format_shape(index_vector{4}), "(4,)");
  EXPECT_EQ(format_shape(index_vector{4, 5}), "(4, 5)");
}

TEST(NextPosition, WalksInRowMajorOrderAndStopsAfterTheLast) {
  const index_vector extents{2, 3};
  index_vector position(2, 0);
  std::vector<index_vector> visited{position};
  while (next_position(position, extents)) visited.push_back(position);
  const std::vector<index_vector> expected{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}};
  EXPECT_EQ(visited, expected);
}

TEST(NextPosition, HasOnePositionOfRankZero) {
  index_vector position;
  EXPECT_FALSE(next_position(position, index_vector{}));
}

}  // namespace
