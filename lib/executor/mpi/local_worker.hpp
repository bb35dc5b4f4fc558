// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The worker on the rank that leads.

#include "tessera/scheduler/run_batch.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

namespace tessera::mpi {

/// Tells whether this thread runs a task of an MPI executor.
[[nodiscard]] bool is_running_a_task();

/// Calls `run_batch`; `is_running_a_task` is true meanwhile.
[[nodiscard]] task_completion run_here(workload& work, const submission& submitted,
                                       std::size_t worker, const session_clock& clock);

/// Runs batches as worker 0, in a thread that makes no MPI call.
///
/// If MPI allows no second thread, the thread that waits for completions runs the batches.
class local_worker {
 public:
  local_worker(workload& work, const session_clock& clock, bool has_thread);
  local_worker(const local_worker&) = delete;
  local_worker& operator=(const local_worker&) = delete;
  /// Drops the batches that have not started, and waits for the running batch.
  ~local_worker();

  void submit(const submission& submitted);

  /// Completes the batches that have not started, without a task done.
  void cancel();

  /// Returns a completion, or nullopt if there is none.
  [[nodiscard]] std::optional<task_completion> take();

  /// Waits for a completion, at most for `longest`.
  void wait_for(std::chrono::microseconds longest);

 private:
  void serve();

  workload& work_;
  const session_clock& clock_;
  bool has_thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<submission> queue_;
  std::deque<task_completion> completions_;
  bool is_closing_ = false;
  std::thread thread_;
};

}  // namespace tessera::mpi
