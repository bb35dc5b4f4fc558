// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/worker_role.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"

#include "unit/core/message_of.hpp"

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
[[noreturn]] void run_role(const char* variable) {
  if (variable != nullptr) setenv(worker_variable, variable, 1);
  std::string name = "program";
  char* arguments[] = {name.data(), nullptr};
  play_worker_role(1, arguments);
  std::exit(42);
}

// The first test: once the program has made a runtime, it counts as a program with one.
TEST(Processes, NeedARuntime) {
  EXPECT_THAT(testing::message_of<value_error>([] { (void)make_executor("processes:2"); }),
              HasSubstr("make a `tessera::runtime runtime{argc, argv};` first"));
}

TEST(WorkerRoleDeathTest, IsNotPlayedWhereTheEnvironmentNamesNone) {
  EXPECT_EXIT(run_role(nullptr), ExitedWithCode(42), "");
}

TEST(WorkerRoleDeathTest, EndsTheProcessWithItsOwnCode) {
  register_worker_role("argument", [](const std::string& text) { return std::stoi(text); });
  EXPECT_EXIT(run_role("argument:7"), ExitedWithCode(7), "");
}

TEST(WorkerRoleDeathTest, IsNotThatOfWhatAWorkerStarts) {
  register_worker_role("variable", [](const std::string&) {
    return std::getenv(worker_variable) == nullptr ? 5 : 6;
  });
  EXPECT_EXIT(run_role("variable:"), ExitedWithCode(5), "");
}

TEST(WorkerRoleDeathTest, SaysWhatItThrewAndFails) {
  register_worker_role("broken",
                       [](const std::string&) -> int { throw std::runtime_error("no socket"); });
  EXPECT_EXIT(run_role("broken:"), ExitedWithCode(1), "worker process: no socket");
}

TEST(WorkerRoleDeathTest, MustBeKnown) {
  for (const char* text : {"nobody:3", "zygote", ""}) {
    EXPECT_EXIT(run_role(text), ExitedWithCode(78), "has no such role");
  }
}

}  // namespace
}  // namespace tessera
