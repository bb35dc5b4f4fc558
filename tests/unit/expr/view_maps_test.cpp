// SPDX-License-Identifier: Apache-2.0
#include "tessera/expr/view_maps.hpp"

#include "tessera/core/error.hpp"

#include <array>
#include <cstdint>
#include <gtest/gtest.h>
#include <limits>
#include <optional>
#include <vector>

namespace tessera {
namespace {

mapped_shape indexed(const index_vector& shape, std::vector<any_index> indices) {
  return map_indexed(shape, indices);
}

/// Returns the elements of Python's `list(range(extent))[start:stop:step]`.
std::vector<index_t> python_slice(index_t extent, std::optional<index_t> start,
                                  std::optional<index_t> stop, index_t step) {
  const index_t low = step < 0 ? -1 : 0;
  const index_t high = step < 0 ? extent - 1 : extent;
  const auto bound = [&](std::optional<index_t> given, index_t otherwise) {
    if (!given) return otherwise;
    index_t value = *given;
    if (value < 0) value += extent;
    if (value < low) value = low;
    if (value > high) value = high;
    return value;
  };
  std::vector<index_t> indices;
  const index_t end = bound(stop, step < 0 ? low : high);
  for (index_t i = bound(start, step < 0 ? high : low); step < 0 ? i > end : i < end; i += step) {
    indices.push_back(i);
  }
  return indices;
}

TEST(ViewMaps, SlicesSelectWhatPythonSelects) {
  const std::vector<std::optional<index_t>> bounds{std::nullopt, -9, -6, -5, -1, 0, 1, 4, 5, 6, 9};
  for (const index_t extent : {0, 1, 5}) {
    for (const auto& start : bounds) {
      for (const auto& stop : bounds) {
        for (const index_t step : {-7, -2, -1, 1, 2, 3, 7}) {
          const auto to_bound = [](const std::optional<index_t>& b) {
            return b ? slice_bound(*b) : slice_bound(none);
          };
          const mapped_shape view =
              indexed({extent}, {slice(to_bound(start), to_bound(stop), step)});
          const std::vector<index_t> expected = python_slice(extent, start, stop, step);
          ASSERT_EQ(view.shape[0], static_cast<index_t>(expected.size()));
          for (index_t i = 0; i < view.shape[0]; ++i) {
            EXPECT_EQ(view.map(index_vector{i})[0], expected[static_cast<std::size_t>(i)]);
          }
        }
      }
    }
  }
}

TEST(ViewMaps, ExtremeBoundsAndStepsDoNotOverflow) {
  constexpr index_t most = std::numeric_limits<index_t>::max();
  constexpr index_t least = std::numeric_limits<index_t>::min();
  EXPECT_EQ(indexed({5}, {slice(none, most, most)}).shape, (index_vector{1}));
  EXPECT_EQ(indexed({5}, {slice(none, least, least)}).shape, (index_vector{1}));
  EXPECT_EQ(indexed({5}, {slice(least, most, 1)}).shape, (index_vector{5}));
}

// The end of the last chunk is 2^63, which is no index.
TEST(ViewMaps, LastChunksOfLongAxesEndWithTheArray) {
  constexpr index_t most = std::numeric_limits<index_t>::max();
  constexpr index_t chunk = index_t{1} << 32;
  const auto blocks = [](const any_index& index) {
    return map_blocks({most}, {chunk}, std::array{index});
  };
  EXPECT_EQ(blocks(index_t{-1}).shape, (index_vector{chunk - 1}));
  EXPECT_EQ(blocks(index_t{-1}).map(index_vector{0})[0], most - (chunk - 1));
  EXPECT_EQ(blocks(slice(-2, none)).shape, (index_vector{2 * chunk - 1}));
  EXPECT_EQ(blocks(slice(most)).shape, (index_vector{most}));
  EXPECT_EQ(blocks(slice(most, none)).shape, (index_vector{0}));
}

TEST(ViewMaps, IntegersDropAndNewAxesAdd) {
  const mapped_shape view = indexed({2, 3, 4}, {newaxis, index_t{-1}, ellipsis, newaxis});
  EXPECT_EQ(view.shape, (index_vector{1, 3, 4, 1}));
  EXPECT_EQ(view.map(index_vector{0, 2, 3, 0}), (index_vector{1, 2, 3}));
}

TEST(ViewMaps, PermutationsAndFlipsReachTheRightElements) {
  const std::array<std::size_t, 3> order{2, 0, 1};
  const mapped_shape permuted = map_permuted({2, 3, 4}, order);
  EXPECT_EQ(permuted.shape, (index_vector{4, 2, 3}));
  EXPECT_EQ(permuted.map(index_vector{3, 1, 2}), (index_vector{1, 2, 3}));
  const mapped_shape flipped = map_flipped({2, 3}, 0b10);
  EXPECT_EQ(flipped.map(index_vector{1, 0}), (index_vector{1, 2}));
}

TEST(ViewMaps, SqueezeAndBroadcastCheckExtents) {
  EXPECT_EQ(map_squeezed({1, 3, 1}, 0b101).shape, (index_vector{3}));
  EXPECT_THROW(static_cast<void>(map_squeezed({1, 3}, 0b10)), shape_error);
  EXPECT_THROW(static_cast<void>(map_broadcast({3}, {1})), shape_error);
  EXPECT_EQ(map_added_axes({3}, 0b101, 3).shape, (index_vector{1, 3, 1}));
}

}  // namespace
}  // namespace tessera
