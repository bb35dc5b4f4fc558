// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Conformance of executors: the session without a scheduler.

#include "tessera/core/error.hpp"
#include "tessera/scheduler/executor.hpp"
#include "tessera/scheduler/failures.hpp"
#include "tessera/testing/detail/running_cases.hpp"
#include "tessera/testing/scripted_workload.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace tessera::testing {

/// Waits for a completion; an engine may return early if it has nothing to wait on.
inline task_completion next_completion(executor_session& session) {
  while (true) {
    if (auto completion = session.wait(std::nullopt)) return *completion;
  }
}

/// Returns the cause of the failure in `completion`; empty if there is none.
inline std::string failure_words(const task_completion& completion) {
  return completion.failure ? describe_cause(completion.failure) : std::string();
}

inline void ends_what_runs_when_closed(executor& engine) {
  scripted_workload work({large_tasks(20)});
  work.begin(0);
  {
    const auto session = engine.start(work);
    for (index_t task = 0; task < 20; ++task) {
      session->submit({0, task, 1}, static_cast<std::uint64_t>(task));
    }
  }
  const index_t runs = work.num_runs();
  EXPECT_LE(runs, 20);
  std::this_thread::yield();
  EXPECT_EQ(work.num_runs(), runs);
}

inline void answers_what_it_dropped(executor& engine) {
  scripted_workload work({large_tasks(20)});
  work.begin(0);
  const auto session = engine.start(work);
  for (index_t task = 0; task < 20; ++task) {
    session->submit({0, task, 1}, static_cast<std::uint64_t>(task));
  }
  std::vector<std::uint64_t> tickets;
  index_t num_done = 0;
  for (int i = 0; i < 20; ++i) {
    const task_completion completion = next_completion(*session);
    EXPECT_EQ(failure_words(completion), "");
    tickets.push_back(completion.ticket);
    num_done += completion.done;
    if (i == 0) session->cancel();
  }
  std::sort(tickets.begin(), tickets.end());
  EXPECT_EQ(std::unique(tickets.begin(), tickets.end()), tickets.end());
  EXPECT_GE(num_done, 1);
  EXPECT_EQ(work.num_runs(), engine.traits().computes ? num_done : 0);
}

inline void waits_no_longer_than_asked(executor& engine) {
  scripted_workload work({large_tasks(1)});
  const auto session = engine.start(work);
  const session_time until = session->now() + std::chrono::microseconds{10};
  EXPECT_FALSE(session->wait(until).has_value());
  EXPECT_GE(session->now(), until);
}

/// Waits for the completion of a task that is expected to have been dropped.
inline void expect_dropped(executor_session& session, std::uint64_t ticket) {
  const task_completion completion = next_completion(session);
  EXPECT_EQ(completion.ticket, ticket);
  EXPECT_EQ(completion.done, 0);
  EXPECT_EQ(failure_words(completion), "");
}

inline void abandons_what_runs(executor& engine) {
  EXPECT_TRUE(engine.traits().stops_tasks);
  scripted_workload work({large_tasks(1)}, {{.action = scripted_action::hang}});
  work.begin(0);
  const auto session = engine.start(work);
  const session_time before = session->now();
  session->submit({0, 0, 1}, 7);
  while (!session->started(7)) (void)session->wait(session->now() + std::chrono::milliseconds{1});
  EXPECT_GE(*session->started(7), before);
  EXPECT_LE(*session->started(7), session->now());
  EXPECT_TRUE(session->abandon(7));
  expect_dropped(*session, 7);
}

/// A batch that has not begun is taken back, and running batches are not disturbed.
inline void abandons_what_waits(executor& engine) {
  const auto count = static_cast<index_t>(engine.num_workers());
  scripted_workload work({large_tasks(2 * count)}, {{.action = scripted_action::stop_the_run}});
  work.begin(0);
  const auto session = engine.start(work);
  for (index_t task = 0; task < 2 * count; ++task) {
    session->submit({0, task, 1}, static_cast<std::uint64_t>(task));
  }
  const auto last = static_cast<std::uint64_t>(2 * count - 1);
  EXPECT_FALSE(session->started(last).has_value());
  EXPECT_TRUE(session->abandon(last));
  expect_dropped(*session, last);
  work.confirm_stop();
  for (index_t task = 0; task < 2 * count - 1; ++task) {
    EXPECT_EQ(next_completion(*session).done, 1);
  }
  EXPECT_EQ(work.attempts(0, 2 * count - 1), 0);
}

inline void refuses_a_workload_without_a_recipe(executor& engine) {
  /// A workload that cannot leave this process.
  class homely final : public scripted_workload {
   public:
    homely() : scripted_workload({large_tasks(1)}) {}
    workload_recipe recipe() override { return workload::recipe(); }
  };
  homely work;
  EXPECT_THROW(run(work, engine), value_error);
  EXPECT_EQ(work.num_runs(), 0);
}

}  // namespace tessera::testing
