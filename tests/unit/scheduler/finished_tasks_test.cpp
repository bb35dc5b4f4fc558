// SPDX-License-Identifier: Apache-2.0
#include "scheduler/api/finished_tasks.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <optional>
#include <random>
#include <set>
#include <vector>

namespace tessera {
namespace {

TEST(FinishedTasks, TellTheLastThatIsMissing) {
  finished_tasks done;
  EXPECT_EQ(done.last_missing({0, 5}), 4);
  EXPECT_EQ(done.last_missing({3, 3}), std::nullopt);
  done.add({2, 4});
  EXPECT_EQ(done.last_missing({0, 5}), 4);
  EXPECT_EQ(done.last_missing({0, 4}), 1);
  EXPECT_EQ(done.last_missing({2, 4}), std::nullopt);
  EXPECT_EQ(done.last_missing({3, 4}), std::nullopt);
  EXPECT_EQ(done.last_missing({0, 2}), 1);
}

TEST(FinishedTasks, AreWhatASetOfAllOfThemTells) {
  std::mt19937 draw(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<task_range> parts;
    for (index_t first = 0; first < 60;) {
      const index_t last = std::min<index_t>(60, first + 1 + static_cast<index_t>(draw() % 4));
      parts.push_back({first, last});
      first = last;
    }
    std::shuffle(parts.begin(), parts.end(), draw);
    finished_tasks done;
    std::set<index_t> finished;
    for (const task_range& part : parts) {
      done.add(part);
      for (index_t task = part.first; task < part.last; ++task) finished.insert(task);
      for (index_t first = 0; first < 60; first += 7) {
        for (index_t last = first; last <= 60; ++last) {
          std::optional<index_t> missing;
          for (index_t task = first; task < last; ++task) {
            if (!finished.contains(task)) missing = task;
          }
          ASSERT_EQ(done.last_missing({first, last}), missing);
        }
      }
    }
    EXPECT_EQ(done.num_runs(), 1U);
  }
}

// 10^9 tasks in batches of 1,000, of which a hundred are under way and end in any order.
TEST(FinishedTasks, TakeNoMoreMemoryThanTasksAreUnderWay) {
  std::mt19937 draw(1);
  finished_tasks done;
  std::vector<index_t> under_way;
  std::size_t most = 0;
  for (index_t next = 0; next < 1'000'000'000 || !under_way.empty();) {
    while (under_way.size() < 100 && next < 1'000'000'000) {
      under_way.push_back(next);
      next += 1'000;
    }
    std::swap(under_way[draw() % under_way.size()], under_way.back());
    done.add({under_way.back(), under_way.back() + 1'000});
    under_way.pop_back();
    most = std::max(most, done.num_runs());
  }
  EXPECT_LE(most, 101U);
  EXPECT_EQ(done.last_missing({0, 1'000'000'000}), std::nullopt);
}

}  // namespace
}  // namespace tessera
