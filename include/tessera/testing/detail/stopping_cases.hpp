// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Conformance of executors: runs that are stopped while tasks of two operations are under way, a
/// maker and its reader, and runs that continue them.

#include "tessera/core/error.hpp"
#include "tessera/scheduler/executor.hpp"
#include "tessera/scheduler/interrupt.hpp"
#include "tessera/scheduler/observer.hpp"
#include "tessera/scheduler/scheduler.hpp"
#include "tessera/testing/detail/counting_observer.hpp"
#include "tessera/testing/detail/running_cases.hpp"
#include "tessera/testing/scripted_workload.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace tessera::testing {

/// Runs `work`, which is stopped before it ends; returns the message of the error.
inline std::string words_of_stop(workload& work, executor& engine, const run_options& options) {
  try {
    run(work, engine, options);
  } catch (const interrupted_error& error) {
    return error.what();
  }
  return "the run was not stopped";
}

/// Returns the message of a run that was stopped by `whom`.
inline std::string words_of_stop(const std::string& whom, index_t num_done, index_t num_tasks) {
  return "run: stopped by " + whom + " after " + std::to_string(num_done) + " of " +
         std::to_string(num_tasks) + " tasks; what it was storing is incomplete";
}

/// Three operations, task by task, of which the second and the third read the one before.
inline std::vector<workload_operation> three_steps(index_t num_tasks) {
  return {large_tasks(num_tasks), large_tasks(num_tasks, {0}), large_tasks(num_tasks, {1})};
}

inline void read_in_steps(scripted_workload& work) {
  work.read_in_step(1);
  work.read_in_step(2);
}

/// Expects that a run of the tasks that `work` has not run gives the whole, each task once.
inline void expect_rest_runs_once(const scripted_workload& work, index_t num_tasks,
                                  executor& engine) {
  const index_t num_done = work.num_runs();
  scripted_workload rest(three_steps(num_tasks));
  read_in_steps(rest);
  rest.go_on_with(work);
  const auto resumed = run_and_count(rest, engine);
  EXPECT_EQ(resumed->num_resumed, num_done);
  EXPECT_EQ(resumed->num_tasks, 3 * num_tasks - num_done);
  expect_ran_once(rest, 3 * num_tasks - num_done, engine);
  for (std::size_t i = 0; i < 3; ++i) {
    for (index_t task = 0; task < num_tasks; ++task) {
      EXPECT_EQ(work.attempts(i, task) + rest.attempts(i, task), 1) << i << ", " << task;
    }
  }
}

/// Tasks 10 of the first operation and 3 of the second wait until the run is stopped by `stop`;
/// with two workers, both are under way then. Tasks under way end, and count; no other task runs.
/// Another run does the rest, once.
template <class Stop>
void goes_on_with_what_was_stopped(executor& engine, const std::string& whom,
                                   const run_options& run_settings, Stop stop) {
  constexpr index_t num_tasks = 40;
  scripted_workload work(
      three_steps(num_tasks),
      {{.action = scripted_action::stop_the_run, .operation = 0, .tasks = {10, 11}},
       {.action = scripted_action::stop_the_run, .operation = 1, .tasks = {3, 4}}});
  read_in_steps(work);
  work.set_num_workers(engine.num_workers());
  const auto counts = std::make_shared<counting_observer>();
  {
    const bool has_several_workers = engine.num_workers() > 1;
    const std::jthread stopper([&](const std::stop_token& is_over) {
      const auto are_under_way = [&] {
        const bool maker = work.attempts(0, 10) > 0;
        const bool reader = work.attempts(1, 3) > 0;
        return has_several_workers ? maker && reader : maker || reader;
      };
      while (!are_under_way() && !is_over.stop_requested()) std::this_thread::yield();
      stop();
      work.confirm_stop();
    });
    run_options options = run_settings;
    options.observers = {counts};
    const std::string said = words_of_stop(work, engine, options);
    EXPECT_EQ(said, words_of_stop(whom, counts->num_tasks, 3 * num_tasks));
  }
  EXPECT_EQ(counts->outcomes, std::vector{computation_outcome::interrupted});
  EXPECT_EQ(counts->num_ended, 0U);
  EXPECT_FALSE(counts->has_bad_event);
  const index_t num_done = counts->num_tasks;
  EXPECT_EQ(work.num_runs(), num_done);
  EXPECT_EQ(work.violations(), std::vector<std::string>{});
  EXPECT_FALSE(work.has_ended());

  expect_rest_runs_once(work, num_tasks, engine);
  // The one that was stopped has not changed meanwhile.
  EXPECT_EQ(work.num_runs(), num_done);
}

inline void goes_on_with_what_was_cancelled(executor& engine) {
  std::stop_source source;
  run_options options;
  options.cancellation = source.get_token();
  goes_on_with_what_was_stopped(engine, "a request to cancel it", options,
                                [&] { source.request_stop(); });
}

inline void goes_on_with_what_was_interrupted(executor& engine) {
  goes_on_with_what_was_stopped(engine, "an interrupt", {}, [] { request_interrupt(); });
}

/// Stops a run when the first task of the second operation has ended, also if the engine runs
/// nothing. No operation begins then, and only batches that were handed out end.
inline void says_how_much_of_a_pipeline_was_done(executor& engine) {
  class stopper final : public observer {
   public:
    void on_tasks_end(const tasks_event& event) override {
      if (is_stopped) num_tasks_afterwards += event.count;
      if (event.operation != 1 || is_stopped) return;
      is_stopped = true;
      request_interrupt();
    }
    bool is_stopped = false;
    index_t num_tasks_afterwards = 0;
  };
  std::vector<workload_operation> operations(3, endless_tasks());
  operations[1].after = {0};
  operations[2].after = {1};
  scripted_workload work(operations);
  read_in_steps(work);
  const auto counts = std::make_shared<counting_observer>();
  const auto stops = std::make_shared<stopper>();
  run_options options;
  options.observers = {counts, stops};
  const std::string said = words_of_stop(work, engine, options);
  EXPECT_EQ(said, words_of_stop("an interrupt", counts->num_tasks, 30'000));
  EXPECT_TRUE(stops->is_stopped);
  EXPECT_LE(stops->num_tasks_afterwards, most_batches(engine));
  EXPECT_EQ(counts->num_ended, 0U);
  EXPECT_EQ(counts->outcomes, std::vector{computation_outcome::interrupted});
  EXPECT_FALSE(counts->has_bad_event);
  EXPECT_EQ(work.violations(), std::vector<std::string>{});
}

}  // namespace tessera::testing
