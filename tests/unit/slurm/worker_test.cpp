// SPDX-License-Identifier: Apache-2.0
#include "executor/slurm/worker.hpp"

#include "tessera/testing/scripted_workload.hpp"

#include "executor/build_id.hpp"
#include "executor/slurm/array_folder.hpp"
#include "unit/store/temporary_directory.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <optional>
#include <vector>

namespace tessera::slurm {
namespace {

/// Plays an element of three tasks of which `done` had ended when Slurm lost its node.
std::optional<element_report> report_after(index_t done) {
  const testing::temporary_directory directory;
  std::vector<workload_operation> operations(1);
  operations[0].num_tasks = 3;
  operations[0].task_memory = bytes{1 << 20};
  testing::scripted_workload work(operations);
  work.begin(0);
  const array_folder folder{directory.path() / "0"};
  folder.write_order({0, bytes{1 << 20}, 1, {{0, 3}}});
  write_whole_file(directory.path() / build_file, build_id());
  write_recipe(directory.path() / recipe_file, work.recipe());
  if (done > 0) (void)folder.begin(0, done);
  setenv("SLURM_ARRAY_TASK_ID", "0", 1);
  EXPECT_EQ(play_role(folder.path().string()), EXIT_SUCCESS);
  unsetenv("SLURM_ARRAY_TASK_ID");
  EXPECT_EQ(work.num_runs(), 3 - done);
  return folder.read_report(0);
}

TEST(SlurmWorker, SaysWhatAllTasksHaveMoved) {
  const auto report = report_after(0);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->done, 3);
  EXPECT_EQ(report->moved, traffic{});
}

// The tasks that had ended before have moved something, too.
TEST(SlurmWorker, DoesNotSayWhatSomeOfTheTasksHaveMoved) {
  const auto report = report_after(2);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->done, 3);
  EXPECT_EQ(report->moved, std::nullopt);
}

}  // namespace
}  // namespace tessera::slurm
