// SPDX-License-Identifier: Apache-2.0
#include "observe/timeout_note.hpp"

#include "tessera/executor/executors.hpp"
#include "tessera/scheduler/scheduler.hpp"
#include "tessera/testing/scripted_workload.hpp"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace tessera {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// Returns the note about a run on `engine`.
std::string note_of(executor& engine, std::optional<session_time> timeout) {
  std::ostringstream out;
  run_options options;
  options.task_timeout = timeout;
  options.observers = {std::make_shared<timeout_note>(out)};
  workload_operation operation;
  operation.num_tasks = 1;
  testing::scripted_workload work({operation});
  work.set_num_workers(engine.num_workers());
  run(work, engine, options);
  return out.str();
}

TEST(TimeoutNote, TellsOfEnginesThatCannotStopATask) {
  EXPECT_THAT(note_of(*executors::serial(), 60s), HasSubstr("no effect on serial"));
  EXPECT_THAT(note_of(*executors::threads(2), 60s), HasSubstr("no effect on threads:2"));
}

TEST(TimeoutNote, IsSilentWithoutATimeout) {
  EXPECT_EQ(note_of(*executors::serial(), std::nullopt), "");
}

TEST(TimeoutNote, IsSilentOfEnginesThatStopTasks) {
  std::ostringstream out;
  const std::vector<workload_operation> operations;
  timeout_note(out).on_computation_begin({operations, "processes:2", 2, false});
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace tessera
