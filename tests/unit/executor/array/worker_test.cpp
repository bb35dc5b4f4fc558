// SPDX-License-Identifier: Apache-2.0
#include "executor/array/worker.hpp"

#include "tessera/testing/scripted_workload.hpp"

#include "core/api/host_name.hpp"
#include "executor/array/array_folder.hpp"
#include "executor/build_id.hpp"
#include "executor/unfit_worker.hpp"
#include "unit/core/message_of.hpp"
#include "unit/store/temporary_directory.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

namespace tessera::job_arrays {
namespace {

/// Plays an element of three tasks of which `done` had ended when its node was lost.
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
  setenv("INDEX_OF_TEST", "1", 1);
  EXPECT_EQ(play_role("INDEX_OF_TEST-1:" + folder.path().string()), EXIT_SUCCESS);
  unsetenv("INDEX_OF_TEST");
  EXPECT_EQ(work.num_runs(), 3 - done);
  return folder.read_report(0);
}

TEST(ArrayWorker, SaysWhatAllTasksHaveMoved) {
  const auto report = report_after(0);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->done, 3);
  EXPECT_EQ(report->moved, traffic{});
  EXPECT_EQ(report->host, host_name());
}

// The tasks that had ended before have moved something, too.
TEST(ArrayWorker, DoesNotSayWhatSomeOfTheTasksHaveMoved) {
  const auto report = report_after(2);
  ASSERT_TRUE(report.has_value());
  EXPECT_EQ(report->done, 3);
  EXPECT_EQ(report->moved, std::nullopt);
}

TEST(ArrayWorker, RefusesWhatNamesNoElement) {
  const testing::temporary_directory directory;
  const array_folder folder{directory.path() / "0"};
  folder.write_order({0, bytes{}, 1, {{0, 3}}});
  write_whole_file(directory.path() / build_file, build_id());
  const std::string path = folder.path().string();
  setenv("INDEX_OF_TEST", "1", 1);
  for (const std::string& text :
       {"INDEX_OF_TEST:" + path, "INDEX_OF_TEST-2:" + path, "INDEX_OF_NOBODY:" + path,
        "INDEX_OF_TEST-1:" + path + "/none", "3:" + path, path, std::string()}) {
    EXPECT_THROW((void)play_role(text), unfit_worker) << text;
  }
  unsetenv("INDEX_OF_TEST");
}

TEST(ArrayWorker, RefusesAnotherBuild) {
  const testing::temporary_directory directory;
  const array_folder folder{directory.path() / "0"};
  folder.write_order({0, bytes{}, 1, {{0, 3}}});
  write_whole_file(directory.path() / build_file, "0123");
  const std::string text = "PATH:" + folder.path().string();
  const std::string message = testing::message_of<unfit_worker>([&text] { (void)play_role(text); });
  EXPECT_EQ(message, "this program is another build (" + build_id() +
                         ") than the program that started the run (0123)");
}

}  // namespace
}  // namespace tessera::job_arrays
