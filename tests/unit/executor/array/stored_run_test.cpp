// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs through a launcher, with a folder in a store.

#include "tessera/core/error.hpp"
#include "tessera/executor/launcher.hpp"
#include "tessera/scheduler/executor.hpp"
#include "tessera/scheduler/scheduler.hpp"
#include "tessera/testing/scripted_workload.hpp"

#include "executor/api/message_folder.hpp"
#include "executor/api/named_run.hpp"
#include "executor/array/run_command.hpp"
#include "executor/array/run_folder.hpp"
#include "executor/array/session.hpp"
#include "executor/array/worker.hpp"
#include "executor/array/worker_command.hpp"
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

TEST_F(StoredRun, KeepsItsScriptsWhereNoOtherUserWrites) {
  std::filesystem::path directory;
  {
    const run_folder folder(location, "launcher");
    directory = folder.path();
    EXPECT_EQ(std::filesystem::status(directory).permissions(), std::filesystem::perms::owner_all);
  }
  EXPECT_FALSE(std::filesystem::exists(directory));
}

TEST_F(StoredRun, WithoutANameIsSharedWithNoOtherProgram) {
  const run_folder first(location, "launcher");
  const run_folder second(location, "launcher");
  EXPECT_NE(first.messages()->location(), second.messages()->location());
  EXPECT_FALSE(first.messages()->exists(cancelled_file));
}

/// A system that notes the runs of which all jobs are cancelled.
class noting_system final : public array_system {
 public:
  noting_system(std::string run, std::vector<std::string>& cancelled_runs)
      : run_(std::move(run)), cancelled_runs_(cancelled_runs) {}
  [[nodiscard]] std::size_t max_elements() override { return 1; }
  [[nodiscard]] std::string submit(const array_request& /*request*/) override { return "1"; }
  [[nodiscard]] std::vector<queued_element> list() override { return {}; }
  [[nodiscard]] element_verdict judge(const queued_element& /*element*/) const override {
    return {};
  }
  [[nodiscard]] std::string describe_loss(const queued_element& /*element*/,
                                          std::string_view /*printed*/) const override {
    return {};
  }
  void cancel_waiting() override {}
  void cancel_element(const std::string& /*job*/, std::size_t /*element*/) override {}
  bool cancel_all() override {
    cancelled_runs_.push_back(run_);
    return true;
  }
  void end_all() override {}

 private:
  std::string run_;
  std::vector<std::string>& cancelled_runs_;
};

TEST_F(StoredRun, CancelsTheJobsOfTheCoordinatorBefore) {
  std::vector<std::string> cancelled_runs;
  array_options options{"cluster", 1, location, {.silence = 50ms, .look = 10ms}, true, {}};
  options.connect = [&](const std::string& run) {
    return std::make_unique<noting_system>(run, cancelled_runs);
  };
  const run_folder first(location, "cluster", "0123456789", {1h, 1h, 1h});
  named_workload work(tasks(1));
  const session second(work, options);
  EXPECT_EQ(cancelled_runs, std::vector<std::string>{first.name()});
}

TEST(ScriptRedirection, LeavesTheOutputAloneOnAHostWithoutTheDirectory) {
  const testing::temporary_directory directory;
  const std::filesystem::path visible = directory.path() / "it's visible";
  std::filesystem::create_directory(visible);
  const auto printed_beside = [](const std::filesystem::path& folder) {
    array_request request;
    request.folder = folder;
    return run_command({"sh", "-c", script_redirection("$i", request) + "\necho words", "sh"})
        .output;
  };
  EXPECT_EQ(printed_beside(visible), "");
  EXPECT_EQ(read_whole_file(visible / ".out"), "words\n");
  EXPECT_EQ(printed_beside(directory.path() / "unseen"), "words\n");
  EXPECT_FALSE(std::filesystem::exists(directory.path() / "unseen"));
}

TEST(StoredRunFolder, IsInAStoreThatOtherProgramsOpen) {
  const std::string message = testing::message_of<value_error>(
      [] { const run_folder refused("memory://run-folder", "launcher"); });
  EXPECT_THAT(message, HasSubstr("no other program opens this store"));
}

}  // namespace
}  // namespace tessera::job_arrays
