// SPDX-License-Identifier: Apache-2.0
// Time-outs, backups, resumed and bound tasks on a virtual clock.
#include "tessera/core/error.hpp"
#include "tessera/scheduler/scheduler.hpp"

#include "unit/scheduler/idle_workload.hpp"
#include "unit/scheduler/message_of_run.hpp"
#include "unit/scheduler/virtual_engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using testing::fate;
using ::testing::HasSubstr;
using testing::idle_workload;
using testing::message_of_run;
using testing::virtual_engine;

constexpr session_time for_ever = 1'000'000s;

class counting_observer final : public observer {
 public:
  void on_tasks_resumed(std::size_t, index_t count) override { num_resumed += count; }
  void on_tasks_end(const tasks_event& event) override { num_tasks += event.count; }
  void on_backup(std::size_t, index_t first, session_time now) override {
    backups.push_back(first);
    last_backup = now;
  }
  void on_failure(const failure_event& event) override { causes.push_back(event.cause); }

  index_t num_resumed = 0;
  index_t num_tasks = 0;
  std::vector<index_t> backups;
  session_time last_backup{};
  std::vector<std::string> causes;
};

struct watched_options : run_options {
  watched_options() { observers = {counts}; }
  std::shared_ptr<counting_observer> counts = std::make_shared<counting_observer>();
};

/// Ten tasks at 0 s: five end at 4 s, four at 12 s, and the last takes `last`, its backup 4 s.
virtual_engine ten_tasks(session_time last) {
  return virtual_engine(11, [last](const task_batch& batch, int copy) -> fate {
    if (batch.first < 5 || copy > 1) return {4s};
    return {batch.first < 9 ? 12s : last};
  });
}

// The truth table of CUBED's tests: 10 started at 0 s, 5 done at 4 s; a task that has run for 7 s
// is no straggler, one that has run for 13 s is.
TEST(Backups, AreStartedOfATaskThatRunsForMoreThanThreeTimesTheMedian) {
  idle_workload work({10});
  virtual_engine engine = ten_tasks(100s);
  watched_options options;
  run(work, engine, options);
  EXPECT_THAT(options.counts->backups, ElementsAre(9));
  EXPECT_GT(options.counts->last_backup, 12s);
  EXPECT_LE(options.counts->last_backup, 13s);
  EXPECT_LE(engine.end, 17s);
  EXPECT_EQ(options.counts->num_tasks, 10);
  EXPECT_EQ(engine.num_abandoned, 1);
  EXPECT_THAT(work.ended, ElementsAre(0U));
}

// A worker has been told of a task, and has not yet reported its begin, when all other tasks end.
TEST(Backups, AreStartedOfATaskThatIsSeenToRunOnlyLater) {
  idle_workload work({10});
  virtual_engine engine = ten_tasks(1000h);
  engine.seen_after = 13s;
  watched_options options;
  run(work, engine, options);
  EXPECT_THAT(options.counts->backups, ElementsAre(9));
  EXPECT_LE(engine.end, 100s);
}

TEST(Backups, AreNotStartedBeforeTheTaskIsLate) {
  idle_workload work({10});
  virtual_engine engine = ten_tasks(7s);
  watched_options options;
  run(work, engine, options);
  EXPECT_TRUE(options.counts->backups.empty());
  EXPECT_EQ(engine.end, 12s);
}

TEST(Backups, AreNotStartedWhereFewerTasksThanTheMinimumWereStarted) {
  idle_workload work({10});
  virtual_engine engine = ten_tasks(100s);
  watched_options options;
  options.backups.min_started = 20;
  run(work, engine, options);
  EXPECT_TRUE(options.counts->backups.empty());
  EXPECT_EQ(engine.end, 100s);
}

TEST(Backups, AreNotStartedWhileFewerThanHalfOfTheTasksHaveEnded) {
  idle_workload work({10});
  virtual_engine engine(
      11, [](const task_batch& batch, int) -> fate { return {batch.first < 4 ? 1s : 50s}; });
  watched_options options;
  run(work, engine, options);
  EXPECT_TRUE(options.counts->backups.empty());
}

TEST(Backups, AreNotStartedOfOperationsWhoseTasksMustNotRunTwiceAtOnce) {
  idle_workload work({10});
  work[0].may_be_duplicated = false;
  virtual_engine engine = ten_tasks(100s);
  watched_options options;
  run(work, engine, options);
  EXPECT_TRUE(options.counts->backups.empty());
}

TEST(Backups, CanBeSwitchedOff) {
  idle_workload work({10});
  virtual_engine engine = ten_tasks(100s);
  watched_options options;
  options.backups.is_on = false;
  run(work, engine, options);
  EXPECT_EQ(engine.end, 100s);
}

TEST(Backups, LoseWhereTheOriginalEndsFirst) {
  idle_workload work({10});
  virtual_engine engine(11, [](const task_batch& batch, int copy) -> fate {
    if (copy > 1) return {60s};
    return {batch.first < 9 ? 4s : 20s};
  });
  watched_options options;
  run(work, engine, options);
  EXPECT_THAT(options.counts->backups, ElementsAre(9));
  EXPECT_EQ(options.counts->num_tasks, 10);
  EXPECT_EQ(engine.end, 20s);
}

TEST(Backups, ThatFailLeaveTheTaskToTheOriginal) {
  idle_workload work({10});
  const auto lost = std::make_exception_ptr(worker_error("killed"));
  virtual_engine engine(11, [&](const task_batch& batch, int copy) -> fate {
    if (copy > 1) return {1s, 0, lost};
    return {batch.first < 9 ? 4s : 20s};
  });
  watched_options options;
  run(work, engine, options);
  EXPECT_EQ(options.counts->num_tasks, 10);
  EXPECT_THAT(options.counts->causes, ElementsAre("killed"));
  EXPECT_EQ(engine.history.size(), 11U);  // one backup a task
}

TEST(Backups, EndTheOperationOnlyOnceNoCopyRunsAnyMore) {
  // An engine that cannot stop a running task: the slow copy may still read the inputs.
  idle_workload work({10, 1});
  work[1].after = {0};
  virtual_engine engine = ten_tasks(100s);
  engine.can_abandon = false;
  watched_options options;
  run(work, engine, options);
  EXPECT_EQ(options.counts->num_tasks, 11);
  EXPECT_THAT(work.ended, ElementsAre(1U, 0U));
  EXPECT_EQ(engine.end, 100s);
  EXPECT_LE(engine.history.back().started, 17s);  // the reader did not wait for it
}

TEST(TimeOuts, CostAnAttempt) {
  idle_workload work({3});
  virtual_engine engine(2, [](const task_batch& batch, int copy) -> fate {
    return {batch.first == 1 && copy == 1 ? for_ever : 1s};
  });
  watched_options options;
  options.retry.first_pause = {};
  options.task_timeout = 5s;
  run(work, engine, options);
  EXPECT_EQ(options.counts->num_tasks, 3);
  EXPECT_THAT(options.counts->causes,
              ElementsAre("the task ran for longer than its time-out of 5 s"));
  EXPECT_EQ(engine.end, 6s);
}

TEST(TimeOuts, EndTheRunAfterThreeAttempts) {
  idle_workload work({2});
  virtual_engine engine(
      2, [](const task_batch& batch, int) -> fate { return {batch.first == 1 ? for_ever : 1s}; });
  watched_options options;
  options.retry.first_pause = {};
  options.task_timeout = 2s;
  EXPECT_THAT(message_of_run<task_error>(work, engine, options),
              HasSubstr("task 1: the task failed after 3 attempts: the task ran for longer than "
                        "its time-out of 2 s"));
  EXPECT_EQ(options.counts->causes.size(), 3U);
  EXPECT_EQ(engine.end, 6s);
}

TEST(TimeOuts, CountFromTheStartOfATaskAndNotFromItsSubmission) {
  idle_workload work({8});
  virtual_engine engine(1, [](const task_batch&, int) -> fate { return {3s}; });
  watched_options options;
  options.task_timeout = 4s;
  run(work, engine, options);
  EXPECT_EQ(options.counts->num_tasks, 8);
  EXPECT_TRUE(options.counts->causes.empty());
}

TEST(LostWorkers, CostTheirTaskOneAttempt) {
  idle_workload work({4});
  const auto lost = std::make_exception_ptr(worker_error("killed by signal 9 (SIGKILL)"));
  virtual_engine engine(2, [&](const task_batch& batch, int copy) -> fate {
    if (batch.first == 2 && copy < 3) return {1s, 0, lost};
    return {1s};
  });
  watched_options options;
  options.retry.first_pause = {};
  run(work, engine, options);
  EXPECT_EQ(options.counts->num_tasks, 4);
  EXPECT_EQ(options.counts->causes.size(), 2U);
}

TEST(LostWorkers, MakeTheOtherTasksOfTheirBatchRunOneByOne) {
  // Any batch that holds task 5 is lost, so its neighbours are done only without it.
  idle_workload work({64}, 0);
  const auto lost = std::make_exception_ptr(worker_error("crashed"));
  virtual_engine engine(2, [&](const task_batch& batch, int) -> fate {
    if (batch.first <= 5 && 5 < batch.first + batch.count) return {1s, 0, lost};
    return {1s};
  });
  watched_options options;
  options.retry.first_pause = {};
  EXPECT_THAT(message_of_run<task_error>(work, engine, options),
              HasSubstr("task 5: the task failed after 3 attempts: crashed"));
  EXPECT_EQ(options.counts->causes.size(), 4U);  // the batch, then the task alone
}

TEST(ResumedTasks, AreNotRunAgain) {
  idle_workload work({10});
  work.unfinished = {{2, 4}, {9, 10}};
  virtual_engine engine(2, [](const task_batch&, int) -> fate { return {1s}; });
  watched_options options;
  run(work, engine, options);
  std::vector<index_t> ran;
  for (const auto& entry : engine.history) ran.push_back(entry.batch.first);
  EXPECT_THAT(ran, ElementsAre(2, 3, 9));
  EXPECT_EQ(options.counts->num_tasks, 3);
  EXPECT_EQ(options.counts->num_resumed, 7);
}

TEST(ResumedTasks, EndAnOperationAtOnceWhereAllAreDone) {
  idle_workload work({10});
  work.unfinished.emplace();
  virtual_engine engine(2, [](const task_batch&, int) -> fate { return {1s}; });
  watched_options options;
  run(work, engine, options);
  EXPECT_TRUE(engine.history.empty());
  EXPECT_THAT(work.ended, ElementsAre(0U));
}

TEST(BoundTasks, RunOnTheirWorkersSideBySide) {
  // The first worker's tasks stand before the second's: they must not block them.
  idle_workload work({40});
  work.bound = std::vector<std::size_t>(20, 0);
  work.bound.resize(40, 1);
  virtual_engine engine(2, [](const task_batch&, int) -> fate { return {1s}; });
  watched_options options;
  run(work, engine, options);
  for (const auto& entry : engine.history) {
    EXPECT_EQ(entry.worker, work.bound[static_cast<std::size_t>(entry.batch.first)]);
  }
  EXPECT_EQ(engine.end, 20s);
}

TEST(BoundTasks, AreRefusedByAnExecutorWithoutTheirWorker) {
  idle_workload work({2});
  work.bound = {0, 2};
  virtual_engine engine(2, [](const task_batch&, int) -> fate { return {1s}; });
  watched_options options;
  EXPECT_THROW(run(work, engine, options), value_error);
  EXPECT_TRUE(engine.history.empty());
}

TEST(EnginesOnOtherHosts, DoNotTakeThisHostsMemory) {
  idle_workload work({4});
  work[0].task_memory = bytes{1'000'000};
  virtual_engine engine(4, [](const task_batch&, int) -> fate { return {1s}; });
  watched_options options;
  options.host_memory = bytes{10};
  EXPECT_THROW(run(work, engine, options), memory_error);
  engine.properties.shares_host = false;
  run(work, engine, options);
  EXPECT_EQ(engine.end, 1s);
}

TEST(WorkersMemory, CountsAgainstTheHost) {
  idle_workload work({8});
  work[0].task_memory = bytes{10};
  virtual_engine engine(4, [](const task_batch&, int) -> fate { return {1s}; });
  engine.properties.worker_memory = bytes{5};
  watched_options options;
  options.host_memory = bytes{40};  // four workers of 5, and two tasks of 10
  run(work, engine, options);
  EXPECT_EQ(engine.end, 4s);
}

// Tasks that wait behind a running batch use nothing.
TEST(WorkersMemory, HoldsTheTasksThatRunAndNotThoseThatWait) {
  idle_workload work({8});
  work[0].task_memory = bytes{10};
  virtual_engine engine(2, [](const task_batch&, int) -> fate { return {1s}; });
  watched_options options;
  options.host_memory = bytes{20};
  run(work, engine, options);
  EXPECT_EQ(engine.end, 4s);
  EXPECT_EQ(engine.most_waiting, 2U);
}

TEST(WorkersMemory, IsKeptBetweenTasksOnlyWhereThereIsRoomForAll) {
  const auto runs_with = [](std::uint64_t host_memory) {
    idle_workload work({8, 8});
    work[0].task_memory = bytes{10};
    work[1].task_memory = bytes{15};
    work[1].resident_memory = bytes{7};
    virtual_engine engine(2, [](const task_batch&, int) -> fate { return {1s}; });
    watched_options options;
    options.host_memory = bytes{host_memory};
    options.afterwards = bytes{3};
    run(work, engine, options);
    return engine.history.front().batch.may_keep;
  };
  EXPECT_TRUE(runs_with(2 * 15 + 7 + 3));
  EXPECT_FALSE(runs_with(2 * 15 + 7 + 2));
}

TEST(EnginesThatOnlySimulate, SeeNothingButTheOperations) {
  idle_workload work({4});
  virtual_engine engine(4, [](const task_batch&, int) -> fate { return {1s}; });
  engine.properties.computes = false;
  watched_options options;
  run(work, engine, options);
  EXPECT_EQ(options.counts->num_tasks, 4);
  EXPECT_TRUE(work.ended.empty());
}

TEST(Pauses, AreDrawnFromTheUpperHalfOfTheirLength) {
  idle_workload work({200});
  const auto busy = std::make_exception_ptr(store_error("busy", true));
  virtual_engine engine(400, [&](const task_batch&, int copy) -> fate {
    if (copy < 3) return {0s, 0, busy};
    return {0s};
  });
  watched_options options;
  options.retry.first_pause = 100ms;
  run(work, engine, options);
  session_time shortest = for_ever;
  session_time longest{};
  std::vector<session_time> last_start(200, -1s);
  std::vector<int> copies(200, 0);
  for (const auto& entry : engine.history) {
    const auto task = static_cast<std::size_t>(entry.batch.first);
    if (++copies[task] == 2) {
      shortest = std::min(shortest, entry.started - last_start[task]);
      longest = std::max(longest, entry.started - last_start[task]);
    } else if (copies[task] == 3) {
      EXPECT_GE(entry.started - last_start[task], 100ms);
      EXPECT_LE(entry.started - last_start[task], 200ms);
    }
    last_start[task] = entry.started;
  }
  EXPECT_GE(shortest, 50ms);
  EXPECT_LE(longest, 100ms);
  EXPECT_LT(shortest, 60ms);
  EXPECT_GT(longest, 90ms);
}

}  // namespace
}  // namespace tessera
