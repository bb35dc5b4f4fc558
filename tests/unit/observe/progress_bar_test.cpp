// SPDX-License-Identifier: Apache-2.0
#include "tessera/observe/progress_bar.hpp"

#include "tessera/core/error.hpp"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

namespace tessera {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

std::vector<workload_operation> two_operations() {
  std::vector<workload_operation> operations(2);
  operations[0].name = "read u";
  operations[0].num_tasks = 1500;
  operations[1].name = "mean of something with a long name";
  operations[1].num_tasks = 500;
  return operations;
}

class ProgressBar : public ::testing::Test {
 protected:
  void begin() { bar.on_computation_begin({operations, "serial", 1}); }
  /// Tasks that took all the time until `now`.
  void tasks(std::size_t operation, index_t count, session_time now) {
    bar.on_tasks_end({operation, 0, count, 0, 1, {}, now});
  }
  /// Returns the text drawn since the last call, without control characters of the terminal.
  std::string drawn() {
    std::string text = out.str();
    out.str("");
    for (const std::string control : {"\r\x1b[J\x1b[?7l", "\x1b[?7h"}) {
      for (std::size_t at = text.find(control); at != std::string::npos; at = text.find(control)) {
        text.erase(at, control.size());
      }
    }
    return text;
  }

  const std::vector<workload_operation> operations = two_operations();
  std::ostringstream out;
  progress_bar bar{out};
};

TEST_F(ProgressBar, ShowsTheOperationTheTasksTheRateAndTheTimeLeft) {
  begin();
  bar.on_operation_begin(0, 0s);
  tasks(0, 500, 10s);
  EXPECT_EQ(drawn(),
            "0 read u             [#####               ]  25 %  500/2,000 tasks  50.0/s  "
            "0:30 left");
}

TEST_F(ProgressBar, CountsWhatWasResumedAsDoneButNotInTheRate) {
  begin();
  bar.on_operation_begin(0, 0s);
  bar.on_tasks_resumed(0, 1000);
  EXPECT_EQ(drawn(), "");
  tasks(0, 200, 10s);
  EXPECT_EQ(drawn(),
            "0 read u             [############        ]  60 %  1,200/2,000 tasks  20.0/s  "
            "0:40 left");
}

TEST_F(ProgressBar, IsDrawnFromASecondOnAtMostTenTimesASecond) {
  begin();
  for (int i = 1; i < 1000; ++i) tasks(0, 1, i * 1ms);
  EXPECT_EQ(drawn(), "");
  for (int i = 1000; i < 1500; ++i) tasks(0, 1, i * 1ms);
  const std::string text = out.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\r'), 5);
}

TEST_F(ProgressBar, HasALineForEachOperationThatRuns) {
  begin();
  bar.on_operation_begin(0, 0s);
  bar.on_operation_begin(1, 0s);
  tasks(0, 300, 10s);
  EXPECT_THAT(drawn(),
              ::testing::StartsWith(
                  "0 read u             [####                ]  20 %  300/1,500 tasks\n"
                  "1 mean of something  [                    ]   0 %  0/500 tasks\n"
                  "all 2 operations     [###                 ]  15 %  300/2,000 tasks  30.0/s"));
  tasks(1, 100, 11s);
  // The cursor goes up by the two lines above its own before they are drawn over.
  EXPECT_THAT(out.str(), ::testing::StartsWith("\x1b[2A\r\x1b[J"));
}

TEST_F(ProgressBar, WritesPlainLinesToLogs) {
  progress_bar log(out, progress_style::of_log());
  log.on_computation_begin({operations, "serial", 1});
  log.on_operation_begin(0, 0s);
  for (int i = 1; i <= 150; ++i) log.on_tasks_end({0, i, 10, 0, 1, (i - 1) * 1s, i * 1s});
  log.on_computation_end(computation_outcome::completed, 150s);
  const std::string text = out.str();
  EXPECT_EQ(text.find_first_of("\r\x1b"), std::string::npos) << text;
  // After 30, 60, 90, 120 and 150 seconds, and at the end.
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 6) << text;
}

TEST_F(ProgressBar, EndsItsLineWhenTheComputationEnds) {
  begin();
  tasks(0, 1500, 1s);
  tasks(1, 500, 3723s);
  (void)drawn();
  bar.on_computation_end(computation_outcome::completed, 4000s);
  EXPECT_EQ(drawn(),
            "done                 [####################] 100 %  2,000/2,000 tasks  0.50/s  "
            "1:06:40\n");
}

TEST_F(ProgressBar, LeavesNoTraceOfAComputationThatIsOverAtOnce) {
  begin();
  tasks(0, 1500, 10ms);
  tasks(1, 500, 20ms);
  bar.on_computation_end(computation_outcome::completed, 30ms);
  EXPECT_EQ(drawn(), "");
}

TEST_F(ProgressBar, ShowsWhereAFailedComputationStopped) {
  begin();
  tasks(0, 1999, 10ms);
  bar.on_computation_end(computation_outcome::failed, 1s);
  EXPECT_EQ(drawn(),
            "stopped              [################### ]  99 %  1,999/2,000 tasks  1,999/s  "
            "0:00 left\n");
}

TEST_F(ProgressBar, CountsRetriesAndShortensNames) {
  begin();
  bar.on_operation_begin(1, 0s);
  bar.on_failure({0, 3, 0, 1, "busy", true});
  bar.on_failure({0, 3, 0, 2, "busy", true});
  tasks(1, 1, 1s);
  EXPECT_THAT(drawn(), HasSubstr("1 mean of something  ["));
  tasks(1, 1, 2s);
  EXPECT_THAT(drawn(), HasSubstr("2 tried again"));
}

TEST_F(ProgressBar, CutsNamesBetweenCharacters) {
  // Twenty characters: "0 x", and seventeen of two bytes each.
  std::string name = "x";
  for (int i = 0; i < 30; ++i) name += "\u00e4";
  std::vector<workload_operation> operations(1);
  operations[0].name = name;
  operations[0].num_tasks = 2;
  bar.on_computation_begin({operations, "serial", 1});
  bar.on_operation_begin(0, 0s);
  tasks(0, 1, 1s);
  EXPECT_THAT(drawn(),
              ::testing::StartsWith("0 " + name.substr(0, 35) + " [##########          ]  50 %"));
}

TEST_F(ProgressBar, ShowsAComputationWithoutTasks) {
  const std::vector<workload_operation> none;
  bar.on_computation_begin({none, "serial", 1});
  bar.on_computation_end(computation_outcome::completed, 1s);
  EXPECT_EQ(drawn(), "");
}

TEST(ParseProgressMode, KnowsThreeModesAndRefusesOthers) {
  EXPECT_EQ(parse_progress_mode("auto"), progress_mode::automatic);
  EXPECT_EQ(parse_progress_mode("always"), progress_mode::always);
  EXPECT_EQ(parse_progress_mode("never"), progress_mode::never);
  EXPECT_THROW((void)parse_progress_mode("yes"), value_error);
}

}  // namespace
}  // namespace tessera
