// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/executor/simulated.hpp"

#include "unit/scheduler/fake_workload.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <optional>
#include <vector>

namespace tessera {
namespace {

using namespace std::chrono_literals;
using testing::fake_operation;
using testing::fake_workload;

/// A session of one operation of 100 tasks.
class SimulatedSession : public ::testing::Test {
 protected:
  void start(const simulated_options& options) {
    engine = executors::simulated(options);
    session = engine->start(work);
  }
  /// Submits the task of the ticket's number.
  void submit(std::uint64_t ticket, std::size_t worker = any_worker) {
    session->submit({0, static_cast<index_t>(ticket), 1, worker}, ticket);
  }
  task_completion wait() { return session->wait(std::nullopt).value(); }

  fake_workload work{{fake_operation(100)}};
  std::shared_ptr<executor> engine;
  std::unique_ptr<executor_session> session;
};

TEST_F(SimulatedSession, TellsThatItComputesNothing) {
  start({});
  EXPECT_FALSE(engine->traits().computes);
  EXPECT_FALSE(engine->traits().shares_host);
  EXPECT_TRUE(executors::simulated({.in_process = true})->traits().shares_memory);
  submit(0);
  EXPECT_EQ(wait().done, 1);
  EXPECT_EQ(work.num_runs(), 0);
}

TEST_F(SimulatedSession, JumpsToTheTimeUntilWhichItWaits) {
  start({.task_time = 1s});
  EXPECT_EQ(session->wait(10s), std::nullopt);
  EXPECT_EQ(session->now(), 10s);
  submit(0);
  EXPECT_EQ(session->wait(10s + 999ms), std::nullopt);
  EXPECT_EQ(session->now(), 10s + 999ms);
  EXPECT_EQ(session->wait(20s)->ended, 11s);
  EXPECT_EQ(session->now(), 11s);
}

TEST_F(SimulatedSession, TellsWhenABatchBegan) {
  start({.start_up = 3s, .task_time = 1s});
  submit(0);
  submit(1);
  EXPECT_EQ(session->started(0), std::nullopt);
  EXPECT_EQ(wait().started, 3s);
  EXPECT_EQ(session->started(0), std::nullopt);
  EXPECT_EQ(session->started(1), 4s);
  EXPECT_EQ(wait().ended, 5s);
}

TEST_F(SimulatedSession, RunsTheTasksOfABatchOneAfterTheOther) {
  start({.workers = 2, .batch_overhead = 1s, .task_time = 2s});
  session->submit({0, 10, 7}, 5);
  const task_completion completion = wait();
  EXPECT_EQ(completion.ticket, 5U);
  EXPECT_EQ(completion.done, 7);
  EXPECT_EQ(completion.ended, 15s);
}

TEST_F(SimulatedSession, KeepsABatchForItsWorker) {
  start({.workers = 3, .task_time = 1s});
  for (std::uint64_t ticket = 0; ticket < 4; ++ticket) submit(ticket, 2);
  submit(4);
  for (int i = 0; i < 5; ++i) {
    const task_completion completion = wait();
    EXPECT_EQ(completion.worker == 2, completion.ticket < 4);
    EXPECT_EQ(completion.ended,
              completion.ticket == 4 ? 1s : (static_cast<int>(completion.ticket) + 1) * 1s);
  }
}

TEST_F(SimulatedSession, DropsWhatHasNotStarted) {
  start({.task_time = 1s});
  EXPECT_EQ(session->wait(1s), std::nullopt);
  for (std::uint64_t ticket = 0; ticket < 3; ++ticket) submit(ticket);
  session->cancel();
  for (const std::uint64_t dropped : {1U, 2U}) {
    const task_completion completion = wait();
    EXPECT_EQ(completion.ticket, dropped);
    EXPECT_EQ(completion.done, 0);
    EXPECT_EQ(completion.failure, nullptr);
    EXPECT_EQ(completion.ended, 1s);
  }
  EXPECT_EQ(wait().done, 1);
  EXPECT_EQ(session->now(), 2s);
}

TEST_F(SimulatedSession, AbandonsABatchThatRunsAndReplacesItsWorker) {
  start({.start_up = 5s, .task_time = 2s});
  session->submit({0, 0, 10}, 0);
  submit(1);
  EXPECT_EQ(session->wait(8s), std::nullopt);
  EXPECT_TRUE(session->abandon(0));
  const task_completion abandoned = wait();
  EXPECT_EQ(abandoned.ticket, 0U);
  EXPECT_EQ(abandoned.done, 1);
  EXPECT_EQ(abandoned.failure, nullptr);
  EXPECT_EQ(abandoned.ended, 8s);
  EXPECT_EQ(wait().ended, 8s + 5s + 2s);
  EXPECT_FALSE(session->abandon(0));
}

TEST_F(SimulatedSession, AbandonsABatchThatWaits) {
  start({.task_time = 2s});
  submit(0);
  submit(1);
  EXPECT_TRUE(session->abandon(1));
  EXPECT_EQ(wait().ticket, 1U);
  EXPECT_EQ(wait().ticket, 0U);
  EXPECT_EQ(session->now(), 2s);
}

TEST_F(SimulatedSession, CannotStopAThread) {
  start({.task_time = 2s, .in_process = true});
  submit(0);
  EXPECT_EQ(session->wait(1s), std::nullopt);
  EXPECT_FALSE(session->abandon(0));
  EXPECT_EQ(wait().done, 1);
}

TEST_F(SimulatedSession, TellsOfAFailureAtTheTasksEnd) {
  start({.task_time = 2s, .failures = 1});
  session->submit({0, 0, 10}, 0);
  const task_completion failed = wait();
  EXPECT_EQ(failed.done, 0);
  EXPECT_EQ(failed.ended, 2s);
  try {
    std::rethrow_exception(failed.failure);
  } catch (const store_error& error) {
    EXPECT_TRUE(error.may_pass());
  }
}

TEST_F(SimulatedSession, LosesAWorkerDuringATaskAndReplacesIt) {
  start({.start_up = 5s, .task_time = 2s, .lost_workers = 1});
  submit(0);
  submit(1);
  const task_completion first = wait();
  EXPECT_GE(first.ended, 5s);
  EXPECT_LT(first.ended, 7s);
  EXPECT_THROW(std::rethrow_exception(first.failure), worker_error);
  EXPECT_EQ(wait().started, first.ended + 5s);
}

}  // namespace
}  // namespace tessera
