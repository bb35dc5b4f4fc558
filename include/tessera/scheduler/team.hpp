// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What the processes do together that run the same program side by side: the ranks of MPI.
///
/// Each makes the same executor and the same workload for itself and calls `run`. There is one
/// order of events, which `run_together` keeps:
///
///   the process that leads              each other one
///   ----------------------              --------------
///   serve: returns false                serve: goes on until the run has ended
///   executor::start: sends the          | teamwork::join: is it the same computation?
///     invitation, waits for all answers | answers
///   submit, wait: schedules             | workload::run: the tasks that it is given
///   conclude: how the run has ended     | returns, or throws what the run has thrown
///   meet                                meet: all are through with the results
///
/// The engine is the team; the workload says how it is joined (`teamwork`) and which of its tasks
/// only one of the processes can run. An engine that has its processes to itself has no team, and a
/// workload that never leaves this process, or goes to others by its recipe alone, no teamwork.

#include "tessera/core/index.hpp"
#include "tessera/scheduler/workload.hpp"

#include <cstddef>
#include <exception>
#include <functional>

namespace tessera {

class executor;

/// The processes that run the same program together, seen from one of them.
///
/// Threads: as the executor whose team it is says.
class team {
 public:
  team() = default;
  team(const team&) = delete;
  team& operator=(const team&) = delete;
  virtual ~team() = default;

  /// Where another process leads: runs tasks of `work` until that run has ended, and returns true.
  /// Returns false in the process that leads.
  ///
  /// Throws: what the run that was served threw.
  [[nodiscard]] virtual bool serve(workload& work) = 0;

  /// In the process that leads: tells all others how the run has ended; null: well. Called once for
  /// each run, also for one that failed before it started a session.
  virtual void conclude(const std::exception_ptr& failure) = 0;

  /// Waits until all have come here. Where one has come with a `failure`, throws in each of them
  /// its own or that of the first.
  virtual void meet(const std::exception_ptr& failure) = 0;
};

/// What a workload says to be run by a team, each process of which has made it for itself.
class teamwork {
 public:
  teamwork() = default;
  teamwork(const teamwork&) = delete;
  teamwork& operator=(const teamwork&) = delete;
  virtual ~teamwork() = default;

  /// Returns what the others join the run by: the recipe, or less where each knows the rest.
  ///
  /// Throws: value_error <- the workload cannot leave this process.
  [[nodiscard]] virtual workload_recipe invitation() = 0;

  /// Makes this workload run tasks of the run whose invitation is `leader`.
  ///
  /// Throws: value_error <- the two are not the same computation.
  virtual void join(const workload_recipe& leader) = 0;

  /// Tells whether `worker_of` is to be asked where each task of an operation must run.
  [[nodiscard]] virtual bool is_bound_to_workers(std::size_t /*operation*/) const { return false; }

  /// Returns the worker that must run a task, as only there its data are; else `any_worker`.
  [[nodiscard]] virtual std::size_t worker_of(std::size_t /*operation*/, index_t /*task*/) const {
    return any_worker;
  }
};

/// Returns how `work` is joined.
///
/// Throws: value_error <- it cannot be run by several processes together.
[[nodiscard]] teamwork& teamwork_of(workload& work);

/// Runs `work` as the team of `engine` does it: `schedule` is called where this process leads, and
/// where `engine` has no team.
///
/// Throws: what `schedule` throws, in every process.
void run_together(workload& work, executor& engine, const std::function<void()>& schedule);

/// `team::meet` of `engine`; one without a team throws `failure`, if any.
void meet(executor& engine, const std::exception_ptr& failure);

}  // namespace tessera
