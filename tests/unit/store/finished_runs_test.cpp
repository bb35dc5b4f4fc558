// SPDX-License-Identifier: Apache-2.0
#include "store/api/finished_runs.hpp"

#include "tessera/store/run_directory.hpp"

#include "unit/store/temporary_directory.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace tessera {
namespace {

namespace fs = std::filesystem;

using ::testing::ElementsAre;
using ::testing::ExitedWithCode;
using ::testing::IsEmpty;
using ::testing::KilledBySignal;
using testing::temporary_directory;

/// A program's computation of the plan `identity` that ends well.
void compute(const std::string& work_dir, const std::string& identity) {
  run_directory run(work_dir, identity, "the plan");
  remember_finished(work_dir, identity, "the results");
  run.remove();
}

/// One that does not.
void fail(const std::string& work_dir, const std::string& identity) {
  const run_directory run(work_dir, identity, "the plan");
}

[[noreturn]] void fail_in_the_program() { throw std::runtime_error("of the user"); }

[[noreturn]] void let_an_exception_leave_main() noexcept { fail_in_the_program(); }

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

class FinishedRuns : public ::testing::Test {
 protected:
  temporary_directory directory_;
  std::string work_ = directory_ / "work";
};

TEST_F(FinishedRuns, AreForgottenOnDemand) {
  std::filesystem::create_directory(work_);
  std::ofstream(fs::path(work_) / "finished-p") << "of another program";
  EXPECT_EQ(recall_finished(work_, "p"), "of another program");
  forget_finished(work_, "p");
  EXPECT_EQ(recall_finished(work_, "p"), std::nullopt);
  forget_finished(work_, "p");
}

TEST_F(FinishedRuns, AreForgottenWhenTheProgramEnds) {
  EXPECT_EXIT((compute(work_, "a"), std::exit(0)), ExitedWithCode(0), "");
  EXPECT_FALSE(fs::exists(work_));
}

TEST_F(FinishedRuns, AreForgottenWhenAnExceptionLeavesMain) {
  EXPECT_EXIT((compute(work_, "a"), let_an_exception_leave_main()), KilledBySignal(SIGABRT),
              "of the user");
  EXPECT_FALSE(fs::exists(work_));
}

TEST_F(FinishedRuns, StayWhereAnotherIsUnfinished) {
  EXPECT_EXIT((compute(work_, "a"), fail(work_, "b"), std::exit(0)), ExitedWithCode(0), "");
  EXPECT_THAT(names_in(work_), ElementsAre("finished-a", "run-b"));
}

TEST_F(FinishedRuns, StayWhereAnExceptionOfAnUnfinishedOneLeavesMain) {
  const auto program = [this] {
    compute(work_, "a");
    const run_directory run(work_, "b", "the plan");
    let_an_exception_leave_main();
  };
  EXPECT_EXIT(program(), KilledBySignal(SIGABRT), "");
  EXPECT_THAT(names_in(work_), ElementsAre("finished-a", "run-b"));
}

TEST_F(FinishedRuns, AreForgottenOnceTheUnfinishedOneHasEndedWell) {
  EXPECT_EXIT((compute(work_, "a"), fail(work_, "b"), compute(work_, "b"), std::exit(0)),
              ExitedWithCode(0), "");
  EXPECT_FALSE(fs::exists(work_));
}

TEST_F(FinishedRuns, OfAKilledProgramAreRecalledAndForgottenByTheNext) {
  EXPECT_EXIT((compute(work_, "a"), std::raise(SIGKILL)), KilledBySignal(SIGKILL), "");
  EXPECT_EQ(recall_finished(work_, "a"), "the results");
  EXPECT_EXIT((compute(work_, "a"), std::exit(0)), ExitedWithCode(0), "");
  EXPECT_THAT(names_in(work_), IsEmpty());
}

TEST_F(FinishedRuns, OutliveAForkedChild) {
  const auto program = [this] {
    compute(work_, "a");
    const pid_t child = fork();
    if (child == 0) std::exit(0);
    waitpid(child, nullptr, 0);
    std::_Exit(fs::exists(work_ + "/finished-a") ? 0 : 1);
  };
  EXPECT_EXIT(program(), ExitedWithCode(0), "");
}

TEST_F(FinishedRuns, OfAForkedChildAreForgottenWhenItEnds) {
  const auto program = [this] {
    compute(work_, "a");
    const pid_t child = fork();
    if (child == 0) {
      compute(work_, "b");
      std::exit(0);
    }
    waitpid(child, nullptr, 0);
    std::_Exit(names_in(work_) == std::vector<std::string>{"finished-a"} ? 0 : 1);
  };
  EXPECT_EXIT(program(), ExitedWithCode(0), "");
}

TEST_F(FinishedRuns, LeaveNoFolderThatWasMadeForThem) {
  const std::string below = directory_ / "made/for/work";
  EXPECT_EXIT((compute(below, "a"), std::exit(0)), ExitedWithCode(0), "");
  EXPECT_THAT(names_in(directory_.path()), IsEmpty());
}

TEST_F(FinishedRuns, LeaveAnEmptyFolderOfTheUser) {
  fs::create_directory(work_);
  EXPECT_EXIT((compute(work_, "a"), std::exit(0)), ExitedWithCode(0), "");
  EXPECT_THAT(names_in(work_), IsEmpty());
}

TEST_F(FinishedRuns, LeaveNoWorkDirectoryOfAKilledProgram) {
  const std::string work = directory_ / "tessera-work";
  EXPECT_EXIT((fail(work, "a"), std::raise(SIGKILL)), KilledBySignal(SIGKILL), "");
  EXPECT_EXIT((compute(work, "a"), std::exit(0)), ExitedWithCode(0), "");
  EXPECT_FALSE(fs::exists(work));
}

}  // namespace
}  // namespace tessera
