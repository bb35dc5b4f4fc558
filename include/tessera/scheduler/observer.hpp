// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What happens while a workload runs, for those who watch: progress bars, histories.

#include "tessera/core/bytes.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/traffic.hpp"
#include "tessera/scheduler/executor.hpp"
#include "tessera/scheduler/workload.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// The begin of a computation. What it refers to lives until the computation's end.
struct computation_event {
  const std::vector<workload_operation>& operations;
  std::string executor;
  std::size_t num_workers = 0;
};

/// `count` neighbouring tasks of one operation that ended well, one after the other on one worker.
struct tasks_event {
  std::size_t operation = 0;
  index_t first = 0;
  index_t count = 0;
  std::size_t worker = 0;
  /// Which try of the task this was, from one; more than one only where `count` is one.
  int attempt = 1;
  session_time started{};
  session_time ended{};
  /// The most that the worker held meanwhile; zero where the executor does not measure it.
  bytes peak_memory{};
  /// What these tasks have moved between memory and storage; nothing where the executor does not
  /// measure it, or others that failed have moved some of it.
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
};

/// How a computation came to its end.
enum class computation_outcome { completed, failed, interrupted };

/// Watches a computation.
///
/// Threads: all members are called by the scheduler's thread, one after the other, so workers wait
/// for an observer that takes long. One that watches computations of several threads guards itself.
/// An exception that an observer throws ends the computation.
class observer {
 public:
  observer() = default;
  observer(const observer&) = delete;
  observer& operator=(const observer&) = delete;
  virtual ~observer() = default;

  virtual void on_computation_begin(const computation_event&) {}
  /// Called after the operation's outputs were prepared.
  virtual void on_operation_begin(std::size_t /*operation*/, session_time) {}
  /// Called after the operation's begin where an earlier run has finished `count` of its tasks.
  virtual void on_tasks_resumed(std::size_t /*operation*/, index_t /*count*/) {}
  virtual void on_tasks_end(const tasks_event&) {}
  /// Called when a straggler is started once more.
  virtual void on_backup(std::size_t /*operation*/, index_t /*first*/, session_time) {}
  virtual void on_failure(const failure_event&) {}
  virtual void on_operation_end(std::size_t /*operation*/, session_time) {}
  /// Called also when the computation fails; not if an observer ended it.
  virtual void on_computation_end(computation_outcome, session_time) {}
};

}  // namespace tessera
