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

/// A report of 10^6 batches is below 30 MB with its log, and its page below 12 MB.
void expect_small_report(std::size_t num_workers) {
  const temporary_directory parent;
  std::uintmax_t total = 0;
  std::string sizes;
  const std::string folder = record_million_tasks(num_workers, parent);
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    sizes += fmt::format("{} {}\n", file.path().filename().string(), file.file_size());
    total += file.file_size();
  }
  EXPECT_GT(std::filesystem::file_size(folder + "/run.tessera-log"), 3'000'000U);
  EXPECT_LT(std::filesystem::file_size(folder + "/timeline.html"), 12'000'000U);
  EXPECT_LT(total, 30'000'000U) << sizes;
}

TEST(ReportSize, IsBelow30MegabytesFor1000Workers) { expect_small_report(1000); }

TEST(ReportSize, IsBelow30MegabytesFor20000Workers) { expect_small_report(20'000); }

}  // namespace
}  // namespace tessera
