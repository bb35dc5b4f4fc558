// SPDX-License-Identifier: Apache-2.0
#include "tessera/testing/scripted_workload.hpp"

#include "tessera/core/error.hpp"
#include "tessera/scheduler/workload_registry.hpp"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace tessera::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

workload_operation operation_of(index_t num_tasks, std::vector<std::size_t> after = {},
                                bytes task_memory = {}, bytes resident_memory = {}) {
  return {.name = {},
          .num_tasks = num_tasks,
          .element_steps_per_task = 1,
          .task_memory = task_memory,
          .resident_memory = resident_memory,
          .after = std::move(after)};
}

TEST(ScriptedWorkload, CountsWhatAnotherProcessRuns) {
  scripted_workload work({operation_of(1), operation_of(3)});
  work.begin(0);
  work.begin(1);
  const auto joined = make_workload(work.recipe());
  joined->run(1, 2, 0);
  joined->run(1, 2, 0);
  work.run(0, 0, 0);
  EXPECT_EQ(work.attempts(1, 2), 2);
  EXPECT_EQ(work.num_runs(), 3);
  EXPECT_EQ(joined->describe(1, 2), work.describe(1, 2));
}

TEST(ScriptedWorkload, RemovesItsFileAndNobodyElseDoes) {
  std::string path;
  {
    scripted_workload work({operation_of(1)});
    path = work.recipe().content;
    { const scripted_workload joined(path); }
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_THROW(scripted_workload joined(path), std::system_error);
}

TEST(ScriptedWorkload, FailsAsTheScriptSays) {
  scripted_workload work(
      {operation_of(4)},
      {{.action = scripted_action::fail, .tasks = {0, 1}},
       {.action = scripted_action::refuse_memory, .tasks = {1, 2}},
       {.action = scripted_action::fail_in_passing, .tasks = {2, 3}, .last_attempt = 2}});
  work.begin(0);
  EXPECT_THROW(work.run(0, 0, 0), std::runtime_error);
  EXPECT_THROW(work.run(0, 1, 0), std::bad_alloc);
  EXPECT_THROW(work.run(0, 2, 0), store_error);
  EXPECT_THROW(work.run(0, 2, 0), store_error);
  EXPECT_NO_THROW(work.run(0, 2, 0));
  EXPECT_NO_THROW(work.run(0, 3, 0));
}

TEST(ScriptedWorkload, RunsTasksInOrderUpToTheFirstThatFails) {
  scripted_workload work({operation_of(4)}, {{.action = scripted_action::fail, .tasks = {2, 3}}});
  work.begin(0);
  index_t done = 0;
  EXPECT_THROW(work.run_in_order(0, {1, 4}, 0, done), std::runtime_error);
  EXPECT_EQ(done, 1);
  work.run_in_order(0, {3, 4}, 0, done);
  EXPECT_EQ(done, 2);
}

TEST(ScriptedWorkload, CountsDeclaredMemoryUntilTheLastReaderHasEnded) {
  scripted_workload work({operation_of(1, {}, bytes{5}, bytes{100}), operation_of(1, {0}, bytes{7}),
                          operation_of(1, {0, 1}, bytes{9})});
  for (const std::size_t operation : {0U, 1U, 2U}) {
    work.begin(operation);
    work.run(operation, 0, 0);
    work.end(operation);
  }
  EXPECT_EQ(work.peak(), 109U);
  EXPECT_TRUE(work.has_ended());
  EXPECT_THAT(work.violations(), IsEmpty());
}

TEST(ScriptedWorkload, NoticesWhatASchedulerMustNotDo) {
  scripted_workload work({operation_of(1), operation_of(1, {0})});
  work.set_num_workers(2);
  work.run(0, 0, 2);
  work.begin(1);
  work.begin(1);
  work.end(1);
  work.end(1);
  work.run(1, 0, 0);
  EXPECT_THAT(work.violations(),
              ElementsAre("an operation began twice: 1", "an operation began before a source: 2",
                          "a task ran before its operation: 1", "a task ran after its operation: 1",
                          "a task ran on a worker too many: 1", "an operation ended twice: 1",
                          "a task did not end well just once: 2"));
}

TEST(ScriptedWorkload, NoticesTasksThatRunBeforeWhatTheyRead) {
  scripted_workload work({operation_of(2), operation_of(2, {0})});
  EXPECT_THAT(work.needs(1, {1, 2}, 0), ElementsAre(task_range{0, 2}));
  work.read_in_step(1);
  EXPECT_THAT(work.needs(1, {1, 2}, 0), ElementsAre(task_range{1, 2}));
  work.begin(0);
  work.begin(1);
  work.run(0, 1, 0);
  const auto joined = make_workload(work.recipe());
  joined->run(1, 1, 0);
  EXPECT_THAT(work.violations(), IsEmpty());
  joined->run(1, 0, 0);
  work.end(1);
  EXPECT_THAT(work.violations(), ElementsAre("a task ran before what it reads: 1",
                                             "an operation ended before a source had run: 1"));
}

TEST(ScriptedWorkload, GoesOnWithWhatAnotherHasDone) {
  const std::vector<workload_operation> operations{operation_of(6), operation_of(2, {0})};
  scripted_workload earlier(operations, {{.action = scripted_action::fail, .tasks = {4, 5}}});
  earlier.begin(0);
  for (const index_t task : {1, 2, 5}) earlier.run(0, task, 0);
  EXPECT_THROW(earlier.run(0, 4, 0), std::runtime_error);
  scripted_workload later(operations);
  later.go_on_with(earlier);
  const std::vector<task_range> remaining = later.remaining(0);
  ASSERT_EQ(remaining.size(), 2U);
  EXPECT_EQ(remaining[0].first, 0);
  EXPECT_EQ(remaining[0].last, 1);
  EXPECT_EQ(remaining[1].first, 3);
  EXPECT_EQ(remaining[1].last, 5);
  later.begin(0);
  for (const index_t task : {0, 3, 4}) later.run(0, task, 0);
  later.end(0);
  EXPECT_EQ(later.num_runs(), 3);
  EXPECT_THAT(later.violations(), IsEmpty());
  EXPECT_EQ(later.remaining(1).size(), 1U);
}

}  // namespace
}  // namespace tessera::testing
