// SPDX-License-Identifier: Apache-2.0
#include "tessera/observe/calibration.hpp"

#include "tessera/core/error.hpp"
#include "tessera/core/traffic.hpp"
#include "tessera/scheduler/scheduler.hpp"

#include "unit/scheduler/fake_workload.hpp"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using namespace std::chrono_literals;
using testing::fake_operation;
using testing::fake_workload;

/// Lets `seen` observe a run.
void observe(const std::shared_ptr<calibration>& seen, std::vector<workload_operation> operations,
             const simulated_options& workers) {
  fake_workload work(std::move(operations));
  run_options options;
  options.observers = {seen};
  run(work, *executors::simulated(workers), options);
}

std::shared_ptr<calibration> calibrated_by(std::vector<workload_operation> operations,
                                           const simulated_options& workers) {
  const auto seen = std::make_shared<calibration>();
  observe(seen, std::move(operations), workers);
  return seen;
}

TEST(Calibration, FindsTheTimesOfASimulatedRunAgain) {
  const auto seen = calibrated_by({fake_operation(20'000)},
                                  {.workers = 7, .element_step = random_time::lognormal(2ns, 0.3)});
  const simulated_options found = seen->options(3);
  EXPECT_EQ(found.workers, 3U);
  EXPECT_TRUE(found.in_process);
  EXPECT_EQ(found.element_step.kind(), random_time::family::lognormal);
  EXPECT_NEAR(found.element_step.first(), 2, 0.02);
  EXPECT_NEAR(found.element_step.second(), 0.3, 0.01);
}

TEST(Calibration, TellsATasksOwnTimeFromThatOfItsElements) {
  const auto seen =
      calibrated_by({fake_operation(100, {}, {}, {}, 1000), fake_operation(30, {}, {}, {}, 9000),
                     fake_operation(1, {}, {}, {}, 0)},
                    {.task_time = 5us, .element_step = 2ns});
  EXPECT_NEAR(seen->options(1).task_time.first(), 5000, 1e-6);
  EXPECT_NEAR(seen->options(1).element_step.first(), 2, 1e-9);
}

// What tasks say that they have moved goes before what was planned: half of it, in chunks that no
// plan knew to be missing, say.
TEST(Calibration, ReckonsWithWhatWasReallyMoved) {
  constexpr double byte = 5.0;       // nanoseconds
  constexpr double request = 40000;  // nanoseconds
  constexpr double task = 1000;      // nanoseconds
  calibration seen;
  std::vector<workload_operation> operations;
  for (int i = 0; i < 4; ++i) {
    workload_operation one = fake_operation(10);
    one.element_steps_per_task = 0;
    one.bytes_read_per_task = bytes{1'000'000};
    one.reads_per_task = 8;
    operations.push_back(one);
  }
  seen.on_computation_begin({operations, "fake", 1});
  const std::vector<traffic> moved{{bytes{300'000}, bytes{}, 3},
                                   {bytes{100'000}, bytes{200'000}, 9},
                                   {bytes{}, bytes{}, 0},
                                   {bytes{900'000}, bytes{10'000}, 1}};
  for (std::size_t i = 0; i < moved.size(); ++i) {
    const traffic& each = moved[i];
    const double taken = task + byte * static_cast<double>((each.read + each.written).count()) +
                         request * static_cast<double>(each.requests);
    const session_time time{std::llround(2 * taken)};
    traffic of_two = each;
    of_two += each;
    for (index_t first = 0; first < 10; first += 2) {
      seen.on_tasks_end({i, first, 2, 0, 1, session_time{0}, time, {}, of_two});
    }
  }
  const costs found = seen.figures(1);
  EXPECT_NEAR(static_cast<double>(found.read_bandwidth.count()), 2e8, 1e4);
  EXPECT_NEAR(found.latency.count(), 40e-6, 1e-8);
  EXPECT_NEAR(found.task.count(), 1e-6, 1e-8);
}

TEST(Calibration, FindsTheFiguresOfCostsAgain) {
  const costs figures{.read_bandwidth = bytes{100'000'000},
                      .write_bandwidth = bytes{100'000'000},
                      .latency = 3ms,
                      .element_step = 2ns,
                      .task = 700us};
  std::vector<workload_operation> operations;
  for (const index_t elements : {1'000'000, 2'000'000, 100}) {
    for (const double requests : {0.0, 1.0, 4.5}) {
      workload_operation one = fake_operation(10, {}, {}, {}, elements);
      one.bytes_read_per_task = bytes{requests > 0 ? std::uint64_t{300'000} : std::uint64_t{0}};
      one.bytes_written_per_task = bytes{requests > 1 ? std::uint64_t{500'000} : std::uint64_t{0}};
      one.reads_per_task = requests;
      one.writes_per_task = 2 * requests;
      operations.push_back(one);
    }
  }
  const costs found =
      calibrated_by(std::move(operations), simulated_options::of(figures, 1))->figures(9);
  EXPECT_NEAR(found.latency.count(), 3e-3, 1e-8);
  EXPECT_NEAR(static_cast<double>(found.read_bandwidth.count()), 1e8, 1e3);
  EXPECT_EQ(found.write_bandwidth, found.read_bandwidth);
  EXPECT_NEAR(found.element_step.count(), 2e-9, 1e-13);
  EXPECT_NEAR(found.task.count(), 700e-6, 1e-8);
  EXPECT_EQ(found.workers, 9U);
}

TEST(Calibration, HasNoFigureThatIsNegative) {
  // The more is read, the sooner it is done: then reading costs nothing.
  std::vector<workload_operation> operations{fake_operation(10, {}, {}, {}, 2'000'000),
                                             fake_operation(10, {}, {}, {}, 1000)};
  operations[1].bytes_read_per_task = bytes{1'000'000};
  const costs found = calibrated_by(std::move(operations), {.element_step = 1ns})->figures(1);
  EXPECT_NEAR(found.element_step.count(), 1e-9, 1e-12);
  EXPECT_GT(found.read_bandwidth, bytes{100'000'000'000});
  EXPECT_EQ(found.latency.count(), 0);
  EXPECT_NO_THROW(check_costs(found));
}

TEST(Calibration, CountsTasksAloneWhereMoreElementsDoNotTakeLonger) {
  const auto seen =
      calibrated_by({fake_operation(10, {}, {}, {}, 1000), fake_operation(10)}, {.task_time = 5us});
  EXPECT_NEAR(seen->options(1).task_time.first(), 5000, 1e-6);
  EXPECT_NEAR(seen->options(1).element_step.first(), 0, 1e-9);
}

TEST(Calibration, PrefersRunsWithAboutAsManyWorkers) {
  const auto seen = std::make_shared<calibration>();
  for (const std::size_t workers : {2, 4}) {
    observe(seen, {fake_operation(100)},
            {.workers = workers, .element_step = std::chrono::nanoseconds{workers}});
  }
  for (const auto& [workers, expected] : {std::pair{1, 2}, {2, 2}, {3, 2}, {4, 4}, {100, 4}}) {
    const simulated_options found = seen->options(static_cast<std::size_t>(workers));
    EXPECT_NEAR(found.element_step.first(), expected, 1e-6) << workers;
  }
}

TEST(Calibration, IsNotChangedByAFewThatWereHeldUp) {
  const auto seen =
      calibrated_by({fake_operation(1000)}, {.element_step = 2ns, .stragglers = {0.02, 1000}});
  EXPECT_NEAR(seen->options(1).element_step.first(), 2, 1e-6);
}

TEST(Calibration, ChargesAllToTheElementsWhereTasksWouldTakeLessThanNoTime) {
  // 10 x 1000 and 90 x 500 elements, of 3 ns and of 1 ns: in two runs. The slope of the line
  // through the origin is sum(w x t) / sum(w x x), where the weight w is a count over a time.
  const auto seen = calibrated_by({fake_operation(10, {}, {}, {}, 1000)}, {.element_step = 3ns});
  observe(seen, {fake_operation(90, {}, {}, {}, 500)}, {.element_step = 1ns});
  EXPECT_NEAR(seen->options(1).element_step.first(),
              (1000.0 * 10 + 500.0 * 90) / (1000.0 * 1000 * 10 / 3000 + 500.0 * 500 * 90 / 500),
              1e-9);
  EXPECT_NEAR(seen->options(1).element_step.second(), 0, 1e-6);
}

TEST(Calibration, RefusesToKnowWhatItHasNotSeen) {
  EXPECT_THROW((void)calibration().options(1), value_error);
}

}  // namespace
}  // namespace tessera
