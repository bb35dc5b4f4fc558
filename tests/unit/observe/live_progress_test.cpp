// SPDX-License-Identifier: Apache-2.0
#include "observe/live_progress.hpp"

#include "tessera/executor/executors.hpp"
#include "tessera/observe/progress_bar.hpp"
#include "tessera/scheduler/scheduler.hpp"

#include "observe/progress_drawing.hpp"
#include "unit/observe/threads_of_process.hpp"
#include "unit/scheduler/fake_workload.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <ios>
#include <latch>
#include <memory>
#include <ostream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace tessera {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using testing::fake_operation;
using testing::fake_workload;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Text that counts its lines, and knows the signals of the threads that write it.
class watched_text : public std::stringbuf {
 public:
  void wait_for_three_lines() { three_lines_.wait(); }
  /// Whether a thread besides that of the object wrote while it could receive SIGINT.
  [[nodiscard]] bool has_taken_signals() const { return has_taken_signals_; }

 protected:
  std::streamsize xsputn(const char* text, std::streamsize size) override {
    const std::streamsize written = std::stringbuf::xsputn(text, size);
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    const bool is_other_thread = std::this_thread::get_id() != owner_;
    if (is_other_thread && sigismember(&blocked, SIGINT) == 0) has_taken_signals_ = true;
    for (auto n = std::count(text, text + size, '\n'); n > 0 && num_left_ > 0; --n, --num_left_) {
      three_lines_.count_down();
    }
    return written;
  }

 private:
  std::thread::id owner_ = std::this_thread::get_id();
  std::latch three_lines_{3};
  int num_left_ = 3;
  bool has_taken_signals_ = false;
};

std::vector<workload_operation> two_tasks() {
  std::vector<workload_operation> operations{fake_operation(2)};
  operations[0].name = "wave";
  return operations;
}

run_options observed_by(const std::shared_ptr<observer>& watcher) {
  run_options options;
  options.observers = {watcher};
  return options;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

TEST(ProgressDrawing, IsDueEachPeriodWhileNoTaskEnds) {
  std::ostringstream out;
  progress_drawing log(out, progress_style::of_log());
  const std::vector<workload_operation> operations = two_tasks();
  log.on_computation_begin({operations, "serial", 1});
  log.on_operation_begin(0, 0s);
  std::vector<session_time> times;
  for (session_time now = 0s; now < 100s; now += 1s) {
    const auto size = out.str().size();
    log.draw_if_due(now);
    if (out.str().size() > size) times.push_back(now);
  }
  EXPECT_THAT(times, ElementsAre(30s, 60s, 90s));
  EXPECT_EQ(log.due(), 120s);
  EXPECT_THAT(lines_of(out.str()),
              ::testing::Each(StartsWith(
                  "0 wave               [                    ]   0 %  0/2 tasks  0.00/s")));
}

TEST(LiveProgress, GoesOnWhileATaskRuns) {
  watched_text text;
  std::ostream out(&text);
  // The first task ends once there are three lines.
  fake_workload work(two_tasks(), [&](std::size_t, index_t task, int) {
    if (task == 0) text.wait_for_three_lines();
  });
  const auto progress = std::make_shared<live_progress>(out, progress_style{false, 1ms, 1ms});
  run(work, *executors::serial(), observed_by(progress));
  const std::vector<std::string> lines = lines_of(text.str());
  ASSERT_GE(lines.size(), 4U);
  for (int i = 0; i < 3; ++i)
    EXPECT_THAT(lines[static_cast<std::size_t>(i)], HasSubstr("0/2 tasks"));
  EXPECT_THAT(lines.back(), StartsWith("done "));
  EXPECT_FALSE(text.has_taken_signals());
}

TEST(LiveProgress, EndsWithComputationsThatAnObserverEnds) {
  watched_text text;
  std::ostream out(&text);
  const std::vector<workload_operation> operations = two_tasks();
  live_progress progress(out, progress_style{false, 1ms, 1ms});
  // The first computation has no end.
  for (int i = 0; i < 2; ++i) progress.on_computation_begin({operations, "serial", 1});
  text.wait_for_three_lines();
  progress.on_computation_end(computation_outcome::failed, 1s);
  EXPECT_THAT(lines_of(text.str()).back(), StartsWith("stopped "));
  // Nor has the third, which the destructor ends.
  progress.on_computation_begin({operations, "serial", 1});
}

TEST(LiveProgress, LeavesNoTraceOfAComputationThatIsOverAtOnce) {
  std::ostringstream out;
  fake_workload work(two_tasks());
  const auto progress = std::make_shared<live_progress>(out, progress_style{false, 24h, 24h});
  run(work, *executors::serial(), observed_by(progress));
  EXPECT_EQ(out.str(), "");
}

TEST(LiveProgress, HasNoThreadForSimulatedComputations) {
  std::ostringstream out;
  const std::vector<workload_operation> operations = two_tasks();
  computation_event event{operations, "simulated:10", 10};
  live_progress progress(out, progress_style{false, 24h, 24h});
  const auto before = testing::threads_of_process();
  event.is_simulated = true;
  progress.on_computation_begin(event);
  EXPECT_EQ(testing::threads_of_process(), before);
  // The thread of another one is seen.
  event.is_simulated = false;
  progress.on_computation_begin(event);
  EXPECT_EQ(testing::threads_of_process().size(), before.size() + 1);
}

}  // namespace
}  // namespace tessera
