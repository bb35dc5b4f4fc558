// SPDX-License-Identifier: Apache-2.0
#include "scheduler/task_queue.hpp"

#include "unit/scheduler/fake_workload.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <vector>

namespace tessera {
namespace {

using testing::fake_operation;
using testing::fake_workload;

index_t batch_of(index_t num_tasks, index_t elements, std::size_t num_workers) {
  return tasks_per_batch(num_tasks, elements, num_workers, std::chrono::microseconds{10});
}

TEST(TasksPerBatch, IsOneForTasksThatAreWorthHandingOutAlone) {
  EXPECT_EQ(batch_of(1'000'000, 1 << 18, 2), 1);
  EXPECT_EQ(batch_of(1'000'000, index_t{1} << 62, 2), 1);
}

TEST(TasksPerBatch, IsHundredsForTasksOfOneElement) {
  EXPECT_GE(batch_of(1'000'000, 1, 2), 100);
  EXPECT_GE(batch_of(1'000'000, 0, 2), 100);
}

TEST(TasksPerBatch, LeavesFourBatchesForEachWorker) {
  EXPECT_EQ(batch_of(64, 1, 4), 4);
  EXPECT_EQ(batch_of(7, 1, 4), 1);
  EXPECT_EQ(batch_of(0, 1, 4), 1);
}

TEST(TasksPerBatch, GrowsWithTheCostOfABatch) {
  EXPECT_EQ(tasks_per_batch(1'000'000'000, 1 << 18, 2, std::chrono::seconds{1}), 95'005);
}

TEST(TaskQueue, HandsOutEveryTaskOnceAndReturnedOnesFirst) {
  fake_workload work({fake_operation(1), fake_operation(10, {}, {}, {}, 1)});
  const std::vector<task_range> ranges{{0, 10}};
  task_queue queue(work, 1, ranges, 1, std::chrono::microseconds{10});
  EXPECT_EQ(queue.num_tasks(), 10);
  const task_batch first = queue.take().batch;
  EXPECT_EQ(first.operation, 1U);
  EXPECT_EQ(first.first, 0);
  EXPECT_EQ(first.count, 2);
  queue.put_back({1, 1, 1});
  queue.put_back({1, 0, 1});
  EXPECT_EQ(queue.take().batch.first, 0);
  const auto [returned, was_put_back] = queue.take();
  EXPECT_EQ(returned.first, 1);
  EXPECT_TRUE(was_put_back);
  index_t next = 2;
  while (!queue.empty()) {
    EXPECT_TRUE(queue.is_untouched(next));
    const auto [batch, is_known] = queue.take();
    EXPECT_FALSE(is_known);
    EXPECT_EQ(batch.first, next);
    EXPECT_FALSE(queue.is_untouched(next));
    next += batch.count;
  }
  EXPECT_EQ(next, 10);
}

TEST(TaskQueue, MakesNoBatchesWhileItIsHeld) {
  fake_workload work({fake_operation(4)});
  const std::vector<task_range> ranges{{1, 2}, {3, 4}};
  task_queue queue(work, 0, ranges, 1, std::chrono::microseconds{10});
  const task_batch first = queue.take().batch;
  queue.hold(any_worker);
  EXPECT_TRUE(queue.empty());
  EXPECT_FALSE(queue.is_untouched(2));
  EXPECT_TRUE(queue.is_untouched(3));
  queue.put_back(first);
  EXPECT_FALSE(queue.empty());
  EXPECT_EQ(queue.take().batch.first, 1);
  queue.release(any_worker);
  EXPECT_EQ(queue.take().batch.first, 3);
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace tessera
