// SPDX-License-Identifier: Apache-2.0
#include "executor/array/system_commands.hpp"

#include "tessera/core/error.hpp"

#include "executor/array/run_command.hpp"
#include "unit/core/message_of.hpp"

#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

namespace tessera::job_arrays {
namespace {

using namespace std::chrono_literals;

TEST(Outage, PausesLongerAndLongerAndGivesUp) {
  outage controller(1s);
  EXPECT_TRUE(controller.may_ask(0ms));
  controller.failed(0ms, "no answer");
  EXPECT_FALSE(controller.may_ask(99ms));
  EXPECT_TRUE(controller.may_ask(100ms));
  controller.failed(100ms, "no answer");
  EXPECT_FALSE(controller.may_ask(299ms));
  EXPECT_TRUE(controller.may_ask(300ms));
  EXPECT_THROW(controller.failed(1s, "no answer"), worker_error);
}

TEST(Outage, BeginsAnewAfterAnAnswer) {
  outage controller(1s);
  controller.failed(0ms, "no answer");
  controller.answered();
  controller.failed(2s, "no answer");
  EXPECT_TRUE(controller.may_ask(2100ms));
}

system_commands commands_of_a_shell() {
  return {{"system", "sh", [](std::string_view said) { return said.starts_with("no answer"); }},
          1h};
}

TEST(SystemCommands, TellsThatThereIsNoSystem) {
  system_commands commands = commands_of_a_shell();
  EXPECT_EQ(testing::message_of<value_error>([&] {
              (void)commands.ask({"sh", "-c", "echo a >&2; echo b >&2; exit 1"});
            }),
            "system: there is no such system here: a b");
}

TEST(SystemCommands, TellsARefusalFromAnOutage) {
  system_commands commands = commands_of_a_shell();
  EXPECT_EQ(commands.ask({"sh", "-c", "echo 7"}), "7\n");
  EXPECT_EQ(testing::message_of<value_error>([&] {
              (void)commands.ask({"sh", "-c", "echo no such queue >&2; exit 1"});
            }),
            "system: the jobs were refused: no such queue");
  EXPECT_THROW((void)commands.ask({"sh", "-c", "echo no answer >&2; exit 1"}), no_answer);
  // The pause is not over.
  EXPECT_THROW((void)commands.ask({"sh", "-c", "echo 7"}), no_answer);
}

TEST(StatusOfShell, TellsCodesFromSignals) {
  EXPECT_EQ(describe_exit(status_of_shell(3)), "exited with code 3");
  EXPECT_EQ(describe_exit(status_of_shell(128 + SIGSEGV)), "crashed: signal 11 (SIGSEGV)");
  EXPECT_EQ(describe_exit(status_of_shell(255)), "exited with code 255");
}

TEST(Quote, MakesOneWordOfAShell) {
  for (const std::string text : {"", "plain", "two words", "it's", "$HOME `x` \"\\\"", "a\nb"}) {
    const command_result said = run_command({"sh", "-c", "printf %s " + quote(text)});
    EXPECT_TRUE(said.is_well);
    EXPECT_EQ(said.output, text);
  }
}

TEST(RunCommand, TakesBothStreamsOfAnyLength) {
  const command_result said =
      run_command({"sh", "-c", "head -c 300000 /dev/zero; echo no >&2; exit 3"});
  EXPECT_FALSE(said.is_well);
  EXPECT_EQ(said.output.size(), 300'000U);
  EXPECT_EQ(said.complaint, "no\n");
}

TEST(RunCommand, SaysWhatIsNotThere) {
  EXPECT_THROW((void)run_command({"there-is-no-such-program"}), value_error);
}

}  // namespace
}  // namespace tessera::job_arrays
