// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Processes that run the same program side by side, as the ranks of MPI.
///
/// Each process makes the same executor and the same workload and calls `run`. One order of events
/// is kept, by `run_together` from `serve` to `conclude`:
///
///   the leader                          each follower
///   ----------                          -------------
///   meet                                meet: all processes accept the plan, or none does
///   serve: returns false                serve: returns when the run has ended
///   executor::start: sends the          | group_work::join: is it the same computation?
///     invitation, waits for all answers | answers
///   submit, wait: schedules             | workload::run: the tasks from the leader
///   conclude: sends the end of the run  | returns, or throws the failure of the run
///   meet                                meet: all processes have their results
///
/// The engine has the process group. The workload has the invitation, and binds tasks to processes
/// (`group_work`). An engine that starts its own processes has no group. A workload without
/// `group_work` stays in this process, or reaches others by its recipe.

#include "tessera/core/index.hpp"
#include "tessera/scheduler/workload.hpp"

#include <cstddef>
#include <exception>
#include <functional>

namespace tessera {

class executor;

/// The processes that run the same program together, seen from one of them.
///
/// Threads: as the executor of the group says.
class process_group {
 public:
  process_group() = default;
  process_group(const process_group&) = delete;
  process_group& operator=(const process_group&) = delete;
  virtual ~process_group() = default;

  /// Tells whether this process leads.
  [[nodiscard]] virtual bool is_leader() const = 0;

  /// In a follower: runs tasks of `work` until the run of the leader has ended, and returns true.
  /// Returns false in the leader.
  ///
  /// Throws: the failure of the leader's run.
  [[nodiscard]] virtual bool serve(workload& work) = 0;

  /// In the leader: sends `failure`, or null after success, to all followers. Called once for each
  /// run, also for a run that failed before it started a session.
  virtual void conclude(const std::exception_ptr& failure) = 0;

  /// Waits for all processes. If one came with a `failure`, throws in each process its own failure
  /// or else that of the first.
  virtual void meet(const std::exception_ptr& failure) = 0;
};

/// A workload as a process group runs it; each process has made an equal one.
class group_work {
 public:
  group_work() = default;
  group_work(const group_work&) = delete;
  group_work& operator=(const group_work&) = delete;
  virtual ~group_work() = default;

  /// Returns the text by which followers join: the recipe, or the part that they do not know.
  ///
  /// Throws: value_error <- the workload cannot leave this process.
  [[nodiscard]] virtual workload_recipe invitation() = 0;

  /// Joins the run whose invitation is `leader`.
  ///
  /// Throws: value_error <- the two are not the same computation.
  virtual void join(const workload_recipe& leader) = 0;

  /// Tells whether `worker_of` binds tasks of an operation.
  [[nodiscard]] virtual bool is_bound_to_workers(std::size_t /*operation*/) const { return false; }

  /// Returns the worker that has the data of a task and must run it, or `any_worker`.
  [[nodiscard]] virtual std::size_t worker_of(std::size_t /*operation*/, index_t /*task*/) const {
    return any_worker;
  }
};

/// Returns the group work of `work`.
///
/// Throws: value_error <- a process group cannot run it.
[[nodiscard]] group_work& group_work_of(workload& work);

/// Runs `work` on the process group of `engine`. Calls `schedule` in the leader, and if `engine`
/// has no process group.
///
/// Throws: the exception of `schedule`, in every process.
void run_together(workload& work, executor& engine, const std::function<void()>& schedule);

/// Calls `process_group::meet` of `engine`. Without a process group it throws `failure`, if any.
void meet(executor& engine, const std::exception_ptr& failure);

}  // namespace tessera
