// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The interface between the scheduler and what runs tasks.

#include "tessera/core/index.hpp"
#include "tessera/executor/workload.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>

namespace tessera {

/// Time since a session was started. An engine without a real clock counts its own.
using session_time = std::chrono::nanoseconds;

/// How a submitted batch came to its end.
///
/// `done` tasks, counted from the batch's first, ended well. Where `done` is less than the batch's
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

  /// Drops what has not started, and waits for what has.
  virtual ~executor_session() = default;

  /// Hands over a batch and returns at once. The engine runs its tasks in order on one worker, and
  /// batches in about the order of their submission, at most one per worker at a time.
  ///
  /// Each submission is answered by exactly one completion with its `ticket`. A failure of a task
  /// is told by the completion, never thrown.
  virtual void submit(const task_batch& batch, std::uint64_t ticket) = 0;

  /// Waits for a completion and returns it; returns nothing once it is `until`.
  ///
  /// Requires: a submission that has not been answered, or `until`.
  [[nodiscard]] virtual std::optional<task_completion> wait(std::optional<session_time> until) = 0;

  /// Drops the batches that have not started, as far as the engine can; they are answered as well.
  virtual void cancel() = 0;

  /// Returns the time since the session was started.
  [[nodiscard]] virtual session_time now() const = 0;
};

/// What runs tasks on a number of workers.
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

  /// Starts to run `work`, which outlives the session. Nothing runs before it is submitted.
  [[nodiscard]] virtual std::unique_ptr<executor_session> start(workload& work) = 0;
};

}  // namespace tessera
