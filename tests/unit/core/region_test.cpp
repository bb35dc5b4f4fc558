// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/region.hpp"

#include <gtest/gtest.h>

namespace {

using namespace tessera;

TEST(Region, KnowsItsShapeAndSize) {
  const region box{{2, 0}, {5, 4}};
  EXPECT_EQ(box.rank(), 2U);
  EXPECT_EQ(box.shape(), (index_vector{3, 4}));
  EXPECT_EQ(box.num_elements(), 12);
  EXPECT_FALSE(box.empty());
}

TEST(Region, IsEmptyWhereItStopsBeforeItStarts) {
  const region box{{5, 0}, {2, 4}};
  EXPECT_TRUE(box.empty());
  EXPECT_EQ(box.shape(), (index_vector{0, 4}));
  EXPECT_EQ(box.num_elements(), 0);
}

TEST(Region, OfRankZeroHoldsOneElement) {
  const region box = region::whole(index_vector{});
  EXPECT_FALSE(box.empty());
  EXPECT_EQ(box.num_elements(), 1);
}

TEST(Region, ContainsRegionsUpToItsEdges) {
  const region box{{2, 2}, {6, 6}};
  EXPECT_TRUE(box.contains(box));
  EXPECT_TRUE(box.contains({{3, 2}, {4, 6}}));
  EXPECT_FALSE(box.contains({{1, 2}, {4, 6}}));
  EXPECT_FALSE(box.contains({{3, 2}, {4, 7}}));
}

TEST(Region, ContainsEveryEmptyRegion) { EXPECT_TRUE((region{{2}, {4}}.contains({{9}, {9}}))); }

TEST(Intersect, HoldsWhatBothHave) {
  EXPECT_EQ(intersect({{0, 2}, {4, 8}}, {{2, 0}, {9, 5}}), (region{{2, 2}, {4, 5}}));
}

TEST(Intersect, OfRegionsApartIsEmpty) {
  EXPECT_TRUE(intersect({{0}, {4}}, {{4}, {8}}).empty());
  EXPECT_TRUE(intersect({{6}, {8}}, {{0}, {3}}).empty());
}

TEST(FormatRegion, IsPythonsSlices) {
  EXPECT_EQ(format_region({{0, 2}, {4, 6}}), "[0:4, 2:6]");
  EXPECT_EQ(format_region(region::whole(index_vector{})), "[]");
}

}  // namespace
