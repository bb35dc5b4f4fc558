// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Conformance of executors: the order of tasks, and their workers.

#include "tessera/core/bytes.hpp"
#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/scheduler/executor.hpp"
#include "tessera/scheduler/scheduler.hpp"
#include "tessera/testing/detail/counting_observer.hpp"
#include "tessera/testing/scripted_workload.hpp"

#include <algorithm>
#include <atomic>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace tessera::testing {

/// Returns an operation of tasks that are handed out one by one.
inline workload_operation large_tasks(index_t count, std::vector<std::size_t> after = {},
                                      bytes task_memory = {}, bytes resident_memory = {}) {
  return {.name = {},
          .num_tasks = count,
          .element_steps_per_task = 1 << 20,
          .task_memory = task_memory,
          .resident_memory = resident_memory,
          .after = std::move(after)};
}

/// Returns an operation of tasks that are handed out in batches.
inline workload_operation tiny_tasks(index_t count, std::vector<std::size_t> after = {}) {
  workload_operation operation = large_tasks(count, std::move(after));
  operation.element_steps_per_task = 1;
  return operation;
}

/// Runs `work` to its end, and returns the counted events.
inline std::shared_ptr<counting_observer> run_and_count(scripted_workload& work, executor& engine,
                                                        run_options options = {}) {
  auto counts = std::make_shared<counting_observer>();
  options.observers = {counts};
  work.set_num_workers(engine.num_workers());
  run(work, engine, options);
  EXPECT_FALSE(counts->has_bad_event);
  EXPECT_EQ(counts->outcomes, std::vector{computation_outcome::completed});
  return counts;
}

/// Expects that each of the `num_tasks` tasks of `work` has run once; none if `engine` computes
/// nothing.
inline void expect_ran_once(const scripted_workload& work, index_t num_tasks,
                            const executor& engine) {
  const bool computes = engine.traits().computes;
  EXPECT_EQ(work.violations(), std::vector<std::string>{});
  EXPECT_EQ(work.has_ended(), computes);
  EXPECT_EQ(work.num_runs(), computes ? num_tasks : 0);
}

inline void has_a_name_and_workers(executor& engine) {
  EXPECT_FALSE(engine.name().empty());
  EXPECT_GE(engine.num_workers(), 1U);
}

inline void runs_every_task_once(executor& engine) {
  scripted_workload work({large_tasks(100), large_tasks(17, {0}), large_tasks(0, {0}),
                          large_tasks(1, {1, 2}), tiny_tasks(1000)});
  EXPECT_EQ(run_and_count(work, engine)->num_tasks, 1118);
  expect_ran_once(work, 1118, engine);
}

inline void counts_events_exactly(executor& engine) {
  scripted_workload work({tiny_tasks(1000), large_tasks(10, {0})});
  const auto counts = run_and_count(work, engine);
  EXPECT_EQ(counts->num_operations, 2U);
  EXPECT_EQ(counts->num_begun, 2U);
  EXPECT_EQ(counts->num_ended, 2U);
  EXPECT_EQ(counts->num_tasks, 1010);
  EXPECT_EQ(counts->last_attempt, 1);
  EXPECT_TRUE(counts->causes.empty());
}

inline void counts_attempts_exactly(executor& engine) {
  scripted_workload work({tiny_tasks(1000), large_tasks(10, {0})},
                         {{.action = scripted_action::refuse_memory,
                           .operation = 1,
                           .tasks = {0, 3},
                           .last_attempt = 2}});
  run_options options;
  options.retry.first_pause = {};
  const auto counts = run_and_count(work, engine, options);
  EXPECT_EQ(counts->num_tasks, 1010);
  EXPECT_EQ(counts->last_attempt, 3);
  EXPECT_EQ(counts->causes.size(), 6U);
}

/// Returns more tasks than a test waits for, handed out one by one even if that costs a second.
inline workload_operation endless_tasks() {
  workload_operation many = large_tasks(10'000);
  many.element_steps_per_task = index_t{1} << 40;
  return many;
}

/// Returns how many batches are handed out at once.
inline index_t most_batches(const executor& engine) {
  const std::size_t most = engine.traits().max_batches;
  return static_cast<index_t>(most != 0 ? most : 2 * engine.num_workers());
}

/// Batches that were handed out before a cancellation may still run; none is handed out after.
inline void hands_out_nothing_once_cancelled(executor& engine) {
  /// Cancels the run when the first task has ended.
  class canceller final : public observer {
   public:
    void on_tasks_end(const tasks_event& event) override {
      num_tasks += event.count;
      source.request_stop();
    }
    std::stop_source source;
    index_t num_tasks = 0;
  };
  scripted_workload work({endless_tasks(), large_tasks(1, {0})});
  const auto counts = std::make_shared<counting_observer>();
  const auto cancels = std::make_shared<canceller>();
  run_options options;
  options.cancellation = cancels->source.get_token();
  options.observers = {counts, cancels};
  EXPECT_THROW(run(work, engine, options), interrupted_error);
  EXPECT_LE(counts->num_tasks, most_batches(engine));
  EXPECT_EQ(counts->num_begun, 1U);
  EXPECT_EQ(counts->outcomes, std::vector{computation_outcome::interrupted});
  EXPECT_FALSE(counts->has_bad_event);
}

inline void stops_when_it_is_cancelled(executor& engine) {
  scripted_workload work({endless_tasks(), large_tasks(1, {0})},
                         {{.action = scripted_action::stop_the_run, .tasks = {3, 10'000}}});
  std::stop_source source;
  const std::jthread stopper([&](const std::stop_token& is_over) {
    while (!work.is_asked_to_stop() && !is_over.stop_requested()) std::this_thread::yield();
    source.request_stop();
    work.confirm_stop();
  });
  const auto counts = std::make_shared<counting_observer>();
  run_options options;
  options.cancellation = source.get_token();
  options.observers = {counts};
  EXPECT_THROW(run(work, engine, options), interrupted_error);
  EXPECT_EQ(counts->num_tasks, work.num_runs());
  // Three tasks end before the cancellation, as the rest waits for it. Batches handed out before it
  // may run to their end; none is handed out after it.
  EXPECT_LE(work.num_runs(), 3 + most_batches(engine));
  EXPECT_EQ(counts->outcomes, std::vector{computation_outcome::interrupted});
}

inline void keeps_the_host_memory(executor& engine) {
  // The memory of workers may grow by less than this between two measurements.
  constexpr std::uint64_t unit = 10'000'000;
  scripted_workload work({large_tasks(100, {}, bytes{30 * unit}, bytes{10 * unit}),
                          large_tasks(100, {0}, bytes{20 * unit}),
                          large_tasks(100, {}, bytes{25 * unit})});
  run_options options;
  options.baseline = bytes{5 * unit};
  const std::uint64_t workers = engine.num_workers() * engine.traits().worker_memory.count();
  options.host_memory = bytes{75 * unit + workers};
  run(work, engine, options);
  EXPECT_TRUE(work.has_ended());
  EXPECT_EQ(work.violations(), std::vector<std::string>{});
  EXPECT_LE(work.peak(), 70 * unit);
}

inline void runs_100000_tiny_tasks(executor& engine) {
  scripted_workload work({tiny_tasks(100'000)});
  EXPECT_EQ(run_and_count(work, engine)->num_tasks, 100'000);
  expect_ran_once(work, 100'000, engine);
}

/// Each worker's task waits until there is one on every worker.
inline void keeps_all_workers_busy(executor& engine) {
  const std::size_t count = engine.num_workers();
  const auto num_tasks = static_cast<index_t>(count);
  scripted_workload work({tiny_tasks(num_tasks)},
                         {{.action = scripted_action::wait_for_tasks, .amount = count}});
  EXPECT_EQ(run_and_count(work, engine)->workers.size(), count);
  expect_ran_once(work, num_tasks, engine);
}

/// The last operation of the first pipeline ends while the only task of the second one runs. That
/// task waits for it, or the clock tells if the engine runs nothing.
inline void runs_pipelines_side_by_side(executor& engine) {
  const bool has_several_workers = engine.num_workers() > 1;
  std::vector<script_rule> script;
  if (has_several_workers) {
    script.push_back({.action = scripted_action::wait_for_operation, .amount = 2, .operation = 3});
  }
  scripted_workload work({large_tasks(5), large_tasks(5, {0}), large_tasks(5, {1}), large_tasks(1)},
                         script);
  const auto counts = run_and_count(work, engine);
  EXPECT_EQ(counts->num_tasks, 16);
  expect_ran_once(work, 16, engine);
  if (has_several_workers && !engine.traits().computes) {
    EXPECT_LE(counts->first_started(3), counts->last_ended(2));
  }
}

inline void serves_several_threads(executor& engine) {
  const auto run_one = [&engine] {
    scripted_workload work({large_tasks(300), tiny_tasks(300, {0})});
    EXPECT_EQ(run_and_count(work, engine)->num_tasks, 600);
    expect_ran_once(work, 600, engine);
  };
  auto concurrent_run = std::async(std::launch::async, run_one);
  run_one();
  concurrent_run.get();
}

inline void runs_what_its_own_tasks_compute(executor& engine) {
  /// Each task runs a workload on the same executor.
  class nesting final : public scripted_workload {
   public:
    explicit nesting(executor& inner) : scripted_workload({large_tasks(20)}), engine(inner) {}
    void run(std::size_t operation, index_t task, std::size_t worker) override {
      scripted_workload inner({large_tasks(5), large_tasks(1, {0})});
      tessera::run(inner, engine);
      num_inner += inner.num_runs();
      scripted_workload::run(operation, task, worker);
    }
    executor& engine;
    std::atomic<index_t> num_inner{0};
  };
  nesting outer(engine);
  run(outer, engine);
  EXPECT_EQ(outer.num_runs(), 20);
  EXPECT_EQ(outer.num_inner, 20 * 6);
}

}  // namespace tessera::testing
