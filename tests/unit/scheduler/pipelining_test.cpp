// SPDX-License-Identifier: Apache-2.0
// Readers that start when what they read is there, on virtual clocks.
#include "tessera/core/error.hpp"
#include "tessera/executor/simulated.hpp"
#include "tessera/scheduler/scheduler.hpp"

#include "unit/scheduler/idle_workload.hpp"
#include "unit/scheduler/timed_run.hpp"
#include "unit/scheduler/virtual_engine.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <queue>
#include <rapidcheck.h>
#include <set>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using namespace std::chrono_literals;
using testing::chain;
using ::testing::ElementsAre;
using testing::engine_of;
using testing::fate;
using testing::idle_workload;
using testing::keeps_order;
using testing::same_tasks;
using testing::timed_options;
using testing::times_observer;
using testing::virtual_engine;

TEST(Pipelining, LetsTwoMapsOf122TasksOn100WorkersTakeThreeRounds) {
  idle_workload work({122, 122});
  chain(work, 2);
  timed_options options;
  run(work, *executors::simulated({.workers = 100, .task_time = 1s}), options);
  EXPECT_EQ(options.times->elapsed, 3s);
  EXPECT_TRUE(keeps_order(work, *options.times));
}

/// Returns when the last task of a chain of maps ends if a free worker always takes a task of the
/// latest map with an ended source, and tasks take their times of `run`.
session_time exact_readiness(const times_observer& run, std::size_t num_maps, index_t num_tasks,
                             std::size_t num_workers) {
  using event = std::pair<session_time, std::pair<std::size_t, index_t>>;
  std::set<std::pair<std::size_t, index_t>> ready;  // by how many maps come behind
  for (index_t task = 0; task < num_tasks; ++task) ready.emplace(num_maps - 1, task);
  std::priority_queue<event, std::vector<event>, std::greater<>> running;
  session_time now{};
  while (!ready.empty() || !running.empty()) {
    while (!ready.empty() && running.size() < num_workers) {
      const auto next = *ready.begin();
      ready.erase(ready.begin());
      const auto& span = run.spans.at(num_maps - 1 - next.first).at(next.second);
      running.push({now + span.ended - span.began, next});
    }
    now = running.top().first;
    const auto [num_behind, task] = running.top().second;
    running.pop();
    if (num_behind > 0) ready.emplace(num_behind - 1, task);
  }
  return now;
}

TEST(Pipelining, IsAsGoodAsExactReadinessWhereThereAreStragglers) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    idle_workload work({1000, 1000, 1000, 1000, 1000});
    chain(work, 5);
    timed_options options;
    run(work,
        *executors::simulated({.workers = 100,
                               .task_time = 1s,
                               .stragglers = {.probability = 0.01, .slowness = 5},
                               .seed = seed}),
        options);
    const session_time exact = exact_readiness(*options.times, 5, 1000, 100);
    EXPECT_GE(exact, 50s);
    EXPECT_LE(20 * options.times->elapsed, 21 * exact);
    EXPECT_TRUE(keeps_order(work, *options.times));
  }
}

// The blocks that a chain keeps alive are few: each is read soon after it was made.
TEST(Pipelining, RunsReadersFirst) {
  idle_workload work({100, 100, 100});
  chain(work, 3);
  virtual_engine engine = engine_of(2);
  run(work, engine, timed_options());
  std::vector<index_t> started(3);
  for (const auto& entry : engine.history) {
    ++started[entry.batch.operation];
    EXPECT_LE(started[0] - started[2], 3 * 4);  // as many as are handed out, of each map
  }
  EXPECT_EQ(engine.end, 150s);
}

// Small tasks between great ones would leave great ones to the end, for few of the workers.
TEST(Pipelining, RunsReadersOfLittleLastUnlessMemoryHoldsWhatTheyRead) {
  const auto started_last = [](std::size_t read, std::size_t resident) {
    idle_workload work({8, 8});
    chain(work, 2);
    work[0].bytes_read_per_task = bytes{1000};
    work[0].resident_memory = bytes{resident};
    work[1].bytes_read_per_task = bytes{read};
    virtual_engine engine = engine_of(2);
    run(work, engine, timed_options());
    std::size_t last_great = 0;
    for (std::size_t i = 0; i < engine.history.size(); ++i) {
      if (engine.history[i].batch.operation == 0) last_great = i;
    }
    return last_great;
  };
  EXPECT_EQ(started_last(249, 0), 7U) << "all others are behind";
  EXPECT_GT(started_last(250, 0), 7U);
  EXPECT_GT(started_last(249, 1), 7U);
}

TEST(Pipelining, TakesOperationsThatReadNothingInTheirOrder) {
  idle_workload work({2, 2, 2});
  virtual_engine engine = engine_of(1);
  run(work, engine, timed_options());
  std::vector<std::size_t> order;
  for (const auto& entry : engine.history) order.push_back(entry.batch.operation);
  EXPECT_THAT(order, ElementsAre(0, 0, 1, 1, 2, 2));
}

TEST(Pipelining, LetsAStragglerDelayItsOwnReadersAlone) {
  idle_workload work({40, 40});
  chain(work, 2);
  virtual_engine engine(4, [](const task_batch& batch, int) -> fate {
    return {batch.operation == 0 && batch.first == 2 ? 20s : 1s};
  });
  timed_options options;
  run(work, engine, options);
  EXPECT_TRUE(keeps_order(work, *options.times));
  // Three workers do the remaining 78 in 26 s; with a barrier 40 s would not do.
  EXPECT_LE(options.times->elapsed, 27s);
}

TEST(Pipelining, IsABarrierWhereEachTaskNeedsTheLast) {
  idle_workload work({30, 7});
  work[1].after = {0};
  timed_options options;
  virtual_engine engine = engine_of(4);
  run(work, engine, options);
  EXPECT_TRUE(keeps_order(work, *options.times));
  EXPECT_EQ(engine.end, 10s);  // ceil(30 / 4) + ceil(7 / 4)
}

// 8 x 8 blocks: task (i, j) reads block (j, i).
TEST(Pipelining, FindsWhatATranspositionWaitsFor) {
  idle_workload work({64, 64});
  work[1].after = {0};
  work.needed = [](std::size_t, task_range tasks, std::size_t) {
    const index_t from = tasks.first % 8 * 8 + tasks.first / 8;
    return std::vector<task_range>{{from, from + 1}};
  };
  timed_options options;
  virtual_engine engine = engine_of(5);
  run(work, engine, options);
  EXPECT_TRUE(keeps_order(work, *options.times));
  EXPECT_LE(engine.end, 27s);  // 128 / 5, and the longest chain of tasks
}

TEST(Pipelining, HandsOutTasksThatAreHandedOutTogether) {
  idle_workload work({10'000, 10'000}, 1);
  chain(work, 2);
  timed_options options;
  virtual_engine engine = engine_of(2);
  run(work, engine, options);
  EXPECT_TRUE(keeps_order(work, *options.times));
  EXPECT_LT(options.times->spans.at(1).at(0).ended, options.times->spans.at(0).at(9'999).began);
  EXPECT_LT(engine.history.size(), 10'000U);
}

TEST(Pipelining, TriesReadersOfATaskThatFailedOnceItHasPassed) {
  idle_workload work({50, 50});
  chain(work, 2);
  const auto busy = std::make_exception_ptr(store_error("busy", true));
  virtual_engine engine(3, [&](const task_batch& batch, int copy) -> fate {
    if (batch.first % 7 == 0 && copy < 3) return {1s, 0, busy};
    return {1s};
  });
  timed_options options;
  options.retry.first_pause = 3s;
  run(work, engine, options);
  EXPECT_TRUE(keeps_order(work, *options.times));
  EXPECT_EQ(engine.history.size(), 100U + 2 * 2 * 8);
}

TEST(Pipelining, CountsTheFirstCopyOfATaskThatEnds) {
  idle_workload work({12, 12});
  chain(work, 2);
  virtual_engine engine(13, [](const task_batch& batch, int copy) -> fate {
    return {batch.operation == 0 && batch.first == 5 && copy == 1 ? 1000s : 4s};
  });
  timed_options options;
  options.backups.is_on = true;
  run(work, engine, options);
  EXPECT_TRUE(keeps_order(work, *options.times));
  EXPECT_LE(engine.end, 21s);
}

// Tasks 5 to 9 of both are left; task j reads from task j - 5.
TEST(Pipelining, StartsReadersOfWhatAnEarlierRunHasMadeAtOnce) {
  idle_workload work({10, 10});
  work[1].after = {0};
  work.unfinished = {{5, 10}};
  work.needed = [](std::size_t, task_range tasks, std::size_t) {
    return std::vector<task_range>{{tasks.first - 5, tasks.last - 5}};
  };
  timed_options options;
  virtual_engine engine = engine_of(10);
  run(work, engine, options);
  EXPECT_EQ(engine.end, 1s);
  EXPECT_THAT(work.ended, ElementsAre(0U, 1U));
}

TEST(Pipelining, EndsAReaderOfAPartAfterWhatItReads) {
  idle_workload work({10, 2, 1});
  work[1].after = {0};
  work[2].after = {1};
  work.needed = same_tasks;
  virtual_engine engine = engine_of(1);
  run(work, engine, timed_options());
  EXPECT_EQ(engine.end, 13s);
  // The last one read all of the second, which had to wait for the first.
  EXPECT_THAT(work.ended, ElementsAre(2U, 0U, 1U));
}

TEST(Pipelining, DoesNotTakeMemoryFromWorkersForAnArrayThatMayComeLater) {
  const auto runs_with = [](std::uint64_t host_memory) {
    idle_workload work({16, 16});
    chain(work, 2);
    work[0].task_memory = bytes{10};
    work[1].task_memory = bytes{10};
    work[1].resident_memory = bytes{25};
    work[1].may_be_duplicated = false;
    virtual_engine engine = engine_of(4);
    timed_options options;
    options.host_memory = bytes{host_memory};
    run(work, engine, options);
    EXPECT_TRUE(keeps_order(work, *options.times));
    return std::pair(options.times->spans.at(1).at(0).began, engine.end);
  };
  EXPECT_EQ(runs_with(65), std::pair(session_time{2s}, session_time{8s})) << "beside four tasks";
  // In 64 B four tasks of the first run at once, but three beside the array.
  EXPECT_EQ(runs_with(64), std::pair(session_time{4s}, session_time{10s}));
}

struct random_plan {
  std::vector<workload_operation> operations;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::vector<task_range>>> needed;
};

/// Operations that read random parts of some of the earlier ones.
random_plan pick_plan() {
  random_plan plan;
  const auto count = *rc::gen::inRange<std::size_t>(2, 7);
  for (std::size_t i = 0; i < count; ++i) {
    workload_operation operation;
    operation.name = "op";
    operation.num_tasks = *rc::gen::inRange<index_t>(0, 20);
    operation.element_steps_per_task = *rc::gen::element<index_t>(1, 1 << 30);
    operation.task_memory = bytes{*rc::gen::inRange<std::uint64_t>(0, 10)};
    operation.resident_memory = bytes{*rc::gen::inRange<std::uint64_t>(0, 10)};
    for (std::size_t source = 0; source < i; ++source) {
      if (*rc::gen::inRange(0, 3) > 0) continue;
      operation.after.push_back(source);
      const index_t most = plan.operations[source].num_tasks;
      auto& needed = plan.needed[{i, source}];
      for (index_t task = 0; task < operation.num_tasks; ++task) {
        needed.emplace_back();
        if (most == 0 || *rc::gen::inRange(0, 5) == 0) continue;
        const auto first = *rc::gen::inRange<index_t>(0, most);
        needed.back().push_back({first, *rc::gen::inRange<index_t>(first + 1, most + 1)});
        if (*rc::gen::inRange(0, 3) == 0) needed.back().push_back({most - 1, most});
      }
    }
    plan.operations.push_back(std::move(operation));
  }
  return plan;
}

TEST(PipeliningProperty, RunsEachTaskOnceAfterWhatItNeedsWithinTheMemory) {
  const bool holds = rc::check([] {
    const random_plan plan = pick_plan();
    idle_workload work(std::vector<index_t>(plan.operations.size()));
    std::uint64_t resident = 0;
    for (std::size_t i = 0; i < plan.operations.size(); ++i) {
      work[i] = plan.operations[i];
      resident += plan.operations[i].resident_memory.count();
    }
    work.needed = [&plan](std::size_t operation, task_range tasks, std::size_t source) {
      std::vector<task_range> ranges;
      for (index_t task = tasks.first; task < tasks.last; ++task) {
        const auto& needed = plan.needed.at({operation, source})[static_cast<std::size_t>(task)];
        ranges.insert(ranges.end(), needed.begin(), needed.end());
      }
      return ranges;
    };
    const auto num_workers = *rc::gen::element<std::size_t>(1, 2, 5);
    const auto random = *rc::gen::inRange<index_t>(1, 1000);
    const auto busy = std::make_exception_ptr(store_error("busy", true));
    virtual_engine engine(num_workers, [&](const task_batch& batch, int copy) -> fate {
      const index_t mixed =
          (batch.first * 31 + static_cast<index_t>(batch.operation) * 17) * random % 97;
      if (mixed % 11 == 0 && copy == 1) return {1s, 0, busy};
      return {session_time{1s} * (1 + mixed % 5)};
    });
    timed_options options;
    options.retry.first_pause = 1s;
    options.host_memory = bytes{resident + *rc::gen::inRange<std::uint64_t>(10, 40)};
    run(work, engine, options);
    RC_ASSERT(work.ended.size() == plan.operations.size());
    RC_ASSERT(keeps_order(work, *options.times));
    for (std::size_t i = 0; i < plan.operations.size(); ++i) {
      RC_ASSERT(options.times->spans[i].size() ==
                static_cast<std::size_t>(plan.operations[i].num_tasks));
    }
  });
  EXPECT_TRUE(holds);
}

}  // namespace
}  // namespace tessera
