// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/simulated.hpp"

#include "unit/scheduler/fake_workload.hpp"
#include "unit/scheduler/recorded_run.hpp"

#include <algorithm>
#include <chrono>
#include <gtest/gtest.h>
#include <numeric>
#include <rapidcheck.h>
#include <vector>

namespace tessera {
namespace {

using namespace std::chrono_literals;
using testing::fake_operation;
using testing::record;
using testing::recorded_run;

/// A graph of operations, each of equal tasks that take a microsecond for each of their elements.
std::vector<workload_operation> random_graph() {
  const auto count = *rc::gen::inRange<std::size_t>(1, 8);
  std::vector<workload_operation> operations;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::size_t> after;
    for (std::size_t source = 0; source < i; ++source) {
      if (*rc::gen::inRange(0, 3) == 0) after.push_back(source);
    }
    operations.push_back(fake_operation(*rc::gen::inRange<index_t>(1, 20), std::move(after), {}, {},
                                        *rc::gen::inRange<index_t>(1000, 100'000)));
  }
  return operations;
}

/// The longest chain of tasks, in microseconds.
index_t critical_path(const std::vector<workload_operation>& operations) {
  std::vector<index_t> ends;
  for (const workload_operation& operation : operations) {
    index_t begin = 0;
    for (const std::size_t source : operation.after) begin = std::max(begin, ends[source]);
    ends.push_back(begin + operation.element_steps_per_task);
  }
  return *std::max_element(ends.begin(), ends.end());
}

index_t total_work(const std::vector<workload_operation>& operations) {
  return std::accumulate(operations.begin(), operations.end(), index_t{0},
                         [](index_t sum, const workload_operation& operation) {
                           return sum + operation.num_tasks * operation.element_steps_per_task;
                         });
}

run_options without_backups() {
  run_options options;
  options.backups.is_on = false;
  return options;
}

// R. L. Graham, "Bounds for certain multiprocessing anomalies", 1966: a schedule that leaves no
// worker idle while a task is ready takes at most (work - path) / workers + path, which is at most
// 2 - 1 / workers times the best.
TEST(SimulatedProperty, TheTimeKeepsGrahamsBounds) {
  const bool holds = rc::check([] {
    const std::vector<workload_operation> operations = random_graph();
    const auto workers = *rc::gen::inRange<index_t>(1, 30);
    const recorded_run run =
        record(operations, {.workers = static_cast<std::size_t>(workers), .element_step = 1us},
               without_backups());
    const index_t path = critical_path(operations);
    const index_t work = total_work(operations);
    const index_t elapsed = run.elapsed / 1us;
    RC_ASSERT(elapsed * workers >= work);
    RC_ASSERT(elapsed >= path);
    RC_ASSERT(elapsed * workers <= work + (workers - 1) * path);
  });
  EXPECT_TRUE(holds);
}

TEST(SimulatedProperty, EveryTaskEndsOnceWhateverFails) {
  const bool holds = rc::check([] {
    const std::vector<workload_operation> operations = random_graph();
    const simulated_options options{.workers = *rc::gen::inRange<std::size_t>(1, 30),
                                    .start_up = random_time::exponential(10ms),
                                    .element_step = random_time::lognormal(1us, 1),
                                    .stragglers = {0.1, 20},
                                    .failures = 0.05,
                                    .lost_workers = 0.05,
                                    .seed = *rc::gen::arbitrary<std::uint64_t>()};
    run_options policy;
    policy.retry.max_attempts = 100;
    index_t num_tasks = 0;
    for (const workload_operation& operation : operations) num_tasks += operation.num_tasks;
    RC_ASSERT(record(operations, options, policy).num_tasks == num_tasks);
  });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace tessera
