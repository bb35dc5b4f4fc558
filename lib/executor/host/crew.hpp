// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Threads of the host program that run the batches of one computation.

#include "tessera/scheduler/executor.hpp"
#include "tessera/scheduler/run_batch.hpp"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

namespace tessera::executors {

/// The threads that joined one computation.
///
/// The first thread to join is the leader: it schedules. Further threads run batches until the
/// leader is done. The leader waits a second for another thread; if none joins, it runs batches
/// when it would wait.
class crew {
 public:
  /// At most `num_workers` batches run at the same time. With `is_alone` the leader waits for no
  /// other thread.
  crew(std::size_t num_workers, bool is_alone);

  /// Takes this thread as a worker until the computation has ended. The first thread to join calls
  /// `schedule`.
  void join(const std::function<void()>& schedule);

  /// Throws the exception of `schedule`; value_error if no thread has joined.
  void conclude() const;

  /// Tells whether no thread has joined the leader while it led.
  [[nodiscard]] bool is_alone() const { return is_alone_; }

 private:
  friend class crew_session;

  void lead(const std::function<void()>& schedule);
  void help();
  /// Runs the oldest batch with the lock released, and returns its completion.
  task_completion run_oldest(std::unique_lock<std::mutex>& lock);
  /// Tells whether the leader must run batches itself, as no other thread has joined. The first
  /// call waits a second for another thread.
  bool leads_alone(std::unique_lock<std::mutex>& lock);
  /// Records the first batch of a worker. Workers get their first batches in the order of their
  /// numbers.
  void note_start(std::size_t worker);
  [[nodiscard]] bool may_run() const { return !queue_.empty() && !free_workers_.empty(); }

  std::mutex mutex_;
  std::condition_variable has_joined_;
  std::condition_variable has_work_;
  std::condition_variable has_completion_;
  workload* work_ = nullptr;
  session_clock clock_;
  std::deque<submission> queue_;
  std::deque<task_completion> completions_;
  std::size_t num_workers_;
  std::vector<std::size_t> free_workers_;
  std::vector<worker_start> started_;
  std::size_t num_started_ = 0;  ///< the workers that have had a batch
  std::size_t num_joined_ = 0;
  bool is_alone_;
  bool has_ended_ = false;
  std::exception_ptr failure_;
};

/// The session of the workload that a crew runs; its members are called by the leader.
class crew_session final : public executor_session {
 public:
  crew_session(crew& workers, workload& work);
  crew_session(const crew_session&) = delete;
  crew_session& operator=(const crew_session&) = delete;
  ~crew_session() override;

  void submit(const task_batch& batch, std::uint64_t ticket) override;
  std::optional<task_completion> wait(std::optional<session_time> until) override;
  std::vector<worker_start> started_workers() override;
  void cancel() override;
  session_time now() const override { return crew_.clock_.now(); }

 private:
  crew& crew_;
};

}  // namespace tessera::executors
