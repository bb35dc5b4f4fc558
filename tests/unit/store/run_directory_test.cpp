// SPDX-License-Identifier: Apache-2.0
#include "tessera/store/run_directory.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/unfinished_runs.hpp"

#include "unit/core/message_of.hpp"
#include "unit/store/temporary_directory.hpp"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <system_error>
#include <thread>

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::temporary_directory;

const std::string identity = "0123456789abcdef0123456789abcdef";

std::string leave_run(const std::string& work_dir, const std::string& of = identity) {
  run_directory run(work_dir, of, "the plan");
  std::ofstream(run.name() + "/something") << "ten bytes.";
  return run.name();
}

TEST(RunDirectory, IsFoundAgainByTheSamePlan) {
  const temporary_directory work;
  const std::string name = leave_run(work.path().string());
  run_directory run(work.path(), identity, "the plan");
  EXPECT_TRUE(run.is_resumed());
  EXPECT_EQ(run.name(), name);
  EXPECT_TRUE(std::filesystem::exists(name + "/something"));
}

TEST(RunDirectory, IsNewForAnotherPlanAndAfterItsRemoval) {
  const temporary_directory work;
  leave_run(work.path());
  run_directory next_run(work.path(), "f" + identity, "");
  EXPECT_FALSE(next_run.is_resumed());
  run_directory run(work.path(), identity, "");
  run.remove();
  run_directory again(work.path(), identity, "");
  EXPECT_FALSE(again.is_resumed());
  EXPECT_FALSE(std::filesystem::exists(again.name() + "/something"));
}

TEST(RunDirectory, SaysWhyThereIsNoWorkDirectory) {
  const temporary_directory folder;
  const std::string file = (folder.path() / "file").string();
  std::ofstream(file) << "no directory";
  for (const std::string& work_dir : {file, file + "/below"}) {
    EXPECT_THAT(
        testing::message_of<store_error>([&] { const run_directory run(work_dir, identity, ""); }),
        HasSubstr("the work directory '" + work_dir + "': Not a directory"));
  }
}

TEST(RunDirectory, IsEmptiedWhereNothingIsToBeContinued) {
  const temporary_directory work;
  const std::string name = leave_run(work.path());
  run_directory run(work.path(), identity, "");
  run.clear();
  EXPECT_FALSE(run.is_resumed());
  EXPECT_FALSE(std::filesystem::exists(name + "/something"));
}

TEST(RunDirectory, IsAnotherWhileSomebodyWorksInIt) {
  const temporary_directory work;
  run_directory first(work.path(), identity, "");
  run_directory second(work.path(), identity, "");
  EXPECT_NE(first.name(), second.name());
  EXPECT_FALSE(second.is_resumed());
}

// As programs do that end meanwhile.
TEST(RunDirectory, IsMadeThoughOthersRemoveTheEmptyWorkDirectory) {
  const temporary_directory above;
  const std::filesystem::path work = above.path() / "work";
  std::atomic<bool> is_over = false;
  std::thread remover([&] {
    std::error_code ignored;
    while (!is_over) std::filesystem::remove(work, ignored);
  });
  constexpr int num_runs = 200;
  for (int i = 0; i < num_runs; ++i) {
    try {
      run_directory run(work, i % 2 == 0 ? identity : "", "the plan");
      EXPECT_TRUE(std::filesystem::exists(run.name()));
      run.remove();
    } catch (const store_error& error) {
      ADD_FAILURE() << error.what();
      break;
    }
  }
  is_over = true;
  remover.join();
}

TEST(RunDirectory, IsItsOwnForPlansThatAreEqualToThemselvesAlone) {
  const temporary_directory work;
  leave_run(work.path(), "");
  run_directory run(work.path(), "", "");
  EXPECT_FALSE(run.is_resumed());
}

TEST(UnfinishedRuns, AreListedWithTheirPlansAndSizes) {
  const temporary_directory work;
  std::filesystem::create_directory(work / "of the user");
  const std::string name = leave_run(work.path().string());
  run_directory going_on(work.path(), "f" + identity, "another plan");
  const auto runs = unfinished_runs(work.path());
  EXPECT_THAT(runs, ElementsAre(Field(&unfinished_run::path, name),
                                Field(&unfinished_run::path, going_on.name())));
  EXPECT_EQ(runs[0].description, "the plan");
  EXPECT_EQ(runs[0].size, bytes{10 + 8});
  EXPECT_FALSE(runs[0].is_running);
  EXPECT_TRUE(runs[1].is_running);
  EXPECT_THAT(unfinished_runs(work / "nowhere"), IsEmpty());
}

TEST(UnfinishedRuns, AreRemovedUnlessTheyAreGoingOn) {
  const temporary_directory work;
  std::filesystem::create_directory(work / "of the user");
  leave_run(work.path());
  run_directory going_on(work.path(), "f" + identity, "");
  EXPECT_EQ(remove_unfinished_runs(work.path()), 1U);
  EXPECT_THAT(unfinished_runs(work.path()),
              ElementsAre(Field(&unfinished_run::path, going_on.name())));
  EXPECT_TRUE(std::filesystem::exists(work / "of the user"));
}

}  // namespace
}  // namespace tessera
