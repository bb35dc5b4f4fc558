// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The interface between the scheduler and the engines that run tasks.

#include "tessera/core/bytes.hpp"
#include "tessera/core/costs.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/traffic.hpp"
#include "tessera/scheduler/workload.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

class process_group;

/// Time since a session was started. An engine without a real clock counts its own.
using session_time = std::chrono::nanoseconds;

/// The outcome of a submitted batch.
///
/// `done` tasks, counted from the batch's first, ended well. If `done` is less than the batch's
/// count, task `first + done` ended with `failure`, or the batch was dropped by `cancel` if
/// `failure` is null. An engine that cannot tell how far a batch came says zero: tasks are
/// idempotent.
struct task_completion {
  std::uint64_t ticket = 0;
  index_t done = 0;
  std::exception_ptr failure;
  std::size_t worker = 0;
  session_time started{};
  session_time ended{};
  /// The most that the worker held during the batch, shared memory left out; zero: not measured.
  bytes peak_memory{};
  /// The traffic of the batch between memory and storage; nullopt if the engine does not measure
  /// it.
  std::optional<traffic> moved = std::nullopt;
};

/// A worker that has become ready for batches.
struct worker_start {
  std::size_t worker = 0;
  /// The name of the worker's host.
  std::string host;
  /// The time at which the engine asked for the worker.
  session_time asked{};
  /// The time from which the worker could run a batch.
  session_time ready{};
};

/// The properties of an engine that the scheduler must know.
struct executor_traits {
  /// Whether workers see this process's memory. If not, a workload goes to them by its recipe.
  bool shares_memory = true;
  /// Whether workers that do not can map shared memory of this process (core/shared_pages.hpp).
  bool maps_memory = false;
  /// Whether workers use the memory of this host.
  bool shares_host = true;
  /// Whether tasks are run at all; an engine that only simulates does not.
  bool computes = true;
  /// Whether a task that runs can be stopped, by `abandon`. If not, time-outs have no effect.
  bool stops_tasks = false;
  /// The batches that may be handed out at once; zero: two for each worker.
  std::size_t max_batches = 0;
  /// The cost of handing out a batch: batches are made so long that this hardly counts.
  std::chrono::nanoseconds cost_per_batch{10'000};
  /// The memory that a worker uses on this host besides its tasks.
  bytes worker_memory{};
  /// The number of processes of this host that receive the results.
  std::size_t num_receivers = 1;
  /// The costs of work on its workers, by which plans are chosen; nullopt: not known. Members that
  /// `spec.costs` sets take precedence.
  std::optional<tessera::costs> costs = std::nullopt;
};

/// A workload that is being run by an executor.
///
/// Threads: all members are called by one thread, the scheduler's. The engine calls
/// `workload::run` wherever its workers are, and nothing else of the workload.
class executor_session {
 public:
  executor_session() = default;
  executor_session(const executor_session&) = delete;
  executor_session& operator=(const executor_session&) = delete;

  /// Drops batches that have not started, and waits for running ones.
  virtual ~executor_session() = default;

  /// Hands over a batch and returns at once. The engine runs its tasks in order on one worker, and
  /// batches in about the order of their submission, at most one per worker at a time.
  ///
  /// Each submission is answered by exactly one completion with its `ticket`. A failure of a task
  /// is told by the completion, never thrown.
  virtual void submit(const task_batch& batch, std::uint64_t ticket) = 0;

  /// Waits for a completion and returns it; returns nullopt once it is `until`. It returns earlier
  /// if the engine has nothing to wait on, so that the caller sees to other things meanwhile.
  ///
  /// Requires: a submission that has not been answered, or `until`.
  [[nodiscard]] virtual std::optional<task_completion> wait(std::optional<session_time> until) = 0;

  /// Returns the workers that have become ready since the last call, each once; a worker that
  /// takes the place of a lost one counts anew. Called after each `wait`, and at the end.
  [[nodiscard]] virtual std::vector<worker_start> started_workers() { return {}; }

  /// Drops the batches that have not started, as far as the engine can; they are answered as well.
  virtual void cancel() = 0;

  /// Returns when a batch that has not been answered began to run; nullopt while it waits, or if
  /// the engine cannot tell.
  [[nodiscard]] virtual std::optional<session_time> started(std::uint64_t /*ticket*/) const {
    return std::nullopt;
  }

  /// Stops a batch that has not been answered, also while it runs, and returns true. It is answered
  /// as one that was dropped, or as it would have been if it ends just then. Returns false, and
  /// does nothing, if the engine cannot stop it.
  virtual bool abandon(std::uint64_t /*ticket*/) { return false; }

  /// Returns the time since the session was started.
  [[nodiscard]] virtual session_time now() const = 0;
};

/// An engine: it runs tasks on a number of workers.
///
/// An engine holds no policy: which task runs when, what is tried again and how much memory may be
/// in use is the scheduler's business.
///
/// Threads: all members may be called from several threads at the same time, and several sessions
/// may be open at once, also one that a task of another opens. An executor outlives its sessions.
class executor {
 public:
  executor() = default;
  executor(const executor&) = delete;
  executor& operator=(const executor&) = delete;
  virtual ~executor() = default;

  /// Returns the text from which `make_executor` makes an equal one: "threads:4".
  [[nodiscard]] virtual std::string name() const = 0;

  /// Returns how many batches can run at the same time; at least one.
  [[nodiscard]] virtual std::size_t num_workers() const = 0;

  /// Returns the properties that the scheduler must know.
  [[nodiscard]] virtual executor_traits traits() const { return {}; }

  /// Starts to run `work`, which outlives the session. Nothing runs before it is submitted.
  [[nodiscard]] virtual std::unique_ptr<executor_session> start(workload& work) = 0;

  /// Returns the processes that run the same program as this one and compute together with it; null
  /// if there is no other, as for most engines.
  [[nodiscard]] virtual tessera::process_group* group() { return nullptr; }
};

}  // namespace tessera
