// SPDX-License-Identifier: Apache-2.0
#include "tessera/observe/calibration.hpp"

#include "tessera/core/error.hpp"
#include "tessera/scheduler/scheduler.hpp"

#include "unit/scheduler/fake_workload.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <utility>

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
  const auto seen =
      calibrated_by({fake_operation(20'000)},
                    {.workers = 7, .time_per_element = random_time::lognormal(2ns, 0.3)});
  const simulated_options found = seen->options(3);
  EXPECT_EQ(found.workers, 3U);
  EXPECT_TRUE(found.in_process);
  EXPECT_EQ(found.time_per_element.kind(), random_time::family::lognormal);
  EXPECT_NEAR(found.time_per_element.first(), 2, 0.02);
  EXPECT_NEAR(found.time_per_element.second(), 0.3, 0.01);
}

TEST(Calibration, TellsATasksOwnTimeFromThatOfItsElements) {
  const auto seen =
      calibrated_by({fake_operation(100, {}, {}, {}, 1000), fake_operation(30, {}, {}, {}, 9000),
                     fake_operation(1, {}, {}, {}, 0)},
                    {.task_time = 5us, .time_per_element = 2ns});
  EXPECT_NEAR(seen->options(1).task_time.first(), 5000, 1e-6);
  EXPECT_NEAR(seen->options(1).time_per_element.first(), 2, 1e-9);
}

TEST(Calibration, CountsTasksAloneWhereMoreElementsDoNotTakeLonger) {
  const auto seen =
      calibrated_by({fake_operation(10, {}, {}, {}, 1000), fake_operation(10)}, {.task_time = 5us});
  EXPECT_NEAR(seen->options(1).task_time.first(), 5000, 1e-6);
  EXPECT_NEAR(seen->options(1).time_per_element.first(), 0, 1e-9);
}

TEST(Calibration, PrefersRunsWithAboutAsManyWorkers) {
  const auto seen = std::make_shared<calibration>();
  for (const std::size_t workers : {2, 4}) {
    observe(seen, {fake_operation(100)},
            {.workers = workers, .time_per_element = std::chrono::nanoseconds{workers}});
  }
  for (const auto& [workers, expected] : {std::pair{1, 2}, {2, 2}, {3, 2}, {4, 4}, {100, 4}}) {
    const simulated_options found = seen->options(static_cast<std::size_t>(workers));
    EXPECT_NEAR(found.time_per_element.first(), expected, 1e-6) << workers;
  }
}

TEST(Calibration, IsNotChangedByAFewThatWereHeldUp) {
  const auto seen =
      calibrated_by({fake_operation(1000)}, {.time_per_element = 2ns, .stragglers = {0.02, 1000}});
  EXPECT_NEAR(seen->options(1).time_per_element.first(), 2, 1e-6);
}

TEST(Calibration, ChargesAllToTheElementsWhereTasksWouldTakeLessThanNoTime) {
  // 10 x 1000 and 90 x 500 elements, of 3 ns and of 1 ns: in two runs. The slope of the line
  // through the origin is sum(w x t) / sum(w x x), where the weight w is a count over a time.
  const auto seen =
      calibrated_by({fake_operation(10, {}, {}, {}, 1000)}, {.time_per_element = 3ns});
  observe(seen, {fake_operation(90, {}, {}, {}, 500)}, {.time_per_element = 1ns});
  EXPECT_NEAR(seen->options(1).time_per_element.first(),
              (1000.0 * 10 + 500.0 * 90) / (1000.0 * 1000 * 10 / 3000 + 500.0 * 500 * 90 / 500),
              1e-9);
  EXPECT_NEAR(seen->options(1).time_per_element.second(), 0, 1e-6);
}

TEST(Calibration, RefusesToKnowWhatItHasNotSeen) {
  EXPECT_THROW((void)calibration().options(1), value_error);
}

}  // namespace
}  // namespace tessera
