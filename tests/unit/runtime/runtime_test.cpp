// SPDX-License-Identifier: Apache-2.0
#include "tessera/runtime/runtime.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/observe/default_observers.hpp"
#include "tessera/observe/progress_bar.hpp"
#include "tessera/scheduler/executor.hpp"
#include "tessera/task/resume.hpp"

#include <cstdlib>
#include <exception>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The arguments of a `main`.
class arguments {
 public:
  explicit arguments(std::vector<std::string> texts) : texts_(std::move(texts)) {
    texts_.insert(texts_.begin(), "program");
    for (std::string& text : texts_) pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
    argc = static_cast<int>(texts_.size());
  }
  char** argv() { return pointers_.data(); }
  [[nodiscard]] std::vector<std::string> remaining() const {
    EXPECT_EQ(pointers_[static_cast<std::size_t>(argc)], nullptr);
    return {pointers_.begin(), pointers_.begin() + argc};
  }
  int argc = 0;

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
};

std::string message_of(const std::string& option) {
  arguments given({option});
  try {
    const runtime started(given.argc, given.argv());
  } catch (const value_error& error) {
    return error.what();
  }
  return "no error";
}

class Runtime : public ::testing::Test {
 protected:
  void SetUp() override {
    unsetenv("TESSERA_EXECUTOR");
    unsetenv("TESSERA_PROGRESS");
    unsetenv("TESSERA_MEMORY");
  }
  void TearDown() override { SetUp(); }
};

TEST_F(Runtime, RemovesItsOptionsAndLeavesTheOthersInOrder) {
  arguments given(
      {"in.zarr", "--tessera-executor=serial", "--verbose", "--tessera-progress=never"});
  const runtime started(given.argc, given.argv());
  EXPECT_THAT(given.remaining(), ElementsAre("program", "in.zarr", "--verbose"));
}

TEST_F(Runtime, IsTheOnlyOne) {
  const std::string error =
      "the program has a runtime already; make one in main, and none in the libraries that the "
      "program uses";
  {
    arguments given({});
    const runtime started(given.argc, given.argv());
    EXPECT_EQ(message_of("--other"), error);
    EXPECT_EQ(message_of("--other"), error);
  }
  EXPECT_EQ(message_of("--other"), "no error");
}

TEST_F(Runtime, LeavesWhatComesAfterTwoDashes) {
  arguments given({"--", "--tessera-executor=serial"});
  const runtime started(given.argc, given.argv());
  EXPECT_THAT(given.remaining(), ElementsAre("program", "--", "--tessera-executor=serial"));
}

TEST_F(Runtime, SetsTheDefaultExecutorForItsLifetime) {
  const std::string before = default_executor()->name();
  {
    arguments given({"--tessera-executor=threads:3"});
    const runtime started(given.argc, given.argv());
    EXPECT_EQ(default_executor()->name(), "threads:3");
  }
  EXPECT_EQ(default_executor()->name(), before);
}

TEST_F(Runtime, LetsItsOptionsGoBeforeTheEnvironment) {
  setenv("TESSERA_EXECUTOR", "threads:3", 1);
  setenv("TESSERA_PROGRESS", "never", 1);
  arguments given({"--tessera-executor=serial", "--tessera-progress=always"});
  const runtime started(given.argc, given.argv());
  EXPECT_EQ(default_executor()->name(), "serial");
  EXPECT_EQ(default_observers().size(), 3U);
}

TEST_F(Runtime, ReadsTheEnvironment) {
  setenv("TESSERA_EXECUTOR", "threads:3", 1);
  setenv("TESSERA_PROGRESS", "always", 1);
  arguments given({});
  const runtime started(given.argc, given.argv());
  EXPECT_EQ(default_executor()->name(), "threads:3");
  EXPECT_EQ(default_observers().size(), 3U);
}

TEST_F(Runtime, IsNotNeeded) {
  EXPECT_NE(default_executor(), nullptr);
  setenv("TESSERA_PROGRESS", "never", 1);
  EXPECT_TRUE(default_observers().empty());
}

TEST_F(Runtime, RefusesOptionsThatItDoesNotKnow) {
  EXPECT_EQ(message_of("--tessera-exectuor=serial"),
            "option \"--tessera-exectuor=serial\" is not known (did you mean "
            "\"--tessera-executor\"?); Tessera's options are --tessera-executor=<executor>, "
            "--tessera-memory=<size>, --tessera-work-dir=<folder>, "
            "--tessera-progress=auto|always|never, --tessera-resume=auto|never|require, "
            "--tessera-report=<folder>, --tessera-study=<points>, --tessera-detach=<folder> and "
            "--tessera-attach=<folder>[,show|,stop]");
}

TEST_F(Runtime, TellsWhichOptionWasMeant) {
  for (const auto& [written, meant] : {std::pair{"--tessera-memroy=1GB", "memory"},
                                       {"--tessera_memory=1GB", "memory"},
                                       {"--tessera-mem=1GB", "memory"},
                                       {"--tessera-workdir=tmp", "work-dir"},
                                       {"--tessera-work_dir", "work-dir"},
                                       {"--tessera-Executor=serial", "executor"},
                                       {"--tessera-resumes=auto", "resume"}}) {
    EXPECT_THAT(message_of(written),
                HasSubstr("did you mean \"--tessera-" + std::string(meant) + "\"?); Tessera's"));
  }
  for (const char* written :
       {"--tessera-zip=1", "--tessera-", "--tessera", "--tessera-verbosity"}) {
    EXPECT_THAT(message_of(written), HasSubstr("is not known; Tessera's options are"));
  }
}

TEST_F(Runtime, TellsWhichExecutorWasMeant) {
  EXPECT_THAT(message_of("--tessera-executor=thread:4"),
              HasSubstr("does not exist (did you mean \"threads\"?); this program has \""));
  EXPECT_THAT(message_of("--tessera-executor=prcesses"), HasSubstr("did you mean \"processes\"?"));
  EXPECT_THAT(message_of("--tessera-executor=slrum:workers=2"),
              HasSubstr("did you mean \"slurm\"?"));
  EXPECT_THAT(message_of("--tessera-executor=simulated:wokers=2"),
              HasSubstr("there is no option \"wokers\" (did you mean \"workers\"?); the options"));
}

TEST_F(Runtime, HelpsWithALineForEachOption) {
  const std::string help = runtime::help();
  for (const char* option :
       {"--tessera-executor=<executor> ", "--tessera-memory=<size> ",
        "--tessera-work-dir=<folder> ", "--tessera-progress=auto|always|never ",
        "--tessera-resume=auto|never|require ", "--tessera-report=<folder> "}) {
    EXPECT_THAT(help, HasSubstr("\n  " + std::string(option)));
  }
}

TEST_F(Runtime, SetsWhatBecomesOfEarlierRunsForItsLifetime) {
  arguments given({"--tessera-resume=require"});
  {
    const runtime started(given.argc, given.argv());
    EXPECT_EQ(default_resume(), resume_mode::require);
  }
  EXPECT_EQ(default_resume(), resume_mode::automatic);
  EXPECT_EQ(message_of("--tessera-resume=maybe"),
            "resume mode \"maybe\" does not exist; choose auto, never or require");
}

/// Ends the program as `main` does when `failure` leaves it.
template <class Error>
void end_with(const Error& failure) {
  const auto fail = [&failure] { throw failure; };
  [&fail]() noexcept { fail(); }();
}

using RuntimeDeathTest = Runtime;

TEST_F(RuntimeDeathTest, EndsAProgramThatWasInterruptedWithTheWordsThatContinueIt) {
  const auto program = [] {
    arguments given({});
    const runtime started(given.argc, given.argv());
    end_with(interrupted_error("run it again"));
  };
  EXPECT_EXIT(program(), ::testing::ExitedWithCode(130), "^run it again\n$");
}

TEST_F(RuntimeDeathTest, EndsAProgramThatFailsWithOneSentence) {
  const auto program = [] {
    arguments given({});
    const runtime started(given.argc, given.argv());
    end_with(value_error("wrong; write it right"));
  };
  EXPECT_EXIT(program(), ::testing::ExitedWithCode(1), "^wrong; write it right\n$");
}

TEST_F(RuntimeDeathTest, EndsAProgramWhoseOptionIsWrongWithOneSentence) {
  const auto program = [] {
    const auto make = []() noexcept {
      arguments given({"--tessera-memori=2GB"});
      const runtime started(given.argc, given.argv());
    };
    make();
  };
  EXPECT_EXIT(program(), ::testing::ExitedWithCode(1), "^option \"--tessera-memori=2GB\" is not");
}

TEST_F(RuntimeDeathTest, LeavesOtherFailuresToWhoHandledThemBefore) {
  const auto program = [] {
    std::set_terminate([] { std::_Exit(7); });
    arguments given({});
    const runtime started(given.argc, given.argv());
    end_with(value_error("wrong"));
  };
  EXPECT_EXIT(program(), ::testing::ExitedWithCode(7), "");
}

TEST_F(Runtime, RefusesOptionsWithoutAValue) {
  EXPECT_EQ(message_of("--tessera-executor"),
            "option \"--tessera-executor\" has no value; write it with an equals sign, as in "
            "--tessera-executor=threads:4");
  EXPECT_THAT(message_of("--tessera-progress"), HasSubstr("--tessera-progress=never"));
}

TEST_F(Runtime, RefusesValuesThatDoNotExist) {
  EXPECT_THAT(message_of("--tessera-executor=gpu"), HasSubstr("executor \"gpu\" does not exist"));
  EXPECT_THAT(message_of("--tessera-progress=1"), HasSubstr("progress mode \"1\""));
  setenv("TESSERA_PROGRESS", "sometimes", 1);
  EXPECT_THAT(message_of("--other"), HasSubstr("progress mode \"sometimes\""));
}

}  // namespace
}  // namespace tessera
