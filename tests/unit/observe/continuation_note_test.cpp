// SPDX-License-Identifier: Apache-2.0
#include "observe/continuation_note.hpp"

#include "tessera/tessera.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>

namespace tessera {
namespace {

class ContinuationNote : public ::testing::Test {
 protected:
  std::ostringstream out;
  continuation_note note{out};
};

TEST_F(ContinuationNote, SaysHowMuchWasThere) {
  note.on_continuation(120, 400);
  EXPECT_EQ(out.str(), "continuing: 120 of 400 tasks were there\n");
}

TEST_F(ContinuationNote, SaysWhereNothingIsLeftToDo) {
  note.on_continuation(400, 400);
  EXPECT_EQ(out.str(), "nothing to do: all 400 tasks were there\n");
}

TEST_F(ContinuationNote, SaysNothingOfARunThatBegins) {
  note.on_continuation(0, 400);
  EXPECT_EQ(out.str(), "");
}

/// Ends a computation after its fifth task.
struct stopping final : observer {
  void on_tasks_end(const tasks_event& event) override {
    done += event.count;
    if (done >= 5) throw std::runtime_error("stopped");
  }
  index_t done = 0;
};

TEST_F(ContinuationNote, TellsOfARealRunThatIsContinued) {
  const std::string folder = ::testing::TempDir() + "continuation_note_test";
  std::filesystem::remove_all(folder);
  const spec limits{.work_dir = folder + "/work"};
  const auto x = ones<double>({20}, {.chunks = {1}, .spec = limits});
  const auto run =
      plan(stored(x + 1.0, folder + "/y.zarr"), run_with{.executor = executors::serial()});
  const auto stop = std::make_shared<stopping>();
  EXPECT_THROW(run.execute({.observers = {stop}}), std::runtime_error);
  run.execute({.observers = {std::make_shared<continuation_note>(out)}});
  const std::string done = std::to_string(stop->done);
  EXPECT_EQ(out.str(), "continuing: " + done + " of 20 tasks were there\n");
  std::filesystem::remove_all(folder);
}

/// Returns the only group of `pattern` in `text` as a number.
int number_in(const std::string& text, const std::string& pattern) {
  std::smatch match;
  EXPECT_TRUE(std::regex_search(text, match, std::regex(pattern))) << text;
  return match.empty() ? -1 : std::stoi(match[1]);
}

/// A function that fails after a number of calls.
struct failing_after {
  static inline int calls_left = 0;
  double operator()(double x) const {
    if (--calls_left < 0) throw std::runtime_error("broken");
    return x;
  }
};

// An intermediate in memory is lost: its tasks are done for the first run alone.
TEST_F(ContinuationNote, AndTheErrorOfTheRunBeforeTellOfTheSameTasks) {
  const std::string folder = ::testing::TempDir() + "continuation_note_loss_test";
  std::filesystem::remove_all(folder);
  const spec limits{.work_dir = folder + "/work", .allowed_memory = bytes{2000000}};
  const auto x = random::uniform<double>({64, 64}, {.chunks = {8, 64}, .spec = limits, .seed = 1});
  const auto y = map(failing_after{}, matmul(rechunk(exp(x), {8, 8}), matrix_transpose(x)));
  const auto run =
      plan(pass_switches{.fuse_producers = false, .size_blocks = false},
           run_with{.executor = executors::serial(), .max_attempts = 1}, stored(y, folder + "/y"));
  failing_after::calls_left = 64 * 64 * 3 / 4;
  const auto stopped = std::make_shared<history>();
  std::string error;
  try {
    run.execute({.observers = {stopped}});
  } catch (const task_error& failure) {
    error = failure.what();
    EXPECT_THROW(std::rethrow_if_nested(failure), std::exception);
  }
  const std::string lost =
      "; (\\d+) of the \\d+ tasks left their outputs in memory, and run again$";
  const int num_lost = number_in(error, lost);
  const int num_done = number_in(error, "; \\d+ of the (\\d+) tasks left");
  EXPECT_GT(num_lost, 0);
  index_t num_counted = 0;
  for (const auto& operation : stopped->operations()) num_counted += operation.num_done;
  EXPECT_EQ(num_done, num_counted);

  failing_after::calls_left = 64 * 64;
  run.execute({.observers = {std::make_shared<continuation_note>(out)}});
  EXPECT_EQ(number_in(out.str(), "^continuing: (\\d+) of"), num_done - num_lost);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tessera
