// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/executors.hpp"

#include "tessera/core/error.hpp"
#include "tessera/scheduler/executor.hpp"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

namespace tessera {
namespace {

using ::testing::HasSubstr;

std::string message_of(const char* text) {
  try {
    (void)make_executor(text);
  } catch (const value_error& error) {
    return error.what();
  }
  return "no error";
}

/// Sets an environment variable for its lifetime.
class environment_variable {
 public:
  environment_variable(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value, 1);
  }
  ~environment_variable() {
    if (before_.empty()) {
      unsetenv(name_);
    } else {
      setenv(name_, before_.c_str(), 1);
    }
  }

 private:
  const char* name_;
  std::string before_;
};

TEST(MakeExecutor, MakesWhatANameSays) {
  EXPECT_EQ(make_executor("serial")->name(), "serial");
  EXPECT_EQ(make_executor("serial")->num_workers(), 1U);
  EXPECT_EQ(make_executor("threads:3")->name(), "threads:3");
  EXPECT_EQ(make_executor("threads:3")->num_workers(), 3U);
  EXPECT_GE(make_executor("threads")->num_workers(), 1U);
}

TEST(MakeExecutor, RefusesAnUnknownNameAndTellsWhatExists) {
  EXPECT_THAT(message_of("dask"), HasSubstr("executor \"dask\" does not exist; this program has "));
  EXPECT_THAT(message_of("dask"), HasSubstr("\"serial\", \"simulated\", \"threads\""));
  EXPECT_THAT(message_of(""), HasSubstr("does not exist"));
  EXPECT_THAT(message_of("serial:2"), HasSubstr("does not exist"));
}

TEST(MakeExecutor, TellsWhichLibraryHasAnEngineThatIsNotLinked) {
  EXPECT_EQ(message_of("mpi"),
            "executor \"mpi\" is not part of this program: link it with tessera::mpi");
  EXPECT_EQ(message_of("slurm:partition=long"),
            "executor \"slurm:partition=long\" is not part of this program: link it with "
            "tessera::slurm");
}

TEST(MakeExecutor, MakesWhatWasRegistered) {
  std::string passed_text;
  EXPECT_TRUE(register_executor("mine", [&](std::string_view text) {
    passed_text = text;
    return executors::serial();
  }));
  EXPECT_EQ(make_executor("mine:one:two")->name(), "serial");
  EXPECT_EQ(passed_text, "mine:one:two");
}

TEST(MakeExecutor, RefusesCountsThatAreNotPositiveIntegers) {
  for (const char* text : {"threads:", "threads:0", "threads:-1", "threads:2x", "threads: 2",
                           "threads:1025", "threads:99999999999999999999"}) {
    EXPECT_THAT(message_of(text), HasSubstr("must be an integer from 1 to 1024")) << text;
  }
  EXPECT_THAT(message_of("threads:x"), HasSubstr("as in \"threads:4\""));
  EXPECT_THAT(message_of("processes:x"), HasSubstr("as in \"processes:4\""));
}

TEST(DefaultExecutor, IsThreadsOnEveryCore) {
  const environment_variable variable("TESSERA_EXECUTOR", "");
  EXPECT_EQ(default_executor()->name(), executors::threads()->name());
  EXPECT_EQ(default_executor(), default_executor());
}

TEST(DefaultExecutor, IsWhatTheEnvironmentNames) {
  const environment_variable variable("TESSERA_EXECUTOR", "threads:5");
  EXPECT_EQ(default_executor()->name(), "threads:5");
}

TEST(DefaultExecutor, IsWhatWasSetBeforeAllElse) {
  const environment_variable variable("TESSERA_EXECUTOR", "threads:5");
  const auto engine = executors::serial();
  EXPECT_EQ(set_default_executor(engine), nullptr);
  EXPECT_EQ(default_executor(), engine);
  EXPECT_EQ(set_default_executor(nullptr), engine);
  EXPECT_EQ(default_executor()->name(), "threads:5");
}

TEST(DefaultExecutor, RefusesAnEnvironmentThatNamesNone) {
  const environment_variable variable("TESSERA_EXECUTOR", "slurm");
  EXPECT_THROW((void)default_executor(), value_error);
}

}  // namespace
}  // namespace tessera
