// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/scheduler/scheduler.hpp"

#include "unit/scheduler/fake_workload.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <vector>

namespace tessera {
namespace {

using testing::fake_operation;
using testing::fake_workload;

/// Operations that each read from some of the earlier ones; memory in small numbers.
std::vector<workload_operation> random_operations() {
  const auto count = *rc::gen::inRange<std::size_t>(1, 12);
  std::vector<workload_operation> operations;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::size_t> after;
    for (std::size_t source = 0; source < i; ++source) {
      if (*rc::gen::inRange(0, 3) == 0) after.push_back(source);
    }
    const auto task_memory = *rc::gen::inRange<std::uint64_t>(0, 40);
    const auto resident_memory = *rc::gen::inRange<std::uint64_t>(0, 40);
    operations.push_back(fake_operation(*rc::gen::inRange<index_t>(0, 30), std::move(after),
                                        bytes{task_memory}, bytes{resident_memory},
                                        *rc::gen::element<index_t>(1, 100'000)));
    operations.back().kept_memory = bytes{*rc::gen::inRange<std::uint64_t>(0, resident_memory + 1)};
  }
  return operations;
}

/// The memory that is needed when operations run in their order, one task at a time: written as
/// sums over all pairs, not as the scheduler does it.
std::uint64_t memory_in_order(const std::vector<workload_operation>& operations) {
  std::uint64_t most = 0;
  for (std::size_t now = 0; now < operations.size(); ++now) {
    std::uint64_t sum = operations[now].num_tasks > 0 ? operations[now].task_memory.count() : 0;
    for (std::size_t resident = 0; resident <= now; ++resident) {
      bool has_reader = false;
      bool is_needed = resident == now;
      for (std::size_t reader = resident + 1; reader < operations.size(); ++reader) {
        const auto& after = operations[reader].after;
        if (std::find(after.begin(), after.end(), resident) == after.end()) continue;
        has_reader = true;
        is_needed = is_needed || reader >= now;
      }
      const bool is_whole = is_needed || !has_reader;
      sum += (is_whole ? operations[resident].resident_memory : operations[resident].kept_memory)
                 .count();
    }
    most = std::max(most, sum);
  }
  return most;
}

TEST(SchedulerProperty, EveryTaskRunsOnceInOrderWithinTheLeastMemoryThatWillDo) {
  const bool holds = rc::check([] {
    const std::vector<workload_operation> operations = random_operations();
    const std::uint64_t least = memory_in_order(operations);
    const std::uint64_t limit = least + *rc::gen::element<std::uint64_t>(0, 10, 1000);
    const auto num_workers = *rc::gen::element<std::size_t>(1, 2, 7);
    fake_workload work(operations);
    work.max_workers = num_workers;
    run_options options;
    options.host_memory = bytes{limit};
    run(work, *executors::threads(num_workers), options);
    RC_ASSERT(work.has_ended());
    RC_ASSERT(work.violations().empty());
    RC_ASSERT(work.peak() <= limit);
  });
  EXPECT_TRUE(holds);
}

TEST(SchedulerProperty, OneByteLessThanTheLeastMemoryIsRefusedBeforeAnythingRuns) {
  const bool holds = rc::check([] {
    const std::vector<workload_operation> operations = random_operations();
    const std::uint64_t least = memory_in_order(operations);
    RC_PRE(least > 0U);
    fake_workload work(operations);
    run_options options;
    options.host_memory = bytes{least - 1};
    RC_ASSERT_THROWS_AS(run(work, *executors::serial(), options), memory_error);
    RC_ASSERT(work.num_runs() == 0);
  });
  EXPECT_TRUE(holds);
}

TEST(SchedulerProperty, FailuresThatPassCostExactlyTheirAttempts) {
  const bool holds = rc::check([] {
    const std::vector<workload_operation> operations = random_operations();
    const auto failing = *rc::gen::inRange<index_t>(1, 6);
    fake_workload work(operations, [=](std::size_t operation, index_t task, int attempt) {
      const auto sum = static_cast<index_t>(operation) + task;
      if (attempt <= sum % failing % 3) throw store_error("busy", true);
    });
    run_options options;
    options.retry.first_pause = {};
    run(work, *executors::threads(2), options);
    RC_ASSERT(work.has_ended());
    RC_ASSERT(work.violations().empty());
    for (std::size_t i = 0; i < operations.size(); ++i) {
      for (index_t task = 0; task < operations[i].num_tasks; ++task) {
        const index_t failures = (static_cast<index_t>(i) + task) % failing % 3;
        RC_ASSERT(work.attempts(i, task) == 1 + static_cast<int>(failures));
      }
    }
  });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace tessera
