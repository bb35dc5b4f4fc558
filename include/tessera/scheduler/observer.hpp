// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The events of a running workload, for observers: progress bars, histories.

#include "tessera/core/bytes.hpp"
#include "tessera/core/costs.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/traffic.hpp"
#include "tessera/scheduler/executor.hpp"
#include "tessera/scheduler/workload.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// The begin of a computation. Its references live until the computation's end.
struct computation_event {
  const std::vector<workload_operation>& operations;
  std::string executor;
  std::size_t num_workers = 0;
  /// Whether tasks have a time-out that has no effect, as the executor cannot stop a task.
  bool has_idle_timeout = false;
  /// Whether times are simulated.
  bool is_simulated = false;
  /// The costs of work on the executor, as measured; else the defaults.
  costs figures = {};
  /// The memory that a worker may use (spec.allowed_memory); zero: not known.
  bytes allowed_memory{};
  /// The time of this event.
  session_time now{};
};

/// `count` neighbouring tasks of one operation that succeeded, one after the other on one worker.
struct tasks_event {
  std::size_t operation = 0;
  index_t first = 0;
  index_t count = 0;
  std::size_t worker = 0;
  /// The number of this attempt of the task, from one. It exceeds one only if `count` is one.
  int attempt = 1;
  session_time started{};
  session_time ended{};
  /// The peak memory of the worker during the tasks; zero if the executor does not measure it.
  bytes peak_memory{};
  /// The traffic of these tasks between memory and storage. Nullopt if the executor does not
  /// measure it, or if failed tasks have moved some of it.
  std::optional<traffic> moved = std::nullopt;
};

/// An attempt of a task that failed.
struct failure_event {
  std::size_t operation = 0;
  index_t task = 0;
  std::size_t worker = 0;
  int attempt = 1;
  std::string cause;
  /// Whether the task is tried again; the computation ends with a `task_error` otherwise.
  bool is_retried = false;
  /// The begin and end of the attempt, as far as they are known.
  session_time started{};
  session_time ended{};
};

/// The reason for which workers have no task.
enum class idle_reason : std::uint8_t {
  none,    ///< all workers have tasks
  inputs,  ///< the remaining tasks read outputs of running tasks
  memory,  ///< no further task fits into the memory of the host
  pause,   ///< failed tasks wait for their next attempt
};

/// The outcome of a computation.
enum class computation_outcome { completed, failed, interrupted };

/// Watches a computation.
///
/// Threads: all members are called by the scheduler's thread, one after the other, so workers wait
/// for a slow observer. An observer of computations in several threads does its own locking.
/// An exception that an observer throws ends the computation.
class observer {
 public:
  observer() = default;
  observer(const observer&) = delete;
  observer& operator=(const observer&) = delete;
  virtual ~observer() = default;

  virtual void on_computation_begin(const computation_event&) {}
  /// Called for a worker that has become ready, before its first tasks end.
  virtual void on_worker_start(const worker_start&) {}
  /// Called after the operation's outputs were prepared.
  virtual void on_operation_begin(std::size_t /*operation*/, session_time) {}
  /// Called after the operation's begin if an earlier run has finished `count` of its tasks.
  virtual void on_tasks_resumed(std::size_t /*operation*/, index_t /*count*/) {}
  virtual void on_tasks_end(const tasks_event&) {}
  /// Called when a backup of a straggler starts.
  virtual void on_backup(std::size_t /*operation*/, index_t /*first*/, session_time) {}
  virtual void on_failure(const failure_event&) {}
  /// Called for an attempt that does not count: its copy ended first, or the run stops.
  virtual void on_attempt_dropped(const tasks_event&) {}
  /// Called when the reason changes for which workers have no task.
  virtual void on_idle(idle_reason, session_time) {}
  virtual void on_operation_end(std::size_t /*operation*/, session_time) {}
  /// Called also when the computation fails; not if an observer ended it.
  virtual void on_computation_end(computation_outcome, session_time) {}
};

}  // namespace tessera
