// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The worker of the rank that hands out tasks.

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

/// `run_batch`, with `is_running_a_task` meanwhile.
[[nodiscard]] task_completion run_here(workload& work, const submission& what, std::size_t worker,
                                       const session_clock& clock);

/// Runs batches as worker 0, in a thread that makes no MPI call.
///
/// Where MPI allows no other thread, the one that waits for completions runs them.
class local_worker {
 public:
  local_worker(workload& work, const session_clock& clock, bool has_thread);
  local_worker(const local_worker&) = delete;
  local_worker& operator=(const local_worker&) = delete;
  /// Drops what has not started, and waits for what has.
  ~local_worker();

  void submit(const submission& what);

  /// Answers the batches that have not started as dropped.
  void cancel();

  /// Returns a completion if there is one.
  [[nodiscard]] std::optional<task_completion> take();

  /// Returns once there is a completion, but after `longest` at the latest.
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
