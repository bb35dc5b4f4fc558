// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A workload that is run by worker processes.

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

/// A workload that is run by worker processes, which are this session's until its end.
class processes_session final : public executor_session {
 public:
  /// Throws: value_error <- the workload cannot leave this process.
  processes_session(worker_pool& pool, workload& work, std::size_t num_workers);
  ~processes_session() override;

  void submit(const task_batch& batch, std::uint64_t ticket) override;
  [[nodiscard]] std::optional<task_completion> wait(std::optional<session_time> until) override;
  void cancel() override;
  [[nodiscard]] std::optional<session_time> started(std::uint64_t ticket) const override;
  bool abandon(std::uint64_t ticket) override;
  [[nodiscard]] session_time now() const override { return clock_.now(); }

 private:
  /// A worker's place, with a process in it from its first batch on.
  struct seat {
    std::unique_ptr<worker_process> process;
    /// What is in the slots of the process's page.
    std::array<std::optional<submission>, 2> flights;
    /// The slot whose batch was abandoned while it ran.
    std::optional<std::size_t> stopped;
    /// Whether the process has ever answered.
    bool has_worked = false;

    [[nodiscard]] std::size_t load() const {
      return flights[0].has_value() + flights[1].has_value();
    }
  };

  void dispatch();
  [[nodiscard]] seat* seat_for(const task_batch& batch);
  void place(const submission& what, seat& where);
  void balance();
  [[nodiscard]] static bool take_back(seat& from, std::size_t slot);
  void look(std::optional<session_time> until);
  void collect(seat& from);
  void lose(seat& from);
  void drop(const submission& what);
  [[nodiscard]] task_completion completion_of(const seat& from, std::size_t slot) const;

  worker_pool& pool_;
  const std::vector<workload_operation>& operations_;
  workload_recipe recipe_;
  session_clock clock_;
  std::vector<seat> seats_;
  std::deque<submission> queue_;
  std::deque<task_completion> completions_;
  std::uint64_t num_placed_ = 0;
};

}  // namespace tessera
