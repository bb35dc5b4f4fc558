// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/worker_role.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

namespace tessera {
namespace {

using ::testing::ExitedWithCode;
using ::testing::HasSubstr;

/// Plays the role that `variable` names; ends with code 42 if there is none to play.
[[noreturn]] void play(const char* variable) {
  if (variable != nullptr) setenv(worker_variable, variable, 1);
  std::string name = "program";
  char* arguments[] = {name.data(), nullptr};
  play_worker_role(1, arguments);
  std::exit(42);
}

// The first test: what a program is without a runtime is gone once it has made one.
TEST(Processes, NeedARuntime) {
  try {
    (void)make_executor("processes:2");
    FAIL() << "an executor was made";
  } catch (const value_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("make a `tessera::runtime runtime{argc, argv};` first"));
  }
}

TEST(WorkerRoleDeathTest, IsNotPlayedWhereTheEnvironmentNamesNone) {
  EXPECT_EXIT(play(nullptr), ExitedWithCode(42), "");
}

TEST(WorkerRoleDeathTest, EndsTheProcessWithItsOwnCode) {
  register_worker_role("argument", [](const std::string& text) { return std::stoi(text); });
  EXPECT_EXIT(play("argument:7"), ExitedWithCode(7), "");
}

TEST(WorkerRoleDeathTest, IsNotThatOfWhatAWorkerStarts) {
  register_worker_role("variable", [](const std::string&) {
    return std::getenv(worker_variable) == nullptr ? 5 : 6;
  });
  EXPECT_EXIT(play("variable:"), ExitedWithCode(5), "");
}

TEST(WorkerRoleDeathTest, SaysWhatItThrewAndFails) {
  register_worker_role("broken",
                       [](const std::string&) -> int { throw std::runtime_error("no socket"); });
  EXPECT_EXIT(play("broken:"), ExitedWithCode(1), "worker process: no socket");
}

TEST(WorkerRoleDeathTest, MustBeKnown) {
  for (const char* text : {"nobody:3", "zygote", ""}) {
    EXPECT_EXIT(play(text), ExitedWithCode(1), "has no such role");
  }
}

}  // namespace
}  // namespace tessera
