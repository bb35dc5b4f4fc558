// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What every executor must do under the scheduler; `register_executor_conformance` makes the tests
/// of one executor.
///
/// The tests are GoogleTest's: who includes this links that. One line makes those of an engine:
///
///     const bool own = ts::testing::register_executor_conformance("own", make_own);
///
/// Where the engine's workers are other processes, the program's `main` makes a `ts::runtime`
/// before GoogleTest is initialised.

#include "tessera/executor/executor.hpp"
#include "tessera/testing/detail/failing_cases.hpp"
#include "tessera/testing/detail/register_case.hpp"
#include "tessera/testing/detail/running_cases.hpp"
#include "tessera/testing/detail/session_cases.hpp"

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace tessera::testing {

/// What an executor promises besides the interface; each promise has tests of its own.
struct executor_promises {
  /// As in its traits. Otherwise its workers are other processes of this host.
  bool shares_memory = true;
  /// As in its traits: its tasks use this host's memory, and are bound by it.
  bool shares_host = true;
  /// Several threads may run computations on it at the same time.
  bool serves_threads = true;
  /// A worker whose process ends is replaced, and its batch answered with a `worker_error`.
  bool replaces_workers = false;
  /// A batch that runs can be abandoned: its worker is stopped.
  bool stops_workers = false;
  /// A task that uses more memory than its operation declares ends with std::bad_alloc.
  bool limits_memory = false;
};

/// Registers the conformance tests of an executor as `Executor/<name>.<Test>`; `make` is called by
/// each of them.
///
/// Returns true, so that a registration can initialise a constant.
inline bool register_executor_conformance(const std::string& name,
                                          const std::function<std::shared_ptr<executor>()>& make,
                                          const executor_promises& promises = {}) {
  const auto add = [&](const char* test, void (*body)(executor&)) {
    register_case("Executor/" + name, test, [make, body] { body(*make()); });
  };
  register_case("Executor/" + name, "TellsWhatItShares", [make, promises] {
    EXPECT_EQ(make()->traits().shares_memory, promises.shares_memory);
    EXPECT_EQ(make()->traits().shares_host, promises.shares_host);
  });
  add("HasANameAndWorkers", has_a_name_and_workers);
  add("RunsEveryTaskOnce", runs_every_task_once);
  add("CountsEventsExactly", counts_events_exactly);
  add("StopsWhenItIsCancelled", stops_when_it_is_cancelled);
  if (promises.shares_host) add("KeepsTheHostMemory", keeps_the_host_memory);
  add("Runs100000TinyTasks", runs_100000_tiny_tasks);
  add("KeepsAllWorkersBusy", keeps_all_workers_busy);
  add("RunsPipelinesSideBySide", runs_pipelines_side_by_side);
  if (promises.serves_threads) add("ServesSeveralThreads", serves_several_threads);
  add("ReportsTheFailureOfATask", reports_the_failure_of_a_task);
  add("TriesWhatMayPassThreeTimes", tries_what_may_pass_three_times);
  add("PausesBeforeItTriesAgain", pauses_before_it_tries_again);
  add("EndsWhatRunsWhenClosed", ends_what_runs_when_closed);
  add("AnswersWhatItDropped", answers_what_it_dropped);
  add("WaitsNoLongerThanAsked", waits_no_longer_than_asked);
  if (promises.shares_memory) {
    add("RunsWhatItsOwnTasksCompute", runs_what_its_own_tasks_compute);
  } else {
    add("RefusesAWorkloadWithoutARecipe", refuses_a_workload_without_a_recipe);
  }
  if (promises.replaces_workers) {
    add("ReplacesAWorkerThatIsKilled", replaces_a_worker_that_is_killed);
    add("SaysThatWorkersWereKilled", says_that_workers_were_killed);
    add("SaysThatWorkersCrashed", says_that_workers_crashed);
    add("SaysThatWorkersExited", says_that_workers_exited);
  }
  if (promises.stops_workers) {
    add("StopsATaskThatHangs", stops_a_task_that_hangs);
    add("SaysThatATaskHung", says_that_a_task_hung);
    add("OvertakesAStraggler", overtakes_a_straggler);
    add("AbandonsWhatRuns", abandons_what_runs);
    add("AbandonsWhatWaits", abandons_what_waits);
  }
  if (promises.limits_memory) {
    add("RefusesMemoryThatIsNotDeclared", refuses_memory_that_is_not_declared);
    add("GivesTheMemoryThatIsDeclared", gives_the_memory_that_is_declared);
  }
  return true;
}

}  // namespace tessera::testing
