// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/grid_engine.hpp"

#include "tessera/core/error.hpp"
#include "tessera/scheduler/executor.hpp"
#include "tessera/testing/scripted_workload.hpp"

#include "grid_engine/cluster.hpp"
#include "unit/scheduler/message_of_run.hpp"
#include "unit/scheduler/run_with_trouble.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tessera::testing {
namespace {

/// A script by which the first attempt of each task hangs.
std::vector<script_rule> first_attempts_hang() {
  return {{.action = scripted_action::hang, .last_attempt = 1}};
}

TEST(GridEngine, LeavesNothingBehind) {
  scripted_workload work({huge_tasks(3), huge_tasks(2, {0})});
  run(work, *executors::grid_engine(quick_options(4)));
  EXPECT_TRUE(work.has_ended());
  EXPECT_TRUE(std::filesystem::is_empty(test_folder()));
  scripted_workload failing({huge_tasks(20)}, {{.action = scripted_action::fail, .tasks = {0, 1}}});
  EXPECT_THROW(run(failing, *executors::grid_engine(quick_options(4))), task_error);
  EXPECT_TRUE(std::filesystem::is_empty(test_folder()));
  EXPECT_EQ(shell("qstat -s p"), "");
}

// The cluster's arrays have at most 61 elements.
TEST(GridEngine, SplitsWhatIsLongerThanAnArray) {
  workload_operation tasks = huge_tasks(64);
  scripted_workload work({tasks});
  run(work, *executors::grid_engine(quick_options(8)));
  EXPECT_TRUE(work.has_ended());
  EXPECT_EQ(work.num_runs(), 64);
}

TEST(GridEngine, AKilledElementCostsOneAttempt) {
  scripted_workload work(
      {huge_tasks(3)},
      {{.action = scripted_action::be_killed, .tasks = {1, 2}, .last_attempt = 1}});
  const auto causes = run_with_trouble(work, *executors::grid_engine(quick_options(4)), 100, [] {});
  EXPECT_TRUE(work.has_ended());
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_NE(causes[0].find("killed by signal 9 (SIGKILL)"), std::string::npos) << causes[0];
  EXPECT_EQ(work.num_runs(), 4);
}

// Grid Engine kills the shell of such an element, too.
TEST(GridEngine, ADeletedElementCostsOneAttempt) {
  scripted_workload work({huge_tasks(1)}, first_attempts_hang());
  const auto causes = run_with_trouble(work, *executors::grid_engine(quick_options(4)), 1,
                                       [] { (void)shell("qdel 'tessera-grid_engine-*'"); });
  EXPECT_TRUE(work.has_ended());
  ASSERT_EQ(causes.size(), 1U);
  EXPECT_NE(causes[0].find("is no longer known to Grid Engine"), std::string::npos) << causes[0];
}

TEST(GridEngine, OutlivesANode) {
  scripted_workload work({huge_tasks(1), huge_tasks(1, {0})}, first_attempts_hang());
  const auto causes = run_with_trouble(work, *executors::grid_engine(quick_options(4)), 1, [] {
    cluster("kill-node");
    cluster("start-node");
  });
  EXPECT_TRUE(work.has_ended());
  EXPECT_EQ(work.attempts(0, 0), 2);
  EXPECT_EQ(causes, std::vector<std::string>{});
}

TEST(GridEngine, OutlivesItsMaster) {
  scripted_workload work({huge_tasks(6), huge_tasks(2, {0})});
  const auto causes = run_with_trouble(work, *executors::grid_engine(quick_options(2)), 1, [] {
    cluster("kill-master");
    cluster("start-master");
  });
  EXPECT_TRUE(work.has_ended());
  EXPECT_EQ(causes, std::vector<std::string>{});
}

/// Expects that Grid Engine refuses the jobs, with `words`.
void expect_refusal(const grid_engine_options& options, const std::string& words) {
  scripted_workload work({huge_tasks(2)});
  const std::string message = message_of_run<value_error>(work, *executors::grid_engine(options));
  EXPECT_NE(message.find("grid_engine: the jobs were refused"), std::string::npos) << message;
  EXPECT_NE(message.find(words), std::string::npos) << message;
}

TEST(GridEngine, SaysWhyJobsAreRefused) {
  grid_engine_options options = quick_options(2);
  options.queue = "nowhere";
  expect_refusal(options, "unknown queue \"nowhere\"");
  options = quick_options(2);
  options.extra = {"-l", "mem_free=99999999M"};
  expect_refusal(options, "no suitable queues");
}

// The shell of these elements starts another program. It ends as an unfit worker.
TEST(GridEngine, EndsARunWhoseProgramCannotRunThere) {
  const std::string file = test_folder() + "-shell";
  std::ofstream(file) << "#!/bin/sh\n"
                         "sed \"s/^'.*/(echo no avx512f; exit 78)/\" \"$1\" | sh -s\n";
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  grid_engine_options options = quick_options(2);
  options.extra = {"-S", file};
  scripted_workload work({huge_tasks(2)});
  const std::string message = message_of_run<task_error>(work, *executors::grid_engine(options));
  EXPECT_NE(message.find("a worker could not take over the run"), std::string::npos) << message;
  EXPECT_NE(message.find("cannot run on its node; it last printed: no avx512f"), std::string::npos)
      << message;
  EXPECT_EQ(message.find("attempts"), std::string::npos) << message;
  std::filesystem::remove(file);
}

TEST(GridEngine, SaysThatElementsAreInAnErrorState) {
  grid_engine_options options = quick_options(2);
  options.extra = {"-wd", "/there/is/no/such/folder"};
  scripted_workload work({huge_tasks(1)});
  const std::string message = message_of_run<task_error>(work, *executors::grid_engine(options));
  EXPECT_NE(message.find("it is in an error state (Eqw)"), std::string::npos) << message;
  EXPECT_EQ(work.num_runs(), 0);
}

}  // namespace
}  // namespace tessera::testing
