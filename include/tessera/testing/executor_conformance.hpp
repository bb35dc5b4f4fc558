// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The duties of every executor under the scheduler; `register_executor_conformance` makes the
/// tests of one executor.
///
/// The tests are GoogleTest's: a program that includes this links it. One line makes the tests of
/// an engine:
///
///     const bool own = ts::testing::register_executor_conformance("own", make_own);
///
/// If the engine's workers are other processes, the program's `main` makes a `ts::runtime` before
/// GoogleTest is initialised.

#include "tessera/scheduler/executor.hpp"
#include "tessera/testing/detail/failing_cases.hpp"
#include "tessera/testing/detail/reading_cases.hpp"
#include "tessera/testing/detail/register_case.hpp"
#include "tessera/testing/detail/running_cases.hpp"
#include "tessera/testing/detail/session_cases.hpp"
#include "tessera/testing/detail/starting_cases.hpp"
#include "tessera/testing/detail/stopping_cases.hpp"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace tessera::testing {

/// The promises of an executor besides the interface; each promise has tests.
struct executor_promises {
  /// As in its traits. An engine that only simulates has the tests that need no task to run: the
  /// events of observers, cancellation, and its sessions.
  bool computes = true;
  /// As in its traits. Otherwise its workers are other processes of this host.
  bool shares_memory = true;
  /// As in its traits: its tasks use this host's memory, and are bound by it.
  bool shares_host = true;
  /// As in its traits: its workers map shared memory of this process.
  bool maps_memory = false;
  /// Several threads may run computations on it at the same time.
  bool serves_threads = true;
  /// A worker whose process ends is replaced, and its batch answered with a `worker_error`.
  bool replaces_workers = false;
  /// Each batch has a process of its own, as in a job array.
  bool starts_a_worker_a_batch = false;
  /// A batch that runs can be abandoned: its worker is stopped.
  bool stops_workers = false;
  /// A task that uses more memory than its operation declares ends with std::bad_alloc.
  bool limits_memory = false;
};

/// A test, and whether an executor has made the promise that it tests.
struct conformance_case {
  const char* name = "";
  void (*body)(executor&) = nullptr;
  bool is_promised = true;
};

/// Returns the tests of tasks that run.
inline std::vector<conformance_case> computing_cases(const executor_promises& promises) {
  const bool is_isolated = !promises.shares_memory;
  return {
      {"CountsAttemptsExactly", counts_attempts_exactly},
      {"StopsWhenItIsCancelled", stops_when_it_is_cancelled},
      {"GoesOnWithWhatWasCancelled", goes_on_with_what_was_cancelled},
      {"GoesOnWithWhatWasInterrupted", goes_on_with_what_was_interrupted},
      {"KeepsTheHostMemory", keeps_the_host_memory, promises.shares_host},
      {"ReportsTheFailureOfATask", reports_the_failure_of_a_task},
      {"TriesWhatMayPassThreeTimes", tries_what_may_pass_three_times},
      {"PausesBeforeItTriesAgain", pauses_before_it_tries_again},
      {"RunsWhatItsOwnTasksCompute", runs_what_its_own_tasks_compute, promises.shares_memory},
      {"RefusesAWorkloadWithoutARecipe", refuses_a_workload_without_a_recipe, is_isolated},
      {"ReplacesAWorkerThatIsKilled", replaces_a_worker_that_is_killed, promises.replaces_workers},
      {"RunsReadersAfterWhatAKilledWorkerMade", runs_readers_after_what_a_killed_worker_made,
       promises.replaces_workers},
      {"SaysThatWorkersWereKilled", says_that_workers_were_killed, promises.replaces_workers},
      {"SaysThatWorkersCrashed", says_that_workers_crashed, promises.replaces_workers},
      {"SaysThatWorkersExited", says_that_workers_exited, promises.replaces_workers},
      {"StopsATaskThatHangs", stops_a_task_that_hangs, promises.stops_workers},
      {"SaysThatATaskHung", says_that_a_task_hung, promises.stops_workers},
      {"OvertakesAStraggler", overtakes_a_straggler, promises.stops_workers},
      {"RefusesMemoryThatIsNotDeclared", refuses_memory_that_is_not_declared,
       promises.limits_memory},
      {"GivesTheMemoryThatIsDeclared", gives_the_memory_that_is_declared, promises.limits_memory},
  };
}

/// Returns all tests of an executor.
inline std::vector<conformance_case> conformance_cases(const executor_promises& promises) {
  std::vector<conformance_case> cases{
      {"HasANameAndWorkers", has_a_name_and_workers},
      {"RunsEveryTaskOnce", runs_every_task_once},
      {"CountsEventsExactly", counts_events_exactly},
      {"HandsOutNothingOnceCancelled", hands_out_nothing_once_cancelled},
      {"SaysHowMuchOfAPipelineWasDone", says_how_much_of_a_pipeline_was_done},
      {"Runs100000TinyTasks", runs_100000_tiny_tasks},
      {"KeepsAllWorkersBusy", keeps_all_workers_busy},
      {"RunsPipelinesSideBySide", runs_pipelines_side_by_side},
      {"RunsReadersAfterWhatTheyRead", runs_readers_after_what_they_read},
      {"StartsReadersBeforeTheirSourceHasEnded", starts_readers_before_their_source_has_ended},
      {"ServesSeveralThreads", serves_several_threads, promises.serves_threads},
      {"TellsTheStartOfEachWorker", tells_the_start_of_each_worker,
       !promises.starts_a_worker_a_batch},
      {"TellsTheStartOfEachBatch", tells_the_start_of_each_batch, promises.starts_a_worker_a_batch},
      {"EndsWhatRunsWhenClosed", ends_what_runs_when_closed},
      {"AnswersWhatItDropped", answers_what_it_dropped},
      {"WaitsNoLongerThanAsked", waits_no_longer_than_asked},
      {"AbandonsWhatRuns", abandons_what_runs, promises.stops_workers},
      {"AbandonsWhatWaits", abandons_what_waits, promises.stops_workers},
  };
  if (promises.computes) std::ranges::copy(computing_cases(promises), std::back_inserter(cases));
  return cases;
}

/// Registers the conformance tests of an executor as `Executor/<name>.<Test>`; `make` is called by
/// each of them.
///
/// Returns true, so that a registration can initialise a constant.
inline bool register_executor_conformance(const std::string& name,
                                          const std::function<std::shared_ptr<executor>()>& make,
                                          const executor_promises& promises = {}) {
  const std::string suite = "Executor/" + name;
  register_case(suite, "TellsItsTraits", [make, promises] {
    const executor_traits traits = make()->traits();
    EXPECT_EQ(traits.computes, promises.computes);
    EXPECT_EQ(traits.shares_memory, promises.shares_memory);
    EXPECT_EQ(traits.shares_host, promises.shares_host);
    EXPECT_EQ(traits.maps_memory, promises.maps_memory);
  });
  for (const conformance_case& test : conformance_cases(promises)) {
    if (!test.is_promised) continue;
    register_case(suite, test.name, [make, body = test.body] { body(*make()); });
  }
  return true;
}

}  // namespace tessera::testing
