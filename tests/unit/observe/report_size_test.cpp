// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/executors.hpp"
#include "tessera/executor/simulated.hpp"
#include "tessera/observe/recorder.hpp"
#include "tessera/scheduler/scheduler.hpp"

#include "unit/scheduler/fake_workload.hpp"
#include "unit/store/temporary_directory.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <memory>
#include <queue>
#include <random>
#include <string>
#include <vector>

namespace tessera {
namespace {

using namespace std::chrono_literals;
using testing::fake_operation;
using testing::fake_workload;
using testing::temporary_directory;

/// Runs 10^6 tasks of some 1 s, of five operations in a row, each of which is a batch. Tasks fail
/// and workers are lost. Returns the folder of the report.
std::string record_million_tasks(std::size_t num_workers, const temporary_directory& parent) {
  std::vector<workload_operation> operations;
  for (std::size_t i = 0; i < 5; ++i) {
    const std::vector<std::size_t> after = i == 0 ? std::vector<std::size_t>{} : std::vector{i - 1};
    operations.push_back(fake_operation(200'000, after));
    operations.back().bytes_read_per_task = bytes{1'000'000};
  }
  fake_workload work(operations);
  const auto record = std::make_shared<recorder>(parent.path().string());
  run_options options;
  options.observers = {record};
  run(work,
      *executors::simulated({.workers = num_workers,
                             .start_up = random_time::lognormal(2s, 0.3),
                             .task_time = random_time::lognormal(1s, 0.3),
                             .latency = 20ms,
                             .bandwidth = bytes{100'000'000},
                             .failures = 0.0001,
                             .lost_workers = 0.00001}),
      options);
  return record->last_folder();
}

/// Draws the figures of batches as engines measure them.
class measured_batches {
 public:
  /// Returns a batch of a task that starts at `started`.
  tasks_event next(std::size_t worker, session_time started) {
    tasks_event event{.operation = static_cast<std::size_t>(num_batches_ / 200'000),
                      .first = num_batches_ % 200'000,
                      .count = 1,
                      .worker = worker,
                      .started = started,
                      .ended = started + 20ms + time(1e6)};
    ++num_batches_;
    // Pages of the peak, of which there are always the same for code and libraries.
    event.peak_memory = bytes{4096 * static_cast<std::uint64_t>(20'000 + 500 * spread_(draw_))};
    event.moved = traffic{.read = bytes{4'000'000},
                          .written = bytes{1'000'000},
                          .requests = 5,
                          .encoded_read = size(2e6),
                          .encoded_written = size(5e5),
                          .storage_time = time(1e5),
                          .codec_time = time(2e4)};
    return event;
  }

 private:
  session_time time(double microseconds) {
    return static_cast<std::int64_t>(microseconds * spread_(draw_)) * 1us;
  }
  bytes size(double mean) {
    return bytes{static_cast<std::uint64_t>(mean * (0.9 + 0.1 * spread_(draw_)))};
  }

  std::mt19937_64 draw_{7};
  std::lognormal_distribution<double> spread_{0.0, 0.3};
  index_t num_batches_ = 0;
};

/// Records 10^6 batches with all measured figures, as a cluster has them. Returns the folder of the
/// report.
std::string record_measured_tasks(std::size_t num_workers, const temporary_directory& parent) {
  std::vector<workload_operation> operations(5, fake_operation(200'000));
  recorder record(parent.path().string());
  record.on_computation_begin({.operations = operations,
                               .executor = "slurm",
                               .num_workers = num_workers,
                               .is_simulated = true,
                               .allowed_memory = bytes{2'000'000'000}});
  /// The batches that run, by their ends.
  const auto ends_later = [](const tasks_event& a, const tasks_event& b) {
    return a.ended > b.ended;
  };
  std::priority_queue<tasks_event, std::vector<tasks_event>, decltype(ends_later)> running(
      ends_later);
  measured_batches batches;
  for (std::size_t worker = 0; worker < num_workers; ++worker) {
    record.on_worker_start({worker, fmt::format("node{}", worker / 64), 0ms, 1500ms});
    running.push(batches.next(worker, 1500ms));
  }
  for (std::size_t num_started = num_workers; !running.empty();) {
    const tasks_event ended = running.top();
    running.pop();
    record.on_tasks_end(ended);
    if (num_started++ < 1'000'000) running.push(batches.next(ended.worker, ended.ended + 1ms));
  }
  record.on_computation_end(computation_outcome::completed, 0ms);
  write_report(record.last_folder());
  return record.last_folder();
}

/// A report of 10^6 batches is below 30 MB with its log, and its page below 12 MB.
void expect_small_report(const std::string& folder) {
  std::uintmax_t total = 0;
  std::string sizes;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    sizes += fmt::format("{} {}\n", file.path().filename().string(), file.file_size());
    total += file.file_size();
  }
  EXPECT_GT(std::filesystem::file_size(folder + "/run.tessera-log"), 3'000'000U);
  EXPECT_LT(std::filesystem::file_size(folder + "/timeline.html"), 12'000'000U);
  EXPECT_LT(total, 30'000'000U) << sizes;
}

TEST(ReportSize, IsBelow30MegabytesFor1000Workers) {
  const temporary_directory parent;
  expect_small_report(record_million_tasks(1000, parent));
}

TEST(ReportSize, IsBelow30MegabytesFor20000Workers) {
  const temporary_directory parent;
  expect_small_report(record_million_tasks(20'000, parent));
}

TEST(ReportSize, IsBelow30MegabytesWithAllMeasuredFigures) {
  const temporary_directory parent;
  expect_small_report(record_measured_tasks(1000, parent));
}

}  // namespace
}  // namespace tessera
