// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Conformance of executors: tasks that fail, and workers that are lost.

#include "tessera/core/bytes.hpp"
#include "tessera/core/error.hpp"
#include "tessera/scheduler/executor.hpp"
#include "tessera/scheduler/scheduler.hpp"
#include "tessera/testing/detail/counting_observer.hpp"
#include "tessera/testing/detail/running_cases.hpp"
#include "tessera/testing/scripted_workload.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace tessera::testing {

/// Runs without pauses between attempts, and returns the message of the error.
inline std::string failure_of(workload& work, executor& engine,
                              const std::shared_ptr<counting_observer>& counts) {
  run_options options;
  options.retry.first_pause = {};
  options.observers = {counts};
  try {
    run(work, engine, options);
  } catch (const task_error& error) {
    return error.what();
  }
  return "the run did not fail";
}

inline void reports_the_failure_of_a_task(executor& engine) {
  scripted_workload work({large_tasks(50), large_tasks(1, {0})},
                         {{.action = scripted_action::fail, .tasks = {31, 32}}});
  const auto counts = std::make_shared<counting_observer>();
  EXPECT_EQ(failure_of(work, engine, counts),
            "operation 0 \"op0\", block (31,): the task failed: no such chunk");
  EXPECT_EQ(counts->outcomes, std::vector{computation_outcome::failed});
  EXPECT_EQ(counts->causes, std::vector<std::string>{"no such chunk"});
}

inline void tries_what_may_pass_three_times(executor& engine) {
  scripted_workload work({large_tasks(5)},
                         {{.action = scripted_action::fail_in_passing, .tasks = {2, 3}}});
  const auto counts = std::make_shared<counting_observer>();
  EXPECT_EQ(failure_of(work, engine, counts),
            "operation 0 \"op0\", block (2,): the task failed after 3 attempts: busy");
  EXPECT_EQ(work.attempts(0, 2), 3);
}

inline void pauses_before_it_tries_again(executor& engine) {
  scripted_workload work({large_tasks(1)},
                         {{.action = scripted_action::fail_in_passing, .last_attempt = 2}});
  run_options options;
  options.retry.first_pause = std::chrono::milliseconds{4};
  const auto start = std::chrono::steady_clock::now();
  run(work, engine, options);
  // Each pause is drawn from the upper half of its length, of 4 and of 8 milliseconds.
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds{2 + 4});
  EXPECT_EQ(work.attempts(0, 0), 3);
}

/// One attempt of each of three tasks takes its worker with it; each task costs just that.
inline void replaces_a_worker_that_is_killed(executor& engine) {
  scripted_workload work(
      {large_tasks(40), large_tasks(1, {0})},
      {{.action = scripted_action::be_killed, .tasks = {10, 13}, .last_attempt = 1}});
  work.set_num_workers(engine.num_workers());
  const auto counts = std::make_shared<counting_observer>();
  run_options options;
  options.retry.first_pause = {};
  options.observers = {counts};
  run(work, engine, options);
  EXPECT_TRUE(work.has_ended());
  EXPECT_EQ(work.violations(), std::vector<std::string>{});
  EXPECT_EQ(work.num_runs(), 44);
  EXPECT_EQ(counts->causes.size(), 3U);
  EXPECT_EQ(counts->num_tasks, 41);
}

/// A task ends its process three times; the message of the error contains `words`.
inline void says_why(executor& engine, const script_rule& rule, const std::string& words) {
  scripted_workload work({large_tasks(5)}, {rule});
  const auto counts = std::make_shared<counting_observer>();
  const std::string said = failure_of(work, engine, counts);
  EXPECT_NE(said.find("block (2,): the task failed after 3 attempts: "), std::string::npos) << said;
  EXPECT_NE(said.find(words), std::string::npos) << said;
  EXPECT_EQ(work.attempts(0, 2), 3);
  ASSERT_EQ(counts->causes.size(), 3U);
  for (const std::string& cause : counts->causes) {
    EXPECT_NE(cause.find(words), std::string::npos) << cause;
  }
}

inline void says_that_workers_were_killed(executor& engine) {
  says_why(engine, {.action = scripted_action::be_killed, .tasks = {2, 3}},
           "killed by signal 9 (SIGKILL)");
}

inline void says_that_workers_crashed(executor& engine) {
  says_why(engine, {.action = scripted_action::crash, .tasks = {2, 3}},
           "crashed: signal 11 (SIGSEGV)");
}

inline void says_that_workers_exited(executor& engine) {
  says_why(engine, {.action = scripted_action::exit, .amount = 3, .tasks = {2, 3}},
           "exited with code 3");
}

constexpr session_time short_timeout = std::chrono::milliseconds{300};

inline void stops_a_task_that_hangs(executor& engine) {
  scripted_workload work({large_tasks(5)},
                         {{.action = scripted_action::hang, .tasks = {2, 3}, .last_attempt = 1}});
  const auto counts = std::make_shared<counting_observer>();
  run_options options;
  options.retry.first_pause = {};
  options.task_timeout = short_timeout;
  options.observers = {counts};
  run(work, engine, options);
  EXPECT_TRUE(work.has_ended());
  EXPECT_EQ(work.violations(), std::vector<std::string>{});
  EXPECT_EQ(work.attempts(0, 2), 2);
  EXPECT_EQ(counts->num_tasks, 5);
}

inline void says_that_a_task_hung(executor& engine) {
  scripted_workload work({large_tasks(5)}, {{.action = scripted_action::hang, .tasks = {2, 3}}});
  run_options options;
  options.retry = {.max_attempts = 2, .first_pause = {}};
  options.task_timeout = short_timeout;
  try {
    run(work, engine, options);
    FAIL() << "the run did not fail";
  } catch (const task_error& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find("after 2 attempts: the task ran for longer than its time-out of 0.3 s"),
              std::string::npos)
        << said;
  }
}

/// A task's first copy never ends; with another worker, the end of the second copy counts.
inline void overtakes_a_straggler(executor& engine) {
  std::vector<script_rule> script;
  if (engine.num_workers() > 1) {
    script.push_back({.action = scripted_action::hang, .tasks = {7, 8}, .last_attempt = 1});
  }
  workload_operation operation = large_tasks(20);
  operation.may_be_duplicated = true;
  scripted_workload work({operation}, script);
  const auto counts = std::make_shared<counting_observer>();
  run_options options;
  options.observers = {counts};
  run(work, engine, options);
  EXPECT_TRUE(work.has_ended());
  EXPECT_EQ(work.attempts(0, 7), script.empty() ? 1 : 2);
  EXPECT_EQ(counts->num_tasks, 20);
  EXPECT_TRUE(counts->causes.empty());
}

constexpr bytes declared_memory{64 << 20};

inline void refuses_memory_that_is_not_declared(executor& engine) {
  scripted_workload work(
      {large_tasks(5, {}, declared_memory)},
      {{.action = scripted_action::use_memory, .amount = 1 << 30, .tasks = {2, 3}}});
  const auto counts = std::make_shared<counting_observer>();
  const std::string said = failure_of(work, engine, counts);
  EXPECT_NE(said.find("after 3 attempts: out of memory"), std::string::npos) << said;
  EXPECT_EQ(work.attempts(0, 2), 3);
}

inline void gives_the_memory_that_is_declared(executor& engine) {
  scripted_workload work(
      {large_tasks(5, {}, declared_memory)},
      {{.action = scripted_action::use_memory, .amount = declared_memory.count()}});
  run(work, engine);
  EXPECT_TRUE(work.has_ended());
  EXPECT_EQ(work.num_runs(), 5);
}

}  // namespace tessera::testing
