// SPDX-License-Identifier: Apache-2.0
#include "executor/task_queue.hpp"

#include "unit/executor/fake_workload.hpp"

#include <gtest/gtest.h>

namespace tessera {
namespace {

using testing::fake_operation;

index_t batch_of(index_t num_tasks, index_t elements, std::size_t num_workers) {
  return tasks_per_batch(fake_operation(num_tasks, {}, {}, {}, elements), num_workers);
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

TEST(TaskQueue, HandsOutEveryTaskOnceAndReturnedOnesFirst) {
  task_queue queue(3, fake_operation(10, {}, {}, {}, 1), 1);
  const task_batch first = queue.take();
  EXPECT_EQ(first.operation, 3U);
  EXPECT_EQ(first.first, 0);
  EXPECT_EQ(first.count, 2);
  queue.put_back({3, 1, 1});
  EXPECT_EQ(queue.take().first, 1);
  index_t next = 2;
  while (!queue.empty()) {
    const task_batch batch = queue.take();
    EXPECT_EQ(batch.first, next);
    next += batch.count;
  }
  EXPECT_EQ(next, 10);
}

}  // namespace
}  // namespace tessera
