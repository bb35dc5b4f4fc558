// SPDX-License-Identifier: Apache-2.0
/// \file
/// Groups of views that share a window, against all ways to group a few views.

#include "plan/task_windows.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace tessera {
namespace {

/// The chunk reads of all tasks, and the bytes that a task holds.
struct grouping_price {
  index_t reads = 0;
  std::size_t memory = 0;

  void add(const window_size& size, const array_storage& array) {
    reads += size.chunk_reads;
    memory += size.bytes(array.type.size());
  }
};

/// An operation over a square that reads a stored square at a few offsets.
struct stencil {
  loop_schedule schedule;
  array_storage array;
  std::vector<index_map> maps;
  std::vector<window_view> views;

  stencil(const index_vector& shape, const index_vector& chunks, const index_vector& block) {
    schedule.domain = shape;
    schedule.block = schedule.step = block;
    array.array = &array;
    array.type = dtype::float64;
    array.shape = shape;
    array.chunks = chunks;
    array.cost.decoded = static_cast<std::size_t>(num_elements(chunks)) * sizeof(double);
  }

  /// Adds a view that is read where it lies inside the array. Offsets of all views are added before
  /// they are measured.
  void add_offset(const index_vector& offset) {
    std::vector<axis_map> axes;
    for (std::size_t k = 0; k < offset.size(); ++k) axes.emplace_back(k, offset[k], 1);
    maps.emplace_back(offset.size(), std::move(axes));
  }

  void make_views() {
    for (std::size_t i = 0; i < maps.size(); ++i) {
      region where = region::whole(schedule.domain);
      for (std::size_t k = 0; k < where.rank(); ++k) {
        const index_t offset = maps[i][k].offset;
        where.start[k] = std::max<index_t>(0, -offset);
        where.stop[k] = std::min(array.shape[k], array.shape[k] - offset);
      }
      views.push_back({i, &maps[i], where});
    }
  }

  [[nodiscard]] std::vector<view_group> groups() const {
    const std::vector<array_storage> inputs(views.size(), array);
    return grouped(schedule, {}, views, inputs);
  }

  [[nodiscard]] grouping_price price() const {
    grouping_price sums;
    for (const view_group& group : groups()) sums.add(group.size, array);
    return sums;
  }

  /// Calls `f` with the price of each partition of the views: `part_of` numbers the part of each.
  template <class F>
  void for_each_partition(F f, std::vector<std::size_t> part_of = {}) const {
    const std::size_t num_parts =
        part_of.empty() ? 0 : 1 + *std::max_element(part_of.begin(), part_of.end());
    if (part_of.size() < views.size()) {
      for (std::size_t part = 0; part <= num_parts; ++part) {
        std::vector<std::size_t> longer = part_of;
        longer.push_back(part);
        for_each_partition(f, std::move(longer));
      }
      return;
    }
    grouping_price sums;
    for (std::size_t part = 0; part < num_parts; ++part) {
      std::vector<window_view> together;
      for (std::size_t i = 0; i < views.size(); ++i) {
        if (part_of[i] == part) together.push_back(views[i]);
      }
      sums.add(measure(schedule, {}, together, array), array);
    }
    f(sums);
  }
};

stencil random_stencil(std::mt19937_64& draw) {
  const auto number = [&](index_t low, index_t high) {
    return std::uniform_int_distribution<index_t>(low, high)(draw);
  };
  const index_t chunk = number(2, 8);
  const index_t extent = chunk * number(3, 8);
  const index_t block = chunk * number(1, 3);
  stencil drawn({extent, extent}, {chunk, chunk}, {block, chunk});
  std::set<std::pair<index_t, index_t>> offsets;
  const index_t reach = number(0, 3) == 0 ? extent - 1 : number(1, 2 * chunk);
  const auto count = static_cast<std::size_t>(number(2, 5));
  while (offsets.size() < count) offsets.insert({number(-reach, reach), number(-reach, reach)});
  for (const auto& [i, j] : offsets) drawn.add_offset({i, j});
  drawn.make_views();
  return drawn;
}

TEST(WindowGroups, ReadLittleMoreThanTheBestOfAllPartitionsThatHoldNoMore) {
  std::mt19937_64 draw(20261127);
  for (int round = 0; round < 400; ++round) {
    const stencil drawn = random_stencil(draw);
    const grouping_price ours = drawn.price();
    drawn.for_each_partition([&](const grouping_price& other) {
      if (other.memory > ours.memory) return;
      EXPECT_LE(static_cast<double>(ours.reads), 1.25 * static_cast<double>(other.reads))
          << "round " << round;
    });
  }
}

TEST(WindowGroups, HoldEachViewOnce) {
  std::mt19937_64 draw(7);
  for (int round = 0; round < 100; ++round) {
    const stencil drawn = random_stencil(draw);
    std::multiset<std::size_t> operands;
    for (const view_group& group : drawn.groups()) {
      for (const window_view& view : group.views) operands.insert(view.operand);
    }
    std::multiset<std::size_t> wanted;
    for (const window_view& view : drawn.views) wanted.insert(view.operand);
    EXPECT_EQ(operands, wanted);
  }
}

// In a star of blocks of one chunk, the row reads three chunks a task, and so does the column; the
// hull of both would read the corners as well: 9 in place of 6. At the border there are fewer.
TEST(WindowGroups, LeaveTheCornersOfAStarUnread) {
  stencil star({64, 64}, {8, 8}, {8, 8});
  for (const auto& [i, j] :
       std::vector<std::pair<index_t, index_t>>{{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
    star.add_offset({i, j});
  }
  star.make_views();
  const grouping_price price = star.price();
  // Eight blocks along an axis touch 2 + 6 * 3 + 2 chunks with both neighbours.
  constexpr index_t with_neighbours = 22;
  constexpr index_t row = 8 * with_neighbours;
  EXPECT_LE(price.reads, 2 * row);
  EXPECT_LT(price.reads, with_neighbours * with_neighbours);
}

// k steps of a star read the offsets of a diamond with 2 k^2 + 2 k + 1 points: they share a window.
TEST(WindowGroups, PutManyOffsetsIntoOneWindow) {
  constexpr index_t steps = 7;
  stencil diamond({256, 256}, {64, 64}, {128, 128});
  for (index_t i = -steps; i <= steps; ++i) {
    for (index_t j = -steps; j <= steps; ++j) {
      if (std::abs(i) + std::abs(j) <= steps) diamond.add_offset({i, j});
    }
  }
  diamond.make_views();
  ASSERT_EQ(diamond.views.size(), 2U * steps * steps + 2 * steps + 1);
  const std::vector<view_group> groups = diamond.groups();
  ASSERT_EQ(groups.size(), 1U);
  const index_vector extents{128 + 2 * steps, 128 + 2 * steps};
  for (std::size_t k = 0; k < 2; ++k) EXPECT_LE(groups[0].size.extents[k], extents[k]);
  // Each of four tasks touches three of four chunks along both axes.
  EXPECT_EQ(groups[0].size.chunk_reads, 4 * 3 * 3);
}

// The last of four steps needs the first row again: rows that are kept from step to step would be
// read twice.
TEST(WindowGroups, KeepNoRowsBetweenStepsThatGoBack) {
  stencil rolled({64, 64}, {16, 64}, {64, 64});
  rolled.schedule.step = {16, 64};
  rolled.schedule.ordered.set(0);
  for (const index_t offset : {0, 1, -63}) rolled.add_offset({offset, 0});
  rolled.make_views();
  const auto overlap_axis = [&](std::vector<window_view> views) {
    return measure(rolled.schedule, {}, views, rolled.array).overlap_axis;
  };
  EXPECT_EQ(overlap_axis({rolled.views[0], rolled.views[1]}), 0U);
  EXPECT_EQ(overlap_axis(rolled.views), no_axis);
}

}  // namespace
}  // namespace tessera
