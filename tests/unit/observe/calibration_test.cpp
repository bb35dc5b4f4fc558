// SPDX-License-Identifier: Apache-2.0
#include "tessera/observe/calibration.hpp"

#include "tessera/core/error.hpp"
#include "tessera/core/traffic.hpp"
#include "tessera/observe/history.hpp"
#include "tessera/scheduler/scheduler.hpp"

#include "unit/scheduler/fake_workload.hpp"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using namespace std::chrono_literals;
using testing::fake_operation;
using testing::fake_workload;

/// Lets `history` observe a run.
void observe(const std::shared_ptr<calibration>& history,
             std::vector<workload_operation> operations, const simulated_options& workers) {
  fake_workload work(std::move(operations));
  run_options options;
  options.observers = {history};
  run(work, *executors::simulated(workers), options);
}

std::shared_ptr<calibration> calibrated_by(std::vector<workload_operation> operations,
                                           const simulated_options& workers) {
  const auto history = std::make_shared<calibration>();
  observe(history, std::move(operations), workers);
  return history;
}

TEST(Calibration, FindsTheTimesOfASimulatedRunAgain) {
  const auto history = calibrated_by(
      {fake_operation(20'000)}, {.workers = 7, .element_step = random_time::lognormal(2ns, 0.3)});
  const simulated_options options = history->options(3);
  EXPECT_EQ(options.workers, 3U);
  EXPECT_TRUE(options.in_process);
  EXPECT_EQ(options.element_step.kind(), random_time::family::lognormal);
  EXPECT_NEAR(options.element_step.first(), 2, 0.02);
  EXPECT_NEAR(options.element_step.second(), 0.3, 0.01);
}

TEST(Calibration, TellsATasksOwnTimeFromThatOfItsElements) {
  const auto history =
      calibrated_by({fake_operation(100, {}, {}, {}, 1000), fake_operation(30, {}, {}, {}, 9000),
                     fake_operation(1, {}, {}, {}, 0)},
                    {.task_time = 5us, .element_step = 2ns});
  EXPECT_NEAR(history->options(1).task_time.first(), 5000, 1e-6);
  EXPECT_NEAR(history->options(1).element_step.first(), 2, 1e-9);
}

TEST(Calibration, TellsTheTimeOfRequestsFromThatOfElements) {
  std::vector<workload_operation> operations{fake_operation(100, {}, {}, {}, 1000),
                                             fake_operation(100, {}, {}, {}, 1000),
                                             fake_operation(30, {}, {}, {}, 9000)};
  const double reads[] = {1, 5, 2};
  for (std::size_t i = 0; i < operations.size(); ++i) {
    operations[i].bytes_read_per_task = bytes{1000};
    operations[i].bytes_written_per_task = bytes{};
    operations[i].reads_per_task = reads[i];
  }
  const auto history = calibrated_by(std::move(operations),
                                     {.task_time = 5us, .element_step = 2ns, .request_time = 3us});
  EXPECT_NEAR(history->options(1).task_time.first(), 5000, 1e-6);
  EXPECT_NEAR(history->options(1).element_step.first(), 2, 1e-9);
  EXPECT_EQ(history->options(1).request_time, 3us);
}

/// A run of equal tasks whose chunks of c element steps take 0.5 ns c (c / 10^6)^-0.18 each: the
/// larger a chunk is, the less its step takes.
struct chunk_run {
  index_t tasks;
  double requests;
  double steps_of_chunk;

  [[nodiscard]] double nanoseconds_of_task() const {
    return requests * 0.5 * steps_of_chunk * std::pow(steps_of_chunk / 1e6, -0.18);
  }

  [[nodiscard]] workload_operation operation() const {
    workload_operation result = fake_operation(
        tasks, {}, {}, {}, static_cast<index_t>(std::llround(requests * steps_of_chunk)));
    result.name = "f";
    result.bytes_read_per_task = bytes{1000};
    result.bytes_written_per_task = bytes{};
    result.reads_per_task = requests;
    return result;
  }

  /// Lets `record` observe the run, `slowness` times as slow.
  void observe_by(calibration& record, double slowness = 1) const {
    const std::vector<workload_operation> operations{operation()};
    record.on_computation_begin({operations, "fake", 1});
    const session_time time{std::llround(slowness * nanoseconds_of_task())};
    for (index_t i = 0; i < tasks; ++i)
      record.on_tasks_end({0, i, 1, 0, 1, session_time{0}, time, {}, {}});
  }
};

double simulated_nanoseconds(const std::vector<workload_operation>& operations,
                             const simulated_options& workers) {
  const auto past = std::make_shared<history>();
  fake_workload work(operations);
  run_options options;
  options.observers = {past};
  run(work, *executors::simulated(workers), options);
  return static_cast<double>(past->elapsed().count());
}

// In the calibrating runs fewer tasks make fewer requests, so that the data would allow tasks of
// milliseconds without an element. The predicted runs have as many requests in other tasks.
TEST(Calibration, TakesTheTimeOfRequestsNotForThatOfTasks) {
  calibration record;
  for (const chunk_run& run :
       {chunk_run{64, 32, 0.25e6}, chunk_run{32, 16, 1e6}, chunk_run{16, 8, 4e6}}) {
    run.observe_by(record);
  }
  EXPECT_EQ(record.options(1).task_time.first(), 0);
  for (const chunk_run& run :
       {chunk_run{64, 16, 0.5e6}, chunk_run{32, 8, 2e6}, chunk_run{8, 16, 4e6}}) {
    const double expected = static_cast<double>(run.tasks) * run.nanoseconds_of_task();
    EXPECT_NEAR(simulated_nanoseconds({run.operation()}, record.options(1)) / expected, 1, 0.05)
        << run.steps_of_chunk;
  }
}

TEST(Calibration, IsNotChangedByASlowRunOfThree) {
  calibration record;
  const chunk_run run{16, 8, 1e6};
  for (const double slowness : {1.0, 3.0, 1.0}) run.observe_by(record, slowness);
  EXPECT_NEAR(simulated_nanoseconds({run.operation()}, record.options(1)), 16 * 8 * 0.5e6, 0.64e6);
}

// The traffic that tasks report goes before the planned traffic. Here it is half of it, as with
// missing chunks, which no plan knows.
TEST(Calibration, ReckonsWithWhatWasReallyMoved) {
  constexpr double byte = 5.0;       // nanoseconds
  constexpr double request = 40000;  // nanoseconds
  constexpr double task = 1000;      // nanoseconds
  calibration history;
  std::vector<workload_operation> operations;
  for (int i = 0; i < 4; ++i) {
    workload_operation operation = fake_operation(10);
    operation.element_steps_per_task = 0;
    operation.bytes_read_per_task = bytes{1'000'000};
    operation.reads_per_task = 8;
    operations.push_back(operation);
  }
  history.on_computation_begin({operations, "fake", 1});
  const std::vector<traffic> moved{{bytes{300'000}, bytes{}, 3},
                                   {bytes{100'000}, bytes{200'000}, 9},
                                   {bytes{}, bytes{}, 0},
                                   {bytes{900'000}, bytes{10'000}, 1}};
  for (std::size_t i = 0; i < moved.size(); ++i) {
    const traffic& average = moved[i];
    const double nanoseconds =
        task + byte * static_cast<double>((average.read + average.written).count()) +
        request * static_cast<double>(average.requests);
    const session_time time{std::llround(2 * nanoseconds)};
    traffic of_two = average;
    of_two += average;
    for (index_t first = 0; first < 10; first += 2) {
      history.on_tasks_end({i, first, 2, 0, 1, session_time{0}, time, {}, of_two});
    }
  }
  const costs figures = history.figures(1);
  EXPECT_NEAR(static_cast<double>(figures.read_bandwidth.count()), 2e8, 1e4);
  EXPECT_NEAR(figures.latency.count(), 40e-6, 1e-8);
  EXPECT_NEAR(figures.task.count(), 1e-6, 1e-8);
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
      workload_operation operation = fake_operation(10, {}, {}, {}, elements);
      operation.bytes_read_per_task =
          bytes{requests > 0 ? std::uint64_t{300'000} : std::uint64_t{0}};
      operation.bytes_written_per_task =
          bytes{requests > 1 ? std::uint64_t{500'000} : std::uint64_t{0}};
      operation.reads_per_task = requests;
      operation.writes_per_task = 2 * requests;
      operations.push_back(operation);
    }
  }
  const costs calibrated =
      calibrated_by(std::move(operations), simulated_options::of(figures, 1))->figures(9);
  EXPECT_NEAR(calibrated.latency.count(), 3e-3, 1e-8);
  EXPECT_NEAR(static_cast<double>(calibrated.read_bandwidth.count()), 1e8, 1e3);
  EXPECT_EQ(calibrated.write_bandwidth, calibrated.read_bandwidth);
  EXPECT_NEAR(calibrated.element_step.count(), 2e-9, 1e-13);
  EXPECT_NEAR(calibrated.task.count(), 700e-6, 1e-8);
  EXPECT_EQ(calibrated.workers, 9U);
}

TEST(Calibration, HasNoFigureThatIsNegative) {
  // The more is read, the sooner it is done: then reading costs nothing.
  std::vector<workload_operation> operations{fake_operation(10, {}, {}, {}, 2'000'000),
                                             fake_operation(10, {}, {}, {}, 1000)};
  operations[1].bytes_read_per_task = bytes{1'000'000};
  const costs figures = calibrated_by(std::move(operations), {.element_step = 1ns})->figures(1);
  EXPECT_NEAR(figures.element_step.count(), 1e-9, 1e-12);
  EXPECT_EQ(figures.read_bandwidth, costs{}.memory_bandwidth);
  EXPECT_EQ(figures.latency.count(), 0);
  EXPECT_NO_THROW(check_costs(figures));
}

TEST(Calibration, CountsTasksAloneWhereMoreElementsDoNotTakeLonger) {
  const auto history =
      calibrated_by({fake_operation(10, {}, {}, {}, 1000), fake_operation(10)}, {.task_time = 5us});
  EXPECT_NEAR(history->options(1).task_time.first(), 5000, 1e-6);
  EXPECT_NEAR(history->options(1).element_step.first(), 0, 1e-9);
}

// On two workers a task takes twice as long, on four four times: all of its time is shared.
TEST(Calibration, FitsThePartOfATaskThatWorkersShare) {
  const auto history = std::make_shared<calibration>();
  for (const std::size_t workers : {2, 4}) {
    observe(history, {fake_operation(100)},
            {.workers = workers, .element_step = std::chrono::nanoseconds{workers}});
  }
  for (const auto& [workers, expected] : {std::pair{1, 1}, {2, 2}, {3, 3}, {4, 4}, {100, 100}}) {
    const simulated_options options = history->options(static_cast<std::size_t>(workers));
    EXPECT_NEAR(options.element_step.first(), expected, 1e-6) << workers;
  }
  EXPECT_NEAR(history->contention(), 1, 1e-9);
}

workload_operation labelled(const std::string& label, index_t element_steps) {
  workload_operation operation = fake_operation(50, {}, {}, {}, element_steps);
  operation.name = label;
  return operation;
}

TEST(Calibration, FindsAnOperationAgainByItsLabel) {
  const std::vector<workload_operation> operations{labelled("sin(u)", 1000),
                                                   labelled("u + v", 1000)};
  const simulated_options workers{
      .workers = 1, .element_step = 2ns, .slowness = {{"sin(u)", 1000, 9}, {"u + v", 1000, 1}}};
  const simulated_options options = calibrated_by(operations, workers)->options(1);
  ASSERT_EQ(options.slowness.size(), 2U);
  EXPECT_NEAR(options.slowness[0].median / options.slowness[1].median, 9, 1e-9);
  // Of either operation alone, as measured: 50 tasks of 18 us, and of 2 us.
  const simulated_options of_one{
      .workers = 1, .element_step = options.element_step, .slowness = options.slowness};
  EXPECT_NEAR(simulated_nanoseconds({operations[0]}, of_one), 50 * 18'000, 100);
  EXPECT_NEAR(simulated_nanoseconds({operations[1]}, of_one), 50 * 2'000, 100);
}

TEST(Calibration, InterpolatesTheFactorsOfAnOperationBetweenSizes) {
  const simulated_options workers{
      .workers = 1, .element_step = 1ns, .slowness = {{"f", 1000, 1}, {"f", 4000, 2}}};
  // By the logarithm: at 2000 the factor is 1.5. Beyond the sizes it is that of the nearest.
  EXPECT_NEAR(simulated_nanoseconds({labelled("f", 2000)}, workers), 50 * 3000, 100);
  EXPECT_NEAR(simulated_nanoseconds({labelled("f", 500)}, workers), 50 * 500, 100);
  EXPECT_NEAR(simulated_nanoseconds({labelled("f", 8000)}, workers), 50 * 16'000, 100);
}

TEST(Calibration, InterpolatesTheFactorsOfAnOperationBetweenSizesOfChunks) {
  const simulated_options workers{
      .workers = 1, .element_step = 1ns, .slowness = {{"f", 1000, 1}, {"f", 4000, 2}}};
  workload_operation operation = labelled("f", 8000);
  operation.bytes_read_per_task = operation.bytes_written_per_task = bytes{100};
  for (const auto& [reads, expected] : {std::pair{7.0, 8000.0}, {3.0, 12'000.0}, {1.0, 16'000.0}}) {
    operation.reads_per_task = reads;
    EXPECT_NEAR(simulated_nanoseconds({operation}, workers), 50 * expected, 100) << reads;
  }
}

TEST(Calibration, SaysWhichUnitsRunsDoNotTellApart) {
  // The bytes of a task are a multiple of its elements, and no task makes a request.
  std::vector<workload_operation> operations;
  for (const index_t elements : {1000, 2000, 5000, 9000, 20'000, 70'000}) {
    operations.push_back(labelled("f", elements));
    operations.back().bytes_read_per_task = bytes{static_cast<std::uint64_t>(8 * elements)};
    operations.back().reads_per_task = 0;
  }
  const auto history =
      calibrated_by(std::move(operations), {.task_time = 5us, .element_step = 2ns});
  const std::vector<unit_time> units = history->unit_times(1);
  ASSERT_EQ(units.size(), 4U);
  EXPECT_TRUE(units[0].is_told_apart()) << units[0];
  for (const std::size_t i : {1, 2, 3}) EXPECT_FALSE(units[i].is_told_apart()) << units[i];
  std::ostringstream text;
  text << units[2];
  EXPECT_EQ(text.str(), "byte of storage: not told apart from other units");
  EXPECT_LE(history->figures(1).read_bandwidth, costs{}.memory_bandwidth);
}

TEST(Calibration, IsNotChangedByAFewThatWereHeldUp) {
  const auto history =
      calibrated_by({fake_operation(1000)}, {.element_step = 2ns, .stragglers = {0.02, 1000}});
  EXPECT_NEAR(history->options(1).element_step.first(), 2, 1e-6);
}

TEST(Calibration, ChargesAllToTheElementsWhereTasksWouldTakeLessThanNoTime) {
  // 10 x 1000 and 90 x 500 elements, of 3 ns and of 1 ns: in two runs. The slope of the line
  // through the origin is sum(w x t) / sum(w x x); the weight w is a count over a time.
  const auto history = calibrated_by({fake_operation(10, {}, {}, {}, 1000)}, {.element_step = 3ns});
  observe(history, {fake_operation(90, {}, {}, {}, 500)}, {.element_step = 1ns});
  EXPECT_NEAR(history->options(1).element_step.first(),
              (1000.0 * 10 + 500.0 * 90) / (1000.0 * 1000 * 10 / 3000 + 500.0 * 500 * 90 / 500),
              1e-9);
  EXPECT_NEAR(history->options(1).element_step.second(), 0, 1e-6);
}

TEST(Calibration, CountsRequestsInFlightAsOne) {
  calibration history;
  std::vector<workload_operation> operations;
  for (const double in_flight : {1.0, 4.0, 16.0}) {
    workload_operation operation = fake_operation(1, {}, {}, {}, 0);
    operation.bytes_read_per_task = bytes{1000};
    operation.bytes_written_per_task = bytes{};
    operation.reads_per_task = 16;
    operation.reads_in_flight = in_flight;
    operations.push_back(operation);
  }
  history.on_computation_begin({.operations = operations, .executor = "", .num_workers = 1});
  // 50 us of each task, and 10 us of 16, 4 and 1 requests one behind the other.
  const session_time times[] = {210us, 90us, 60us};
  for (std::size_t i = 0; i < operations.size(); ++i) {
    history.on_tasks_end({.operation = i, .count = 1, .started = 0us, .ended = times[i]});
  }
  EXPECT_EQ(history.options(1).request_time, 10us);
  EXPECT_NEAR(history.options(1).task_time.first(), 50'000, 1e-6);
}

TEST(Calibration, RefusesToKnowWhatItHasNotSeen) {
  EXPECT_THROW((void)calibration().options(1), value_error);
}

}  // namespace
}  // namespace tessera
