// SPDX-License-Identifier: Apache-2.0
#include "tessera/observe/simulation.hpp"

#include "unit/core/message_of.hpp"

#include <chrono>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <tessera/tessera.hpp>

namespace tessera {
namespace {

using namespace literals;
using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// A plan of one operation that stores 64 chunks of 8 kB.
auto plan_of_64_tasks(std::shared_ptr<executor> engine, std::shared_ptr<memory_store> store,
                      const std::string& work_dir = "no-such-directory") {
  const spec limits{.work_dir = work_dir};
  const auto x = ones<double, 1>({64'000}, {.chunks = {1000}, .spec = limits});
  return plan(stored(x + 1.0, std::move(store), "y"), run_with{.executor = std::move(engine)});
}

TEST(Simulate, TellsWhatARunWouldBeLike) {
  const auto store = std::make_shared<memory_store>();
  const auto report = simulate(
      plan_of_64_tasks(nullptr, store),
      {.workers = 10, .start_up = 2s, .task_time = 1s, .latency = 100ms, .bandwidth = 80_kB});
  // Seven rounds of a task that computes for 1 s and writes 8 kB for 0.1 s and 0.1 s.
  EXPECT_EQ(report.elapsed, 2s + 7 * 1200ms);
  EXPECT_EQ(report.num_workers, 10U);
  ASSERT_EQ(report.operations.size(), 1U);
  EXPECT_EQ(report.operations[0].num_done, 64);
  EXPECT_EQ(report.operations[0].begin, 0s);
  EXPECT_EQ(report.operations[0].end, report.elapsed);
  EXPECT_NEAR(report.utilisation(), 64 * 1.2 / (10 * 10.4), 1e-12);
  EXPECT_EQ(report.num_failures() + report.num_backups(), 0);
  EXPECT_FALSE(store->exists("y/.zarray"));
}

TEST(Simulate, CountsFailuresAndBackups) {
  const auto store = std::make_shared<memory_store>();
  const auto report = simulate(
      plan_of_64_tasks(nullptr, store),
      {.workers = 70, .task_time = 1s, .stragglers = {0.05, 100}, .failures = 0.05, .seed = 1});
  EXPECT_GT(report.num_failures(), 0);
  EXPECT_EQ(report.operations[0].num_attempts, 64 + report.num_failures());
  EXPECT_EQ(report.operations[0].num_backups, report.num_backups());
}

/// A plan of the sum of 1,000 chunks for the workers of `engine`.
auto plan_of_a_sum(std::shared_ptr<executor> engine) {
  const auto x = random::uniform<double>({100'000'000}, {.chunks = {100'000}});
  return plan(sum(x * x), run_with{.executor = std::move(engine)});
}

TEST(Simulate, PlansAnewForItsWorkersAndCosts) {
  const simulated_options many{.workers = 500, .element_step = 1us};
  const auto expected = simulate(plan_of_a_sum(executors::simulated(many)), many, as_planned);
  const auto of_two = plan_of_a_sum(executors::threads(2));
  EXPECT_EQ(simulate(of_two, many).elapsed, expected.elapsed);
  EXPECT_GT(simulate(of_two, many, as_planned).elapsed, 2 * expected.elapsed);
  EXPECT_EQ(simulate(of_two.bounded(), many).elapsed, expected.elapsed);
}

TEST(Simulate, KeepsThePassesThatAPlanWasMadeWith) {
  const auto x = ones<double, 1>({64'000}, {.chunks = {1000}});
  const array<double, 1> y = x + 1.0;
  const auto apart = plan(pass_switches{.fuse_producers = false}, y * 2.0);
  EXPECT_EQ(simulate(apart, {.workers = 2, .task_time = 1s}).operations.size(), 2U);
}

TEST(SimulatedExecutor, SaysTheCostsOfItsWorkers) {
  const auto figures = executors::simulated({.workers = 3,
                                             .task_time = random_time::exponential(1s),
                                             .latency = 20ms,
                                             .bandwidth = 100_MB,
                                             .read_bandwidth = 300_MB,
                                             .write_bandwidth = 50_MB,
                                             .total_bandwidth = 2_GB})
                           ->traits()
                           .costs;
  EXPECT_EQ(figures, (costs{.read_bandwidth = 100_MB,
                            .write_bandwidth = 50_MB,
                            .latency = 20ms,
                            .total_bandwidth = 2_GB,
                            .task = 1s}));
  EXPECT_EQ(executors::threads(2)->traits().costs, std::nullopt);
}

TEST(Simulate, PrintsALineForEachOperation) {
  std::ostringstream out;
  const auto tasks = plan_of_64_tasks(nullptr, std::make_shared<memory_store>());
  out << simulate(tasks, {.task_time = 1s}, as_planned);
  EXPECT_THAT(out.str(),
              AllOf(HasSubstr("64.000 s on 1 workers, busy 100 %\n"),
                    HasSubstr("64 tasks from 0.000 s to 64.000 s, 0 failures, 0 backups")));
}

TEST(SimulatedExecutor, ShowsARunOfAPlanWithoutStoringAnything) {
  const auto store = std::make_shared<memory_store>();
  const auto engine = executors::simulated({.workers = 10, .task_time = 1s});
  const auto past = std::make_shared<history>();
  plan_of_64_tasks(engine, store).execute({.observers = {past}});
  EXPECT_EQ(past->elapsed(), 7s);
  EXPECT_EQ(past->outcome(), computation_outcome::completed);
  EXPECT_EQ(past->executor_name(), "simulated:workers=10,task_time=1s");
  EXPECT_FALSE(store->exists("y/.zarray"));
  EXPECT_FALSE(std::filesystem::exists("no-such-directory"));
}

TEST(SimulatedExecutor, TellsItsPredictionToWhoAsksForResults) {
  const auto engine = executors::simulated({.workers = 10, .task_time = 1s});
  EXPECT_EQ(testing::message_of<value_error>([&] {
              (void)plan_of_64_tasks(engine, std::make_shared<memory_store>()).compute();
            }),
            "compute: there are no results, for the executor "
            "\"simulated:workers=10,task_time=1s\" only simulates; it predicts 7 s on 10 "
            "workers; call execute() of the plan to see that run, or choose an executor that "
            "computes, as \"threads\"");
}

TEST(PlanExecute, StoresWithoutReturningAnything) {
  const auto store = std::make_shared<memory_store>();
  plan_of_64_tasks(executors::serial(), store, "directory-of-64-tasks").execute();
  EXPECT_EQ(sum(open<double, 1>(store, "y")).compute(), 128'000);
}

}  // namespace
}  // namespace tessera
