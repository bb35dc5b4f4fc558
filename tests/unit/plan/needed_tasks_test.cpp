// SPDX-License-Identifier: Apache-2.0
#include "plan/api/needed_tasks.hpp"

#include "tessera/observe/simulation.hpp"
#include "tessera/tessera.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace tessera {
namespace {

using namespace std::chrono_literals;

constexpr pass_switches unfused{.fuse_producers = false,
                                .fuse_siblings = false,
                                .fuse_epilogues = false,
                                .size_blocks = false,
                                .stage_rechunks = false};

/// An operation and a reader of its output.
struct pair_of_operations {
  const planned_operation* reader = nullptr;
  const planned_operation* maker = nullptr;
};

std::vector<pair_of_operations> pairs_of(const bounded_plan& plan) {
  std::vector<pair_of_operations> pairs;
  for (const planned_operation& reader : plan.inside().operations) {
    for (const std::size_t maker : reader.after) {
      pairs.push_back({&reader, &plan.inside().operations[maker]});
    }
  }
  return pairs;
}

/// Adds the tasks of the maker that make an element which `box` reads, one element after the other.
void add_tasks_read(const pair_of_operations& pair, const region& box, std::set<index_t>& numbers) {
  const auto& [reader, maker] = pair;
  for (std::size_t i = 0; i < reader->inputs.size(); ++i) {
    for (std::size_t k = 0; k < maker->outputs.size(); ++k) {
      if (reader->inputs[i].array != maker->outputs[k].array) continue;
      index_vector position(box.rank());
      do {
        index_vector at = box.start;
        for (std::size_t axis = 0; axis < at.size(); ++axis) at[axis] += position[axis];
        const index_vector index = reader->op.operands[i](at);
        region element{index, index};
        for (index_t& stop : element.stop) ++stop;
        const loop_schedule& schedule = maker->op.schedule;
        for (index_t block = 0; block < schedule.blocks().size(); ++block) {
          if (maker->op.outputs[k].box(schedule, schedule.block_box(block)).contains(element)) {
            numbers.insert(block / schedule.blocks_per_task);
          }
        }
      } while (next_position(position, box.shape()));
    }
  }
}

/// Returns the tasks of the maker that make an element which `task` reads.
std::set<index_t> tasks_read(const pair_of_operations& pair, index_t task) {
  const loop_schedule& schedule = pair.reader->op.schedule;
  std::set<index_t> numbers;
  const index_t first = task * schedule.blocks_per_task;
  const index_t last = std::min(first + schedule.blocks_per_task, schedule.blocks().size());
  for (index_t block = first; block < last; ++block) {
    add_tasks_read(pair, schedule.block_box(block), numbers);
  }
  return numbers;
}

std::set<index_t> numbers_in(const std::vector<task_range>& ranges) {
  std::set<index_t> numbers;
  index_t end = -1;
  for (const task_range& range : ranges) {
    EXPECT_LT(end, range.first);  // in order, and joined if they meet
    for (index_t task = range.first; task < range.last; ++task) numbers.insert(task);
    end = range.last;
  }
  return numbers;
}

/// Expects that tasks, alone and with neighbours, need exactly the tasks that they read.
void expect_exact(const bounded_plan& plan) {
  const auto pairs = pairs_of(plan);
  ASSERT_FALSE(pairs.empty());
  for (const pair_of_operations& pair : pairs) {
    std::vector<std::set<index_t>> read;
    for (index_t task = 0; task < pair.reader->num_tasks; ++task) {
      read.push_back(tasks_read(pair, task));
    }
    for (index_t first = 0; first < pair.reader->num_tasks; ++first) {
      std::set<index_t> expected;
      const index_t most = std::min<index_t>(pair.reader->num_tasks, first + 9);
      for (index_t last = first + 1; last <= most; ++last) {
        expected.merge(std::set(read[static_cast<std::size_t>(last - 1)]));
        EXPECT_EQ(numbers_in(needed_tasks(*pair.reader, {first, last}, *pair.maker)), expected)
            << pair.reader->label << " of " << pair.maker->label << " from " << first << " to "
            << last;
      }
    }
  }
}

array<double, 2> grid(std::array<index_t, 2> shape, std::array<index_t, 2> chunks,
                      const spec& limits = {}) {
  return ones<double>(shape, {.chunks = chunks, .spec = limits}) * 2.0;
}

// Blocks of a map are read through a shift by one element, and through a transposed view.
TEST(NeededTasks, AreThoseOfAllBlocksOfATask) {
  spec limits;
  limits.costs = {.task = 5s, .workers = 1};
  const array<double, 2> a = grid({20, 30}, {3, 5}, limits);
  const auto shifted = plan(unfused, a[slice(1, 20)] + 1.0, transpose(a) + 2.0);
  bool takes_several = false;
  for (const planned_operation& planned : shifted.bounded().inside().operations) {
    const loop_schedule& schedule = planned.op.schedule;
    takes_several |= schedule.blocks_per_task > 1;
    EXPECT_EQ(planned.num_tasks,
              (schedule.blocks().size() + schedule.blocks_per_task - 1) / schedule.blocks_per_task);
  }
  EXPECT_TRUE(takes_several);
  expect_exact(shifted.bounded());
}

TEST(NeededTasks, AreThoseOfTheSameBlocksForAMap) {
  const array<double, 2> a = grid({20, 30}, {7, 4});
  const auto map_plan = plan(unfused, a + 1.0);
  const auto pairs = pairs_of(map_plan.bounded());
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].reader->num_tasks, 24);
  for (index_t task = 0; task < 24; ++task) {
    EXPECT_EQ(needed_tasks(*pairs[0].reader, {task, task + 1}, *pairs[0].maker),
              (std::vector<task_range>{{task, task + 1}}));
  }
  EXPECT_EQ(needed_tasks(*pairs[0].reader, {3, 17}, *pairs[0].maker),
            (std::vector<task_range>{{3, 17}}));
  expect_exact(map_plan.bounded());
}

TEST(NeededTasks, FollowViews) {
  const array<double, 2> a = grid({12, 18}, {3, 4});
  expect_exact(plan(unfused, flip(a) + 1.0).bounded());
  expect_exact(plan(unfused, matrix_transpose(a) + 1.0).bounded());
  expect_exact(plan(unfused, a(slice(2, 11), slice(1, none, 2)) + 1.0).bounded());
  expect_exact(plan(unfused, a(slice(1, none)) - a(slice(none, -1))).bounded());
}

// A window reads the elements between its operands as well.
TEST(NeededTasks, HoldWhatLiesBetweenOperandsOfOneWindow) {
  pass_switches in_storage = unfused;
  in_storage.memory_tier = false;
  const array<double, 2> a = grid({1200, 100}, {100, 100});
  const auto there_and_back = plan(in_storage, a * 2.0 + flip(a, axis<0>));
  const auto pairs = pairs_of(there_and_back.bounded());
  ASSERT_EQ(pairs.size(), 1U);
  planned_operation reader = *pairs[0].reader;
  ASSERT_EQ(reader.inputs.size(), 2U);
  EXPECT_EQ(numbers_in(needed_tasks(reader, {2, 3}, *pairs[0].maker)), (std::set<index_t>{2, 9}));
  for (planned_operand& input : reader.inputs) {
    input.access = operand_access::gathered;
    input.window = 0;
  }
  EXPECT_EQ(numbers_in(needed_tasks(reader, {2, 3}, *pairs[0].maker)),
            (std::set<index_t>{2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(NeededTasks, FollowOtherChunks) {
  const array<double, 2> a = grid({24, 24}, {4, 24});
  expect_exact(plan(unfused, rechunk(a, {24, 4})).bounded());
  expect_exact(plan(unfused, rechunk(a, {5, 7})).bounded());
}

TEST(NeededTasks, FollowFoldsScansAndProducts) {
  const array<double, 2> a = grid({16, 12}, {2, 3});
  const array<double, 2> b = a - mean(a, axis<0>, keepdims);
  expect_exact(plan(unfused, b, sum(b)).bounded());
  expect_exact(plan(unfused, cumulative_sum(a, axis<0>), diff(a, axis<0>)).bounded());
  const array<double, 2> product = matmul(a, matrix_transpose(a));
  expect_exact(plan(unfused, product + 1.0).bounded());
}

// Elements of 3 x 2, of an array of which 41 = 5 x 8 + 1 rows are made in blocks of 24.
TEST(NeededTasks, FollowLevels) {
  const array<double, 2> a = grid({41, 30}, {8, 8});
  const array<double, 2> coarse = coarsen(op::max{}, a(slice(0, 39), whole), {3, 2});
  const auto level_plan = plan(unfused, a, coarse, sum(coarse, axis<1>), flip(coarse) + 1.0);
  const auto pairs = pairs_of(level_plan.bounded());
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_EQ(pairs[0].maker->op.primitive->kind(), "stages");
  expect_exact(level_plan.bounded());
}

TEST(NeededTasks, HoldAllThatPiecesAndGathersRead) {
  const array<double, 2> a = grid({12, 10}, {3, 10});
  const array<double, 2> b = grid({9, 10}, {3, 10});
  const auto joined = plan(unfused, concat(a, b, axis<0>) + 1.0);
  for (const pair_of_operations& pair : pairs_of(joined.bounded())) {
    if (pair.maker->num_tasks == 7) continue;
    const bool is_first = pair.maker->num_tasks == 4;
    ASSERT_EQ(pair.reader->num_tasks, 7);
    for (index_t task = 0; task < 7; ++task) {
      const index_t source_task = is_first ? task : task - 4;
      const bool is_read = 0 <= source_task && source_task < pair.maker->num_tasks;
      const auto needed = needed_tasks(*pair.reader, {task, task + 1}, *pair.maker);
      EXPECT_EQ(numbers_in(needed), is_read ? std::set<index_t>{source_task} : std::set<index_t>{});
    }
  }
  // 120 elements in a line, of which a task has 24: of 2.4 rows.
  const auto line = plan(unfused, reshape(a, 120) + 1.0);
  // Rows 11, 10, ..., 0, of which the first three are in the last block.
  const auto rows = plan(unfused, take(a, {11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, axis<0>) + 1.0);
  for (const bounded_plan& gathered : {line.bounded(), rows.bounded()}) {
    const auto pairs = pairs_of(gathered);
    ASSERT_FALSE(pairs.empty());
    const auto& [reader, maker] = pairs.front();
    const index_t last = reader->num_tasks - 1;
    const bool is_line = reader->op.schedule.rank() == 1;
    const index_t elements = reader->op.schedule.block[0] * (is_line ? 1 : 10);
    const std::set<index_t> first_read = numbers_in(needed_tasks(*reader, {0, 1}, *maker));
    EXPECT_TRUE(first_read.contains(is_line ? 0 : 3));
    EXPECT_EQ(static_cast<index_t>(first_read.size()), ceil_divide(elements, 30));
    EXPECT_EQ(numbers_in(needed_tasks(*reader, {0, last + 1}, *maker)).size(), 4U);
  }
}

// The memory of operations that begin before their turn is bound; no operation waits for it.
TEST(NeededTasks, LetPipelinesSideBySideKeepAllWorkersBusy) {
  const simulated_options workers{.workers = 16, .task_time = 1s, .in_process = true};
  const run_with settings{.executor = executors::simulated(workers)};
  std::vector<array<double, 1>> anomalies;
  std::vector<array<double, 2>> products;
  for (std::uint64_t i = 0; i < 64; ++i) {
    const auto x = random::uniform<double>({1000}, {.chunks = {1000}, .seed = i});
    anomalies.push_back(x - mean(x));
    const auto a = random::uniform<double>({800, 800}, {.chunks = {200, 200}, .seed = i});
    products.push_back(matmul(matmul(a, a), a));
  }
  const auto expect_no_waiting = [&](const auto& plan, std::size_t num_operations) {
    EXPECT_EQ(plan.num_operations(), num_operations);
    EXPECT_EQ(plan.bytes_written(), bytes{});
    EXPECT_EQ(plan.num_tasks() % 16, 0);
    EXPECT_EQ(simulate(plan, workers).elapsed, plan.num_tasks() / 16 * 1s);
  };
  // The one step of a map computes the mean that it subtracts.
  expect_no_waiting(plan(anomalies, settings), 64);
  expect_no_waiting(plan(products, settings), 128);
}

// Each map reads the map before it, block by block.
TEST(NeededTasks, LetMapsOfAPlanTakeThreeRoundsWhereABarrierTakesFour) {
  const auto x = ones<double, 1>({122'000}, {.chunks = {1000}});
  const array<double, 1> y = x * 2.0;
  const auto two_maps = plan(unfused, y + 1.0);
  EXPECT_EQ(two_maps.num_operations(), 2U);
  EXPECT_EQ(simulate(two_maps, {.workers = 100, .task_time = 1s}).elapsed, 3s);
}

}  // namespace
}  // namespace tessera
