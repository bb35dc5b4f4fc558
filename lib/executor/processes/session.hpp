// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A run of a workload by worker processes.

#include "tessera/scheduler/executor.hpp"
#include "tessera/scheduler/run_batch.hpp"

#include "executor/processes/worker_process.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// A run of a workload by worker processes, which belong to the session until its end.
///
/// Protocol: a worker shares a mailbox with two batch slots (worker_mailbox.hpp). The session fills
/// an empty slot and sets its phase to `queued`. Session and worker may then change the phase by
/// compare-and-swap: the worker to `running`, or the session to `empty`, to take the batch back.
/// The worker writes the results and sets `ended`; the session reads them and sets `empty`.
/// A byte through the socket (`ring`) wakes the receiver. The end of the socket reports the end of
/// a process; the slots then tell which batch it was running.
class processes_session final : public executor_session {
 public:
  /// Throws: value_error <- the workload cannot leave this process.
  processes_session(worker_pool& pool, workload& work, std::size_t num_workers);
  ~processes_session() override;

  void submit(const task_batch& batch, std::uint64_t ticket) override;
  [[nodiscard]] std::optional<task_completion> wait(std::optional<session_time> until) override;
  [[nodiscard]] std::vector<worker_start> started_workers() override;
  void cancel() override;
  [[nodiscard]] std::optional<session_time> started(std::uint64_t ticket) const override;
  bool abandon(std::uint64_t ticket) override;
  [[nodiscard]] session_time now() const override { return clock_.now(); }

 private:
  /// A worker of the session. Its process starts with its first batch.
  struct seat {
    std::unique_ptr<worker_process> process;
    /// The batches in the slots of the process's page.
    std::array<std::optional<submission>, 2> in_flight;
    /// The slot of a batch that was abandoned while it ran.
    std::optional<std::size_t> stopped;
    /// Whether the process has ended a batch.
    bool has_worked = false;
    /// The time at which the process was asked for, and whether its start was told.
    session_time asked{};
    bool is_told = false;

    [[nodiscard]] std::size_t load() const {
      return in_flight[0].has_value() + in_flight[1].has_value();
    }
  };

  void dispatch();
  [[nodiscard]] seat* seat_for(const task_batch& batch);
  void assign(const submission& queued, seat& to);
  void balance();
  [[nodiscard]] static bool take_back(seat& from, std::size_t slot);
  void poll(std::optional<session_time> until);
  void collect(seat& from);
  void lose(seat& from);
  void note_start(seat& of);
  void drop(const submission& dropped);
  [[nodiscard]] task_completion completion_of(const seat& from, std::size_t slot) const;

  worker_pool& pool_;
  const std::vector<workload_operation>& operations_;
  workload_recipe recipe_;
  session_clock clock_;
  std::vector<seat> seats_;
  std::deque<submission> queue_;
  std::deque<task_completion> completions_;
  std::vector<worker_start> starts_;
  std::uint64_t num_assigned_ = 0;
};

}  // namespace tessera
