// SPDX-License-Identifier: Apache-2.0
#include "observe/continuation_note.hpp"

#include "tessera/tessera.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace tessera {
namespace {

class ContinuationNote : public ::testing::Test {
 protected:
  ContinuationNote() {
    operations[0].num_tasks = 100;
    operations[1].num_tasks = 300;
    note.on_computation_begin({operations, "serial", 1});
  }
  void end_a_task(std::size_t operation) { note.on_tasks_end({operation, 0, 1, 0, 1, {}, {}}); }

  std::vector<workload_operation> operations{2};
  std::ostringstream out;
  continuation_note note{out};
};

TEST_F(ContinuationNote, SaysHowMuchWasThere) {
  note.on_tasks_resumed(0, 100);
  note.on_tasks_resumed(1, 20);
  EXPECT_EQ(out.str(), "");
  end_a_task(1);
  end_a_task(1);
  note.on_computation_end(computation_outcome::completed, {});
  EXPECT_EQ(out.str(), "continuing: 120 of 400 tasks were there\n");
}

TEST_F(ContinuationNote, SaysWhereNothingIsLeftToDo) {
  note.on_tasks_resumed(0, 100);
  note.on_tasks_resumed(1, 300);
  note.on_computation_end(computation_outcome::completed, {});
  EXPECT_EQ(out.str(), "nothing to do: all 400 tasks were there\n");
}

TEST_F(ContinuationNote, SaysNothingOfARunThatBegins) {
  end_a_task(0);
  note.on_computation_end(computation_outcome::completed, {});
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

}  // namespace
}  // namespace tessera
