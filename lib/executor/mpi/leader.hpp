// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The session of the rank that hands out tasks.

#include "tessera/executor/communicator.hpp"
#include "tessera/scheduler/run_batch.hpp"

#include "executor/mpi/local_worker.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tessera::mpi {

/// Sends batches to the ranks and receives their completions.
///
/// Protocol, with the contents of the messages:
///   invitation -> answer   the recipe of the workload; one and the failure to join it, or zero and
///                          the host
///   batch      -> answer   ticket, operation, first task, count; ticket, tasks done, nanoseconds,
///                          bytes read, bytes written, requests, memory of the rank
///   cancel                 later batches are answered at once, with no task done
///   outcome                the failure of the run, or an empty text: the run has ended
///   arrival    -> outcome  of `ranks::meet`: the failure of a rank; the failure of all ranks
///
/// A rank holds a single batch that any rank may run, or two batches that are bound to it. Further
/// batches wait here: an unbound batch that waited behind a long task would be overtaken by all
/// later batches.
class leader_session final : public executor_session {
 public:
  /// Waits until all ranks have joined `work`. The first `num_workers` ranks run tasks. `may_work`:
  /// whether this rank may run tasks in a thread.
  ///
  /// Throws: value_error <- a rank's workload is not the same, or has tasks that are bound to other
  ///         ranks than those that run tasks.
  leader_session(workload& work, const communicator& comm, std::size_t num_workers, bool may_work);
  leader_session(const leader_session&) = delete;
  leader_session& operator=(const leader_session&) = delete;
  ~leader_session() override;

  void submit(const task_batch& batch, std::uint64_t ticket) override;
  std::optional<task_completion> wait(std::optional<session_time> until) override;
  std::vector<worker_start> started_workers() override;
  void cancel() override;
  std::optional<session_time> started(std::uint64_t ticket) const override;
  session_time now() const override { return clock_.now(); }

 private:
  /// The batches of a rank.
  struct rank_state {
    std::deque<std::uint64_t> sent;  ///< tickets without an answer; the rank runs the first
    std::deque<submission> bound;    ///< batches that wait, and that only this rank may run
  };

  [[nodiscard]] std::size_t idle_rank() const;
  void supply(std::size_t rank);
  void hand_over(std::size_t rank, std::deque<submission>& source);
  void note_start(std::size_t rank);
  [[nodiscard]] std::optional<task_completion> poll();
  void complete(const task_completion& completion);

  const communicator& comm_;
  session_clock clock_;
  std::size_t first_;  ///< the first rank that runs batches without a bound worker
  std::size_t end_;    ///< behind the last one
  std::vector<rank_state> ranks_;
  std::deque<submission> queue_;
  std::deque<task_completion> dropped_;
  std::vector<worker_start> starts_;
  std::unordered_map<std::uint64_t, session_time> started_;
  bool is_cancelled_ = false;
  local_worker local_;
};

}  // namespace tessera::mpi
