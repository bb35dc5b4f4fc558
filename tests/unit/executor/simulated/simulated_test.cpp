// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/simulated.hpp"

#include "tessera/core/error.hpp"
#include "tessera/scheduler/scheduler.hpp"

#include "unit/scheduler/fake_workload.hpp"
#include "unit/scheduler/recorded_run.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace tessera {
namespace {

using namespace literals;
using namespace std::chrono_literals;
using testing::fake_operation;
using testing::fake_workload;
using testing::record;
using testing::recorded_run;

workload_operation moving(index_t num_tasks, bytes read, bytes written) {
  workload_operation operation = fake_operation(num_tasks);
  operation.bytes_read_per_task = read;
  operation.bytes_written_per_task = written;
  return operation;
}

TEST(Simulated, EqualTasksTakeAsManyRoundsAsTheWorkersNeed) {
  for (const index_t num_tasks : {1, 7, 8, 9, 64, 100}) {
    const recorded_run run =
        record({fake_operation(num_tasks)}, {.workers = 8, .start_up = 2s, .task_time = 100ms});
    EXPECT_EQ(run.elapsed, 2s + (num_tasks + 7) / 8 * 100ms) << num_tasks;
    EXPECT_EQ(run.num_tasks, num_tasks);
  }
}

TEST(Simulated, OperationsThatDependOnEachOtherAddUp) {
  const recorded_run run =
      record({fake_operation(10), fake_operation(3, {0})}, {.workers = 5, .task_time = 1s});
  EXPECT_EQ(run.elapsed, 2s + 1s);
  EXPECT_EQ(run.begins[1], 2s);
}

TEST(Simulated, IndependentPipelinesShareTheWorkers) {
  // One task in each of two chains of ten: two workers take the time of one chain.
  std::vector<workload_operation> operations{fake_operation(1), fake_operation(1)};
  for (std::size_t i = 2; i < 20; ++i) operations.push_back(fake_operation(1, {i - 2}));
  EXPECT_EQ(record(operations, {.workers = 2, .task_time = 1s}).elapsed, 10s);
  EXPECT_EQ(record(operations, {.workers = 1, .task_time = 1s}).elapsed, 20s);
}

TEST(Simulated, ElementsAddTheirTime) {
  const recorded_run run =
      record({fake_operation(1, {}, {}, {}, 4'000'000)}, {.task_time = 1ms, .element_step = 0.5ns});
  EXPECT_EQ(run.elapsed, 1ms + 2ms);
}

TEST(Simulated, EachRequestTakesItsLatencyAndItsBandwidth) {
  const recorded_run run =
      record({moving(4, 50_MB, 25_MB)},
             {.workers = 2, .task_time = 1s, .latency = 20ms, .bandwidth = 100_MB});
  EXPECT_EQ(run.elapsed, 2 * (20ms + 500ms + 1s + 20ms + 250ms));
}

TEST(Simulated, RequestsOfATaskFollowEachOther) {
  std::vector<workload_operation> operations{moving(4, 50_MB, 25_MB), moving(1, 10_MB, 0_B)};
  operations[0].reads_per_task = 5;
  operations[0].writes_per_task = 3;
  const recorded_run run =
      record(operations, {.workers = 5, .task_time = 1s, .latency = 20ms, .bandwidth = 100_MB});
  EXPECT_EQ(run.ends[0], 5 * 20ms + 500ms + 1s + 3 * 20ms + 250ms);
  // A task with the shorter wait goes before the earlier tasks.
  EXPECT_EQ(run.ends[1], 20ms + 100ms + 1s);
}

/// Returns the time of tasks that read 32 MB in 32 requests, 8 at once, and write as many.
session_time time_in_flight(index_t num_tasks, bytes written, const simulated_options& options,
                            bytes read = 32_MB) {
  workload_operation operation = moving(num_tasks, read, written);
  operation.reads_per_task = operation.writes_per_task = 32;
  operation.reads_in_flight = operation.writes_in_flight = 8;
  fake_workload work({operation});
  const auto recorder = std::make_shared<testing::run_recorder>();
  run_options settings;
  settings.observers.push_back(recorder);
  run(work, *executors::simulated(options), settings);
  return recorder->run.elapsed;
}

TEST(Simulated, RequestsInFlightShareTheirLatencyAndAddTheirBandwidth) {
  // Each of 8 connections: 4 latencies, and 4 MB.
  EXPECT_EQ(time_in_flight(6, 0_B, {.workers = 2, .latency = 30ms, .bandwidth = 50_MB}),
            3 * (4 * 30ms + 80ms));
}

TEST(Simulated, RequestsInFlightShareTheTotalBandwidth) {
  // 16 connections of two workers have 25 MB/s each.
  EXPECT_EQ(
      time_in_flight(
          2, 0_B, {.workers = 2, .latency = 30ms, .bandwidth = 50_MB, .total_bandwidth = 400_MB}),
      4 * 30ms + 160ms);
}

TEST(Simulated, RequestsInFlightTakeAPlaceEach) {
  const auto time = [](index_t num_tasks, std::size_t most) {
    return time_in_flight(
        num_tasks, 0_B, {.workers = 2, .latency = 30ms, .bandwidth = 50_MB, .max_requests = most});
  };
  EXPECT_EQ(time(2, 12), 2 * (4 * 30ms + 80ms));
  EXPECT_EQ(time(1, 4), 8 * 30ms + 160ms);
}

TEST(Simulated, WritesInFlightOverlapReads) {
  const simulated_options far{.latency = 30ms, .bandwidth = 50_MB};
  // Eight writes are left when all is read.
  EXPECT_EQ(time_in_flight(1, 32_MB, far), 4 * 30ms + 80ms + 30ms + 20ms);
  // 24 writes of 96 MB take longer than the reads: 9 MB on each connection.
  EXPECT_EQ(time_in_flight(1, 96_MB, {.bandwidth = 50_MB}), 180ms + 60ms);
  // A task without reads writes all at its end.
  EXPECT_EQ(time_in_flight(1, 32_MB, far, 0_B), 4 * 30ms + 80ms);
}

TEST(Simulated, RequestsInFlightShareTheirOwnTime) {
  // Of each 8 reads or writes, one takes its time.
  EXPECT_EQ(time_in_flight(1, 0_B, {.request_time = 1ms}), 4ms);
  EXPECT_EQ(time_in_flight(1, 32_MB, {.request_time = 1ms}), 8ms);
}

TEST(Simulated, TasksComputeBetweenTheirReadsInFlight) {
  const auto time = [](std::chrono::milliseconds computing) {
    return time_in_flight(1, 0_B, {.task_time = computing, .latency = 30ms, .bandwidth = 50_MB});
  };
  EXPECT_EQ(time(1000ms), 1000ms);
  EXPECT_EQ(time(64ms), 200ms + 2ms);
}

TEST(Simulated, NothingReadOrWrittenMakesNoRequest) {
  EXPECT_EQ(record({moving(1, 1_MB, 0_B)}, {.latency = 20ms}).elapsed, 20ms);
  EXPECT_EQ(record({moving(1, 0_B, 0_B)}, {.latency = 20ms}).elapsed, 0ms);
}

TEST(Simulated, ALimitOfAllBandwidthSetsTheTimeWhereItIsReached) {
  // 100 x 10 MB at 100 MB/s, although each worker could move 50 MB in a second.
  const recorded_run run = record({moving(100, 10_MB, 0_B)},
                                  {.workers = 20, .bandwidth = 50_MB, .total_bandwidth = 100_MB});
  EXPECT_EQ(run.elapsed, 10s);
}

TEST(Simulated, RequestsShareTheBandwidthEvenly) {
  // Alone for 1 s; then both at 50 MB/s until the second has moved its 50 MB, after another second.
  std::vector<workload_operation> operations{fake_operation(1), moving(1, 200_MB, 0_B),
                                             moving(1, 50_MB, 0_B)};
  operations[0].element_steps_per_task = 1'000'000'000;
  for (const std::size_t i : {1U, 2U}) operations[i].element_steps_per_task = 0;
  operations[2].after = {0};
  const recorded_run run =
      record(operations, {.workers = 2, .element_step = 1ns, .total_bandwidth = 100_MB});
  EXPECT_EQ(run.ends[2], 2s);
  EXPECT_EQ(run.ends[1], 2s + 500ms);
}

TEST(Simulated, RequestsWaitForAPlace) {
  const recorded_run run =
      record({moving(10, 10_MB, 0_B)}, {.workers = 10, .latency = 1s, .max_requests = 2});
  EXPECT_EQ(run.elapsed, 5s);
}

TEST(Simulated, FailuresAreTriedThreeTimes) {
  run_options options;
  options.retry.first_pause = {};
  EXPECT_THROW(record({fake_operation(1)}, {.task_time = 1s, .failures = 1}, options), task_error);
  // A failure in four: three in a row are one in 64.
  const recorded_run run =
      record({fake_operation(30)}, {.task_time = 1s, .failures = 0.25, .seed = 3}, options);
  EXPECT_GT(run.num_failures, 0);
  EXPECT_EQ(run.elapsed, (30 + run.num_failures) * 1s);
}

TEST(Simulated, ALostWorkerCostsItsStartUp) {
  run_options options;
  options.retry.first_pause = {};
  options.backups.is_on = false;
  const recorded_run run =
      record({fake_operation(50)},
             {.start_up = 10s, .task_time = 1s, .lost_workers = 0.1, .seed = 5}, options);
  EXPECT_GT(run.num_failures, 0);
  EXPECT_GE(run.elapsed, 60s + run.num_failures * 10s);
  EXPECT_LE(run.elapsed, 60s + run.num_failures * 11s);
}

TEST(Simulated, ABackupEndsBeforeItsStraggler) {
  // With this seed, one task in twenty is a straggler. It gets a backup once it has run for more
  // than three times the usual time. The engine looks for stragglers sixteen times in that time.
  const simulated_options workers{
      .workers = 20, .task_time = 1s, .stragglers = {0.05, 100}, .seed = 1};
  workload_operation operation = fake_operation(20);
  run_options options;
  options.backups.is_on = false;
  EXPECT_EQ(record({operation}, workers, options).elapsed, 100s);
  operation.may_be_duplicated = true;
  const recorded_run run = record({operation}, workers);
  EXPECT_EQ(run.num_backups, 1);
  EXPECT_EQ(run.num_tasks, 20);
  EXPECT_GT(run.elapsed, 3s + 1s);
  EXPECT_LE(run.elapsed, 3s + 1s + 3s / 16.);
}

TEST(Simulated, NothingOfTheWorkloadIsRun) {
  fake_workload work({fake_operation(3), fake_operation(1, {0})});
  work.on_begin = [](std::size_t) { ADD_FAILURE() << "an operation was begun"; };
  run(work, *executors::simulated({}));
  EXPECT_EQ(work.num_runs(), 0);
  EXPECT_FALSE(work.has_ended());
}

TEST(Simulated, OtherHostsHaveTheirOwnMemory) {
  const std::vector<workload_operation> operations{fake_operation(4, {}, 10_B)};
  run_options options;
  options.host_memory = 20_B;
  EXPECT_EQ(record(operations, {.workers = 4, .task_time = 1s}, options).elapsed, 1s);
  EXPECT_EQ(
      record(operations, {.workers = 4, .task_time = 1s, .in_process = true}, options).elapsed, 2s);
}

TEST(Simulated, TheSameSeedGivesTheSameRun) {
  const simulated_options options{.workers = 7,
                                  .start_up = random_time::exponential(1s),
                                  .task_time = random_time::lognormal(100ms, 0.5),
                                  .stragglers = {0.05, 10},
                                  .latency = 1ms,
                                  .total_bandwidth = 10_MB,
                                  .failures = 0.02,
                                  .lost_workers = 0.01,
                                  .seed = 42};
  const std::vector<workload_operation> operations{moving(200, 1_MB, 10_kB),
                                                   moving(100, 30_kB, 1_kB)};
  const recorded_run first = record(operations, options);
  const recorded_run second = record(operations, options);
  EXPECT_EQ(first, second);
  simulated_options reseeded = options;
  reseeded.seed = 43;
  EXPECT_NE(first.elapsed, record(operations, reseeded).elapsed);
}

TEST(Simulated, MoreWorkersHaveTheSameTasks) {
  const auto total_of = [](std::size_t workers) {
    return record({fake_operation(100)},
                  {.workers = workers, .task_time = random_time::exponential(1s), .seed = 1});
  };
  EXPECT_EQ(total_of(1).busy, total_of(10).busy);
}

}  // namespace
}  // namespace tessera
