// SPDX-License-Identifier: Apache-2.0
#include "tessera/scheduler/interrupt.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/scheduler/scheduler.hpp"

#include "unit/core/message_of.hpp"
#include "unit/scheduler/fake_workload.hpp"

#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string>

namespace tessera {
namespace {

using testing::fake_operation;
using testing::fake_workload;

/// Runs 1000 tasks, of which the eighth sends `signals` signals to this process.
void run_and_signal(int signal, int signals) {
  fake_workload work({fake_operation(1000)}, [=](std::size_t, index_t task, int) {
    for (int i = 0; task == 7 && i < signals; ++i) std::raise(signal);
  });
  run(work, *executors::serial());
}

TEST(Interrupt, StopsARunCleanlyAndSaysHowFarItCame) {
  const interrupt_handlers handlers;
  for (const int signal : {SIGINT, SIGTERM}) {
    EXPECT_EQ(testing::message_of<interrupted_error>([&] { run_and_signal(signal, 1); }),
              "run: stopped by an interrupt after 8 of 1000 tasks; what it was storing is "
              "incomplete");
  }
}

TEST(Interrupt, IsForgottenByTheNextRun) {
  const interrupt_handlers handlers;
  EXPECT_THROW(run_and_signal(SIGINT, 1), interrupted_error);
  EXPECT_FALSE(interrupt_requested());
  EXPECT_NO_THROW(run_and_signal(SIGINT, 0));
}

TEST(Interrupt, IsIgnoredWhereNothingRuns) {
  request_interrupt();
  EXPECT_FALSE(interrupt_requested());
  EXPECT_NO_THROW(run_and_signal(SIGINT, 0));
}

TEST(InterruptDeathTest, ASecondSignalEndsTheProcessAtOnce) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        const interrupt_handlers handlers;
        run_and_signal(SIGINT, 2);
        std::exit(0);
      },
      ::testing::KilledBySignal(SIGINT), "");
}

TEST(InterruptDeathTest, ASignalWhileNothingRunsEndsTheProcessAtOnce) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        const interrupt_handlers handlers;
        std::raise(SIGTERM);
        std::exit(0);
      },
      ::testing::KilledBySignal(SIGTERM), "");
}

TEST(InterruptHandlers, PutBackTheHandlersThatWereThere) {
  const auto before = std::signal(SIGINT, SIG_IGN);
  { const interrupt_handlers handlers; }
  EXPECT_EQ(std::signal(SIGINT, before), SIG_IGN);
}

}  // namespace
}  // namespace tessera
