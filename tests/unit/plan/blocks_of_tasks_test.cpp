// SPDX-License-Identifier: Apache-2.0
#include "plan/blocks_of_tasks.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace tessera {
namespace {

using namespace std::chrono_literals;
using seconds = costs::seconds;

costs figures_of(std::size_t num_workers, seconds task) {
  return {.task = task, .workers = num_workers};
}

// Five rounds of 1 s + 5.5 s, or one of 1 s + 5 * 5.5 s.
TEST(BlocksOfTasks, AreTheShareOfEachWorkerIfStartsTakeLong) {
  const blocks_of_tasks blocks = choose_blocks_of_tasks(50'000, 5.5s, figures_of(10'000, 1s), 60s);
  EXPECT_EQ(blocks.per_task, 5);
  EXPECT_DOUBLE_EQ(blocks.wall.count(), 28.5);
}

TEST(BlocksOfTasks, AreOneIfStartsTakeNoTime) {
  const blocks_of_tasks blocks = choose_blocks_of_tasks(50'000, 5.5s, figures_of(10'000, 2us), 60s);
  EXPECT_EQ(blocks.per_task, 1);
  EXPECT_DOUBLE_EQ(blocks.wall.count(), 5 * (5.5 + 2e-6));
}

TEST(BlocksOfTasks, AreOneIfEachWorkerHasOne) {
  EXPECT_EQ(choose_blocks_of_tasks(10'000, 1s, figures_of(10'000, 10s), 60s).per_task, 1);
}

// 1 s + 10 * 5.5 s take 56 s, and 11 blocks take 61.5 s.
TEST(BlocksOfTasks, TakeNoLongerThanTheLongestTask) {
  const blocks_of_tasks blocks = choose_blocks_of_tasks(1e6, 5.5s, figures_of(10, 1s), 60s);
  EXPECT_GT(blocks.per_task, 1);
  EXPECT_LE(blocks.per_task, 10);
}

// Half of the longest task is for blocks if starts take longer: 5 blocks of 5.5 s.
TEST(BlocksOfTasks, AreSeveralIfStartsTakeLongerThanTheLongestTask) {
  for (const seconds task : {59s, 60s, 100s}) {
    const blocks_of_tasks blocks = choose_blocks_of_tasks(1000, 5.5s, figures_of(10, task), 60s);
    EXPECT_EQ(blocks.per_task, 5);
    EXPECT_DOUBLE_EQ(blocks.wall.count(), 20 * (5 * 5.5 + task.count()));
  }
}

// A worker has eight tasks, many workers have 64 in all.
TEST(BlocksOfTasks, LeaveAFewTasks) {
  EXPECT_EQ(choose_blocks_of_tasks(31, 0.1s, figures_of(2, 5s), 60s).per_task, 1);
  EXPECT_EQ(choose_blocks_of_tasks(32, 0.1s, figures_of(2, 5s), 60s).per_task, 2);
  EXPECT_EQ(choose_blocks_of_tasks(128, 0.1s, figures_of(10, 5s), 60s).per_task, 2);
}

TEST(BlocksOfTasks, AreOneIfABlockTakesLongerThanTheLongestTask) {
  EXPECT_EQ(choose_blocks_of_tasks(1000, 90s, figures_of(2, 50s), 60s).per_task, 1);
}

// Against all numbers of blocks.
TEST(BlocksOfTasks, TakeAboutAsLongAsTheBestNumber) {
  for (int count = 1; count < 300; count += 7) {
    for (const std::size_t workers : {1, 3, 8}) {
      for (const seconds task : {0.01s, 0.5s, 5.0s}) {
        const auto blocks = choose_blocks_of_tasks(count, 1s, figures_of(workers, task), 60s);
        const auto wall_of = [&](int per_task) {
          const double num_tasks = std::ceil(count / static_cast<double>(per_task));
          return std::ceil(num_tasks / static_cast<double>(workers)) * (per_task + task.count());
        };
        double least = std::numeric_limits<double>::infinity();
        const double fewest = std::min<double>(8.0 * static_cast<double>(workers), 64);
        for (int k = 1; k == 1 || (k + task.count() <= 60 && count / fewest >= k); ++k) {
          least = std::min(least, wall_of(k));
        }
        EXPECT_DOUBLE_EQ(blocks.wall.count(), wall_of(static_cast<int>(blocks.per_task)));
        EXPECT_LE(blocks.wall.count(), std::max(least + 1, 1.1 * least))
            << count << " blocks, " << workers << " workers, " << task.count() << " s";
      }
    }
  }
}

}  // namespace
}  // namespace tessera
