// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Conformance of executors: tasks that read outputs of tasks of other operations.

#include "tessera/scheduler/executor.hpp"
#include "tessera/scheduler/observer.hpp"
#include "tessera/scheduler/scheduler.hpp"
#include "tessera/testing/detail/counting_observer.hpp"
#include "tessera/testing/detail/running_cases.hpp"
#include "tessera/testing/scripted_workload.hpp"

#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace tessera::testing {

/// Notices tasks that begin before those of the same number of the operation before have ended.
class step_observer final : public observer {
 public:
  void on_computation_begin(const computation_event& event) override {
    for (const workload_operation& operation : event.operations) {
      ends_.emplace_back(static_cast<std::size_t>(operation.num_tasks), never);
    }
  }
  void on_tasks_end(const tasks_event& event) override {
    for (index_t task = event.first; task < event.first + event.count; ++task) {
      const auto number = static_cast<std::size_t>(task);
      ends_[event.operation][number] = event.ended;
      if (event.operation > 0) is_kept &= ends_[event.operation - 1][number] <= event.started;
    }
  }

  bool is_kept = true;

 private:
  static constexpr session_time never = session_time::max();
  std::vector<std::vector<session_time>> ends_;
};

/// Readers of a task start once it has ended, and no earlier, whatever is tried again. Tasks
/// notice, or the clock tells if the engine runs nothing.
inline void runs_readers_after_what_they_read(executor& engine) {
  scripted_workload work(
      {large_tasks(60), large_tasks(60, {0}), tiny_tasks(50, {1})},
      {{.action = scripted_action::refuse_memory, .tasks = {7, 9}, .last_attempt = 1},
       {.action = scripted_action::refuse_memory,
        .operation = 1,
        .tasks = {8, 10},
        .last_attempt = 2}});
  work.read_in_step(1);
  work.read_in_step(2);
  const auto steps = std::make_shared<step_observer>();
  const auto counts = std::make_shared<counting_observer>();
  run_options options;
  options.retry.first_pause = {};
  options.observers = {counts, steps};
  run(work, engine, options);
  EXPECT_TRUE(steps->is_kept || engine.traits().computes);
  EXPECT_FALSE(counts->has_bad_event);
  EXPECT_EQ(counts->num_tasks, 170);
  EXPECT_EQ(work.violations(), std::vector<std::string>{});
  EXPECT_EQ(work.num_runs(), engine.traits().computes ? 176 : 0);
}

/// The last task of an operation waits for all of its readers: they do not wait for it.
inline void starts_readers_before_their_source_has_ended(executor& engine) {
  const bool has_several_workers = engine.num_workers() > 1;
  std::vector<script_rule> script;
  if (has_several_workers) {
    script.push_back({.action = scripted_action::wait_for_operation, .amount = 1, .tasks = {5, 6}});
  }
  scripted_workload work({large_tasks(6), large_tasks(5, {0})}, script);
  work.read_in_step(1);
  EXPECT_EQ(run_and_count(work, engine)->num_tasks, 11);
  expect_ran_once(work, 11, engine);
}

/// Attempts of makers and of readers take their workers with them.
inline void runs_readers_after_what_a_killed_worker_made(executor& engine) {
  scripted_workload work(
      {large_tasks(40), large_tasks(40, {0})},
      {{.action = scripted_action::be_killed, .tasks = {10, 12}, .last_attempt = 1},
       {.action = scripted_action::be_killed, .operation = 1, .tasks = {3, 4}, .last_attempt = 2}});
  work.read_in_step(1);
  work.set_num_workers(engine.num_workers());
  run_options options;
  options.retry.first_pause = {};
  run(work, engine, options);
  EXPECT_TRUE(work.has_ended());
  EXPECT_EQ(work.violations(), std::vector<std::string>{});
  EXPECT_EQ(work.num_runs(), 84);
}

}  // namespace tessera::testing
