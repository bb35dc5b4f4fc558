// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/index_map.hpp"

#include <gtest/gtest.h>
#include <span>
#include <vector>

namespace {

using namespace tessera;

/// Returns the elements of an `arange` of `array_shape` through `map` over a domain of `extents`.
std::vector<index_t> seen_through(const index_map& map, const index_vector& array_shape,
                                  const index_vector& extents) {
  const index_vector strides = row_major_strides(array_shape);
  std::vector<index_t> values;
  index_vector position(extents.size(), 0);
  do {
    const index_vector index = map(position);
    index_t value = 0;
    for (std::size_t k = 0; k < index.size(); ++k) value += index[k] * strides[k];
    values.push_back(value);
  } while (next_position(position, extents));
  return values;
}

TEST(IndexMap, SelectsAsNumPySlicesDo) {
  // numpy.arange(24).reshape(4, 6)[::-1, 1::2]
  const index_map map(2, {{0, 3, -1}, {1, 1, 2}});
  EXPECT_EQ(seen_through(map, {4, 6}, {4, 3}),
            (std::vector<index_t>{19, 21, 23, 13, 15, 17, 7, 9, 11, 1, 3, 5}));
}

TEST(IndexMap, PermutesAsNumPyDoes) {
  // numpy.arange(24).reshape(4, 6).T[1::2, ::-1]
  const index_map map(2, {{1, 3, -1}, {0, 1, 2}});
  EXPECT_EQ(seen_through(map, {4, 6}, {3, 4}),
            (std::vector<index_t>{19, 13, 7, 1, 21, 15, 9, 3, 23, 17, 11, 5}));
}

TEST(IndexMap, BroadcastsAnAxisThatOccursNowhere) {
  // numpy.broadcast_to(numpy.arange(3), (2, 3))
  const index_map map(2, {{1, 0, 1}});
  EXPECT_EQ(seen_through(map, {3}, {2, 3}), (std::vector<index_t>{0, 1, 2, 0, 1, 2}));
  EXPECT_FALSE(map.is_injective(index_vector{2, 3}));
  EXPECT_TRUE(map.is_injective(index_vector{1, 3}));
}

TEST(IndexMap, IdentityIsRecognised) {
  EXPECT_TRUE(index_map::identity(3).is_identity());
  EXPECT_TRUE(index_map::identity(0).is_identity());
  EXPECT_FALSE(index_map(2, {{1, 0, 1}, {0, 0, 1}}).is_identity());
  EXPECT_FALSE(index_map(1, {{0, 1, 1}}).is_identity());
  EXPECT_FALSE(index_map(2, {{0, 0, 1}}).is_identity());
}

TEST(IndexMap, ImageIsTheSmallestBoxForBothDirections) {
  const index_map map(2, {{0, 9, -2}, {1, 1, 3}, {4}});
  EXPECT_EQ(map.image({{1, 0}, {4, 2}}), (region{{3, 1, 4}, {8, 5, 5}}));
}

TEST(IndexMap, ImageOfAnEmptyBoxIsEmpty) {
  const index_map map(1, {{0, 9, -1}});
  EXPECT_TRUE(map.image({{0}, {0}}).empty());
}

TEST(IndexMap, StridesWalkTheArrayAlongTheDomain) {
  // numpy.arange(24).reshape(4, 6)[::-1, 1::2] has strides (-6, 2) in elements.
  EXPECT_EQ(index_map(2, {{0, 3, -1}, {1, 1, 2}}).strides(index_vector{6, 1}),
            (index_vector{-6, 2}));
  EXPECT_EQ(index_map(2, {{1, 0, 1}}).strides(index_vector{1}), (index_vector{0, 1}));
}

TEST(Compose, IsOneSelectionAfterTheOther) {
  // numpy.arange(10)[1:9:3][::-1]
  const index_map composed = compose(index_map(1, {{0, 1, 3}}), index_map(1, {{0, 2, -1}}));
  EXPECT_EQ(composed, index_map(1, {{0, 7, -3}}));
  EXPECT_EQ(seen_through(composed, {10}, {3}), (std::vector<index_t>{7, 4, 1}));
}

TEST(Compose, AnIntegerInTheInnerMapFixesTheOuterIndex) {
  // numpy.arange(24).reshape(4, 6)[:, 1::2][:, 2] is column 5.
  const index_map composed =
      compose(index_map(2, {{0, 0, 1}, {1, 1, 2}}), index_map(1, {{0, 0, 1}, {2}}));
  EXPECT_EQ(seen_through(composed, {4, 6}, {4}), (std::vector<index_t>{5, 11, 17, 23}));
}

TEST(Compose, WithTheIdentityChangesNothing) {
  const index_map map(2, {{1, 4, -1}, {2}});
  EXPECT_EQ(compose(map, index_map::identity(2)), map);
  EXPECT_EQ(compose(index_map::identity(2), map), map);
}

TEST(FormatIndexMap, WritesTheEquations) {
  EXPECT_EQ(format_index_map(index_map(2, {{1, 0, 1}, {0, 9, -2}, {0}})),
            "(i, j) -> (j, 9 - 2 i, 0)");
  EXPECT_EQ(format_index_map(index_map(2, {{0, 0, -1}, {1, 2, 3}})), "(i, j) -> (-i, 2 + 3 j)");
}

}  // namespace
