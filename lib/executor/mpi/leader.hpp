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

/// Hands each rank one batch at a time, and one more of those that only it may run, which waits
/// there; the others wait here.
///
/// What any rank may run could be overtaken by all others if it waited at one whose task goes on.
class leader_session final : public executor_session {
 public:
  /// Waits until all ranks serve `work`. `may_work`: whether this rank may run tasks in a thread.
  ///
  /// Throws: value_error <- a rank's workload is not the same.
  leader_session(workload& work, const communicator& comm, bool may_work);
  leader_session(const leader_session&) = delete;
  leader_session& operator=(const leader_session&) = delete;
  ~leader_session() override;

  void submit(const task_batch& batch, std::uint64_t ticket) override;
  std::optional<task_completion> wait(std::optional<session_time> until) override;
  void cancel() override;
  std::optional<session_time> started(std::uint64_t ticket) const override;
  session_time now() const override { return clock_.now(); }

 private:
  /// A rank, seen from here.
  struct place {
    std::deque<std::uint64_t> given;  ///< what it has and has not answered: it runs the first
    std::deque<submission> own;       ///< what only it may run
  };

  [[nodiscard]] std::size_t idle_rank() const;
  void supply(std::size_t rank);
  void hand_over(std::size_t rank, std::deque<submission>& source);
  void note_start(std::size_t rank);
  [[nodiscard]] std::optional<task_completion> poll();
  void complete(const task_completion& completion);

  const communicator& comm_;
  session_clock clock_;
  std::size_t first_;  ///< the first rank that runs what any may run
  std::vector<place> places_;
  std::deque<submission> queue_;
  std::deque<task_completion> dropped_;
  std::unordered_map<std::uint64_t, session_time> started_;
  bool is_cancelled_ = false;
  local_worker local_;
};

}  // namespace tessera::mpi
