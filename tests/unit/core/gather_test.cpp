// SPDX-License-Identifier: Apache-2.0
#include "core/api/gather.hpp"

#include "tessera/core/chunk_grid.hpp"
#include "tessera/core/error.hpp"

#include "core/api/gather_cursor.hpp"
#include "core/api/reshaped_block.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using indices = std::vector<index_t>;

std::shared_ptr<const index_table> table(indices values) {
  return std::make_shared<const index_table>(std::move(values));
}

gathered_axes plain(index_t extent) { return {{extent}, {extent}}; }

index_vector as_vector(const indices& values) { return {values.begin(), values.end()}; }

/// Returns the index of the element at `position` of a gather, by the definition: factor by factor,
/// number by number.
index_vector shown_at(const gather& map, const index_vector& position) {
  index_vector read;
  std::size_t axis = 0;
  for (const gathered_axes& factor : map.factors()) {
    index_t number = 0;
    for (const index_t extent : factor.domain) number = number * extent + position[axis++];
    if (factor.table != nullptr) number = (*factor.table)[number];
    index_vector at(factor.read.size());
    for (std::size_t k = at.size(); k-- > 0; number /= factor.read[k])
      at[k] = number % factor.read[k];
    for (const index_t index : at) read.push_back(index);
  }
  return map.into()(read);
}

/// Goes through an array of `shape` in `chunks` for `box`. Expects each element in its position,
/// and each chunk that has an element exactly once.
void expect_walk(const gather& map, const index_vector& shape, const index_vector& chunks,
                 const region& box) {
  const chunk_grid grid(shape, chunks);
  const index_vector array_strides = row_major_strides(shape);
  std::set<indices> expected;
  std::vector<index_t> values;
  index_vector position(box.rank());
  do {
    index_vector at = box.start;
    for (std::size_t k = 0; k < at.size(); ++k) at[k] += position[k];
    const index_vector element = shown_at(map, at);
    values.push_back(offset_of(element, array_strides));
    indices chunk;
    for (std::size_t k = 0; k < element.size(); ++k) chunk.push_back(element[k] / chunks[k]);
    expected.insert(chunk);
  } while (next_position(position, box.shape()));

  std::vector<std::uint64_t> order(gather_cursor::order_size(map, box.shape()));
  gather_cursor cursor(map, chunks, box, order);
  EXPECT_EQ(chunks_gathered(map, chunks, box), static_cast<index_t>(expected.size()));
  std::vector<index_t> copied(values.size(), -1);
  std::vector<index_t> chunk_elements(static_cast<std::size_t>(num_elements(chunks)));
  while (cursor.next()) {
    const indices chunk(cursor.chunk().begin(), cursor.chunk().end());
    EXPECT_EQ(expected.erase(chunk), 1U);
    const region box_of_chunk = grid.chunk_region(cursor.chunk());
    std::fill(chunk_elements.begin(), chunk_elements.end(), -2);
    const index_vector strides = row_major_strides(chunks);
    index_vector inside(shape.size());
    do {
      index_vector element = box_of_chunk.start;
      for (std::size_t k = 0; k < element.size(); ++k) element[k] += inside[k];
      chunk_elements[static_cast<std::size_t>(offset_of(inside, strides))] =
          offset_of(element, array_strides);
    } while (next_position(inside, box_of_chunk.shape()));
    cursor.copy(reinterpret_cast<std::byte*>(copied.data()), row_major_strides(box.shape()),
                reinterpret_cast<const std::byte*>(chunk_elements.data()), strides,
                sizeof(index_t));
  }
  EXPECT_TRUE(expected.empty());
  EXPECT_EQ(copied, values);
}

TEST(Gather, RefusesWhatDoesNotFit) {
  const index_map into = index_map::identity(2);
  EXPECT_THROW(gather({{{5}, {2, 3}}}, into), shape_error);
  EXPECT_THROW(gather({{{2}, {2, 3}, table({0, 6})}}, into), shape_error);
  EXPECT_THROW(gather({{{2}, {2, 3}, table({0, -1})}}, into), shape_error);
  EXPECT_THROW(gather({{{3}, {2, 3}, table({0, 1})}}, into), shape_error);
  EXPECT_THROW(gather({plain(2)}, into), shape_error);
  axis_map diagonal(0, 0, 1);
  diagonal.add({1, 1});
  EXPECT_THROW(gather({plain(2), plain(3)}, {2, {diagonal}}), shape_error);
}

TEST(Gather, IsInjectiveWhereNoElementIsShownTwice) {
  const index_map into = index_map::identity(2);
  EXPECT_TRUE(gather({{{6}, {2, 3}}}, into).is_injective());
  EXPECT_TRUE(gather({plain(2), {{2}, {3}, table({0, 2})}}, into).is_injective());
  EXPECT_TRUE(gather({plain(2), {{3}, {3}, table({2, 0, 1})}}, into).is_injective());
  EXPECT_FALSE(gather({plain(2), {{3}, {3}, table({2, 0, 2})}}, into).is_injective());
  EXPECT_FALSE(gather({{{6}, {2, 3}}}, {2, {{1, 0, 1}}}).is_injective());
}

TEST(Gather, IsComposedWithMapsBeforeAndBehind) {
  // Rows 3 and 1 of every other column, backwards, then one column of these.
  const index_map behind(2, {{0, 0, 1}, {1, 4, -2}});
  auto rows_and_columns = std::make_shared<const gather>(
      std::vector<gathered_axes>{{{2}, {4}, table({3, 1})}, plain(3)}, index_map::identity(2));
  const index_map map = compose(behind, {2, index_map::identity(2).axes(), rows_and_columns});
  const index_map column = compose(map, {1, {{0, 0, 1}, 2}});
  ASSERT_NE(column.gather(), nullptr);
  EXPECT_EQ(shown_at(*column.gather(), column.image({{0}, {1}}).start), (index_vector{3, 0}));
  EXPECT_EQ(shown_at(*column.gather(), column.image({{1}, {2}}).start), (index_vector{1, 0}));
  EXPECT_EQ(column, compose(map, {1, {{0, 0, 1}, 2}}));
  EXPECT_NE(column, compose(map, {1, {{0, 0, 1}, 1}}));
}

TEST(Gather, OfAGatherIsOneWherePartsAgree) {
  const gather flat({{{12}, {3, 4}}}, index_map::identity(2));
  const gather some({{{3}, {12}, table({11, 0, 5})}}, index_map::identity(1));
  const std::optional<gather> selection = joined(flat, some);
  ASSERT_TRUE(selection);
  EXPECT_EQ(shown_at(*selection, {0}), (index_vector{2, 3}));
  EXPECT_EQ(shown_at(*selection, {2}), (index_vector{1, 1}));
  const gather again({{{2}, {3}, table({2, 0})}}, index_map::identity(1));
  const std::optional<gather> subselection = joined(*selection, again);
  ASSERT_TRUE(subselection);
  EXPECT_EQ(shown_at(*subselection, {0}), (index_vector{1, 1}));
  // Rows of a flattened array are no factors of it.
  const gather split({{{4}, {2, 2}}, plain(3)}, index_map::identity(3));
  const gather rows({plain(2), {{2}, {2}, table({1, 0})}, plain(3)}, index_map::identity(3));
  EXPECT_TRUE(joined(rows, rows));
  EXPECT_FALSE(joined(rows, gather({{{4}, {2, 2}}, plain(3)}, index_map::identity(3))));
  EXPECT_TRUE(joined(split, gather({{{2}, {4}, table({3, 3})}, plain(3)}, index_map::identity(2))));
  // Axes of another extent.
  EXPECT_FALSE(joined(rows, gather({plain(2), plain(3), plain(3)}, index_map::identity(3))));
}

TEST(GatherWalk, MeetsEachChunkOnceAndCopiesWhatIsThere) {
  const index_map into = index_map::identity(3);
  const index_vector shape{5, 7, 4};
  const index_vector chunks{2, 3, 4};
  for (const auto& factors : std::vector<std::vector<gathered_axes>>{
           {plain(5), plain(7), plain(4)},
           {{{4}, {5}, table({3, 1, 1, 4})}, plain(7), plain(4)},
           {plain(5), {{3}, {7}, table({6, 0, 6})}, {{2}, {4}, table({3, 0})}},
           {{{140}, {5, 7, 4}}},
           {{{28, 5}, {5, 7, 4}}},
           {plain(5), {{2, 14}, {7, 4}}},
           {{{7, 5}, {5, 7}}, {{2, 2}, {4}}},
           {{{3, 2}, {5, 7, 4}, table({139, 0, 17, 17, 64, 3})}},
       }) {
    const gather map(factors, into);
    expect_walk(map, shape, chunks, region::whole(map.domain()));
    region factor = region::whole(map.domain());
    for (std::size_t axis = 0; axis < factor.rank(); ++axis) {
      factor.start[axis] = factor.stop[axis] > 2 ? 1 : 0;
      if (factor.stop[axis] > 3) --factor.stop[axis];
    }
    expect_walk(map, shape, chunks, factor);
  }
}

TEST(GatherWalk, GoesBehindMapsThatSkipTurnAndRepeat) {
  // Every second row from the last on, and a column that is constant.
  const index_map into(2, {{0, 6, -2}, 2, {1, 1, 1}});
  const index_vector shape{7, 3, 5};
  for (const index_vector& chunks : {index_vector{2, 2, 2}, index_vector{7, 1, 3}}) {
    expect_walk(gather({{{3}, {4}, table({0, 3, 3})}, plain(4)}, into), shape, chunks,
                {{0, 0}, {3, 4}});
    expect_walk(gather({{{16}, {4, 4}}}, into), shape, chunks, {{3}, {14}});
  }
  // Each element three times, and the whole three times.
  expect_walk(gather({{{21}, {7, 3}}}, {2, {{0, 0, 1}}}), {7}, {3}, {{2}, {20}});
  expect_walk(gather({{{21}, {3, 7}}}, {2, {{1, 0, 1}}}), {7}, {3}, {{2}, {20}});
}

/// Returns a random number from 0 to below `limit`.
index_t pick_below(index_t limit, std::mt19937& engine) {
  return std::uniform_int_distribution<index_t>(0, limit - 1)(engine);
}

/// Returns random extents of `count` elements together.
index_vector pick_extents(index_t count, std::mt19937& engine) {
  indices extents;
  while (count > 1 && extents.size() < 3) {
    index_t factor = 1 + pick_below(count, engine);
    while (count % factor != 0) factor = 1 + pick_below(count, engine);
    extents.push_back(factor);
    count /= factor;
  }
  extents.push_back(count);
  std::shuffle(extents.begin(), extents.end(), engine);
  return as_vector(extents);
}

TEST(GatherWalk, HoldsForRandomShapesChunksAndTables) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 engine(seed);
    const auto below = [&engine](index_t limit) { return pick_below(limit, engine); };
    const auto extents_of = [&engine](index_t count) { return pick_extents(count, engine); };
    std::vector<gathered_axes> factors;
    index_vector shape;
    const index_t num_factors = 1 + below(3);
    for (index_t i = 0; i < num_factors; ++i) {
      gathered_axes factor{{}, extents_of(2 + below(11))};
      const index_t count = num_elements(factor.read);
      if (below(2) == 0) {
        factor.domain = extents_of(count);
      } else {
        factor.domain = extents_of(1 + below(12));
        indices list(static_cast<std::size_t>(num_elements(factor.domain)));
        for (index_t& index : list) index = below(count);
        factor.table = table(std::move(list));
      }
      for (const index_t extent : factor.read) shape.push_back(extent);
      factors.push_back(std::move(factor));
    }
    index_vector chunks = shape;
    for (index_t& chunk : chunks) chunk = 1 + below(chunk);
    const gather map(std::move(factors), index_map::identity(shape.size()));
    region box = region::whole(map.domain());
    for (std::size_t axis = 0; axis < box.rank(); ++axis) {
      box.start[axis] = below(box.stop[axis]);
      box.stop[axis] = box.start[axis] + 1 + below(box.stop[axis] - box.start[axis]);
    }
    expect_walk(map, shape, chunks, box);
  }
}

/// Expects the element that `map` shows at each index, by the definition, in a dense array of
/// `shape`: at the index, and at the strides from the first element.
void expect_in_memory(const gather& map, const index_vector& shape) {
  ASSERT_TRUE(is_reshape_in_memory(map, shape));
  const index_vector array_strides = row_major_strides(shape);
  const index_vector strides = reshaped_strides(map, array_strides);
  index_vector position(map.domain().size());
  do {
    const index_vector element = shown_at(map, position);
    EXPECT_EQ(reshaped_index(map, position), element);
    EXPECT_EQ(offset_of(position, strides), offset_of(element, array_strides));
  } while (next_position(position, map.domain()));
}

TEST(ReshapedBlocks, HaveStrides) {
  expect_in_memory(gather({plain(2), {{12}, {3, 4}}}, index_map::identity(3)), {2, 3, 4});
  expect_in_memory(gather({plain(2), {{6, 1, 2}, {3, 4}}}, index_map::identity(3)), {2, 3, 4});
  expect_in_memory(gather({{{3, 4}, {12}}, plain(5)}, index_map::identity(2)), {12, 5});
  // The array has the axes (3, 4, 2), the gather reads (2, 3, 4).
  const index_map into(3, {{1, 0, 1}, {2, 0, 1}, {0, 0, 1}});
  expect_in_memory(gather({plain(2), {{12}, {3, 4}}}, into), {3, 4, 2});
}

TEST(ReshapedBlocks, HaveStridesForRandomShapes) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 engine(seed);
    std::vector<gathered_axes> factors;
    index_vector shape;
    for (index_t count = 1 + pick_below(3, engine); count > 0; --count) {
      const index_t size = 1 + pick_below(12, engine);
      factors.push_back({pick_extents(size, engine), pick_extents(size, engine)});
      for (const index_t extent : factors.back().read) shape.push_back(extent);
    }
    expect_in_memory(gather(std::move(factors), index_map::identity(shape.size())), shape);
  }
}

TEST(ReshapedBlocks, HaveNoTablesAndNoAxesInAnotherOrder) {
  const index_map identity = index_map::identity(2);
  EXPECT_FALSE(
      is_reshape_in_memory(gather({plain(2), {{2}, {3}, table({2, 0})}}, identity), {2, 3}));
  const index_map transposed(2, {{1, 0, 1}, {0, 0, 1}});
  EXPECT_FALSE(is_reshape_in_memory(gather({{{6}, {2, 3}}}, transposed), {3, 2}));
  // A part of an array, in reverse order, and each element twice.
  EXPECT_FALSE(is_reshape_in_memory(gather({{{6}, {2, 3}}}, identity), {2, 4}));
  const index_map reversed(2, {{0, 0, 1}, {1, 2, -1}});
  EXPECT_FALSE(is_reshape_in_memory(gather({{{6}, {2, 3}}}, reversed), {2, 3}));
  EXPECT_FALSE(is_reshape_in_memory(gather({{{6}, {2, 3}}}, index_map(2, {{1, 0, 1}})), {3}));
  // Axes that are not side by side: (2, 5, 3), of which (2, 3) are numbered anew.
  const index_map apart(3, {{0, 0, 1}, {2, 0, 1}, {1, 0, 1}});
  EXPECT_FALSE(is_reshape_in_memory(gather({{{6}, {2, 3}}, plain(5)}, apart), {2, 5, 3}));
}

TEST(ReshapedBlocks, KeepTheMapsOfAxesThatAreNotNumberedAnew) {
  const auto reshape = std::make_shared<const gather>(
      std::vector<gathered_axes>{plain(2), {{12}, {3, 4}}}, index_map::identity(3));
  const index_map map(2, {{1, 1, -1}, {0, 0, 1}}, reshape);
  EXPECT_EQ(index_along(map, 0), axis_map(1, 1, -1));
  EXPECT_EQ(index_along(map, 1), std::nullopt);
  EXPECT_EQ(index_along(map, 2), std::nullopt);
  EXPECT_EQ(index_along(index_map::identity(2), 1), axis_map(1, 0, 1));
}

}  // namespace
}  // namespace tessera
