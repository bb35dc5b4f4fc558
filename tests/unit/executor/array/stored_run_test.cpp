// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs through a launcher, with a folder in a store.

#include "tessera/core/error.hpp"
#include "tessera/executor/launcher.hpp"
#include "tessera/scheduler/executor.hpp"
#include "tessera/scheduler/scheduler.hpp"
#include "tessera/testing/scripted_workload.hpp"

#include "executor/api/named_run.hpp"
#include "executor/array/message_folder.hpp"
#include "executor/array/run_folder.hpp"
#include "executor/array/session.hpp"
#include "executor/array/worker.hpp"
#include "unit/core/message_of.hpp"
#include "unit/executor/array/counted_store.hpp"
#include "unit/store/temporary_directory.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tessera::job_arrays {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// A workload with a name, as plans that store arrays have one.
class named_workload final : public testing::scripted_workload, public named_run {
 public:
  using scripted_workload::scripted_workload;
  [[nodiscard]] std::string run_name() override { return "0123456789"; }
};

std::vector<workload_operation> tasks(index_t count) {
  std::vector<workload_operation> operations(1);
  operations[0].num_tasks = count;
  operations[0].task_memory = bytes{1 << 20};
  return operations;
}

class StoredRun : public ::testing::Test {
 protected:
  [[nodiscard]] std::shared_ptr<executor> engine() const {
    launcher_options options;
    options.command = TESSERA_LAUNCHERS "/shell.sh";
    options.workers = 4;
    options.max_elements = 32;
    options.directory = location;
    options.timing = {
        .poll = 20ms, .query = 100ms, .visible = 100ms, .silence = 300ms, .look = 20ms};
    return executors::launcher(options);
  }
  [[nodiscard]] std::vector<std::string> values() const {
    std::vector<std::string> files;
    std::error_code ignored;
    for (auto entry : std::filesystem::recursive_directory_iterator(root.path() / "store", ignored))
      if (entry.is_regular_file()) files.push_back(entry.path().filename().string());
    return files;
  }

  testing::temporary_directory root;
  std::string location = testing::counted_location(root.path());
};

// 30 reads and 12 writes of an element, and its share of the driver's requests, by the design.
TEST_F(StoredRun, TakesAtMost45RequestsForAnElement) {
  std::vector<workload_operation> operations = tasks(32);
  // Each task is an element.
  operations[0].element_steps_per_task = index_t{1} << 40;
  named_workload work(operations);
  run(work, *engine());
  EXPECT_EQ(work.num_runs(), 32);
  EXPECT_TRUE(work.violations().empty());
  const std::vector<std::string> requests = testing::requests_of(root.path());
  const auto num_elements = std::ranges::count_if(requests, [](const std::string& request) {
    return request.starts_with("PUT ") && request.ends_with(".report");
  });
  EXPECT_EQ(num_elements, 32);
  EXPECT_LE(static_cast<std::ptrdiff_t>(requests.size()), 45 * num_elements);
  EXPECT_TRUE(values().empty());
}

TEST_F(StoredRun, ReportsFailuresOfTasks) {
  named_workload work(tasks(4), {{.action = testing::scripted_action::fail, .tasks = {2, 3}}});
  const std::string message = testing::message_of<task_error>([&] { run(work, *engine()); });
  EXPECT_THAT(message, HasSubstr("no such chunk"));
  EXPECT_TRUE(values().empty());
}

TEST_F(StoredRun, RepeatsTheTasksOfKilledElements) {
  named_workload work(
      tasks(4),
      {{.action = testing::scripted_action::be_killed, .tasks = {1, 2}, .last_attempt = 1}});
  run(work, *engine());
  EXPECT_EQ(work.attempts(0, 1), 2);
  EXPECT_TRUE(values().empty());
}

TEST_F(StoredRun, IsRefusedWhileAnotherProgramCoordinatesIt) {
  const coordination_times times{10ms, 1h, 10ms};
  const run_folder first(location, "launcher", "0123456789", times);
  named_workload work(tasks(4));
  const std::string message = testing::message_of<value_error>([&] { run(work, *engine()); });
  EXPECT_THAT(message, AllOf(HasSubstr("is coordinated by process"), HasSubstr("which is alive")));
  EXPECT_EQ(work.num_runs(), 0);
  EXPECT_NO_THROW(first.require_ownership());
}

// A coordinator that never renews its sign is as one that was killed.
TEST_F(StoredRun, IsTakenOverFromACoordinatorWithoutASignOfLife) {
  const coordination_times times{1h, 1h, 1h};
  run_folder first(location, "launcher", "0123456789", times);
  named_workload work(tasks(8));
  run(work, *engine());
  EXPECT_EQ(work.num_runs(), 8);
  EXPECT_TRUE(work.violations().empty());
  EXPECT_FALSE(first.messages()->exists(build_file));
}

TEST_F(StoredRun, TellsTheElementsOfTheCoordinatorBeforeToEnd) {
  const coordination_times dead{1h, 1h, 1h};
  run_folder first(location, "launcher", "0123456789", dead);
  first.messages()->put(build_file, "x");
  const coordination_times times{1h, 50ms, 10ms};
  const run_folder second(location, "launcher", "0123456789", times);
  EXPECT_TRUE(first.messages()->exists(cancelled_file));
  EXPECT_FALSE(second.messages()->exists(cancelled_file));
  EXPECT_NE(first.messages()->location(), second.messages()->location());
  EXPECT_THROW(first.confirm_ownership(), value_error);
}

TEST_F(StoredRun, WithoutANameIsSharedWithNoOtherProgram) {
  const run_folder first(location, "launcher");
  const run_folder second(location, "launcher");
  EXPECT_NE(first.messages()->location(), second.messages()->location());
  EXPECT_FALSE(first.messages()->exists(cancelled_file));
}

TEST_F(StoredRun, IsRefusedIfNodesWriteFiles) {
  array_options options;
  options.name = "cluster";
  options.directory = location;
  options.has_queue = true;
  named_workload work(tasks(1));
  const std::string message =
      testing::message_of<value_error>([&] { const session refused(work, options); });
  EXPECT_THAT(message, HasSubstr("jobs of cluster write files into a directory"));
}

TEST(StoredRunFolder, IsInAStoreThatOtherProgramsOpen) {
  const std::string message = testing::message_of<value_error>(
      [] { const run_folder refused("memory://run-folder", "launcher"); });
  EXPECT_THAT(message, HasSubstr("no other program opens this store"));
}

}  // namespace
}  // namespace tessera::job_arrays
