// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A workload that is being run by Slurm.

#include "tessera/executor/executor.hpp"
#include "tessera/executor/slurm.hpp"

#include "executor/run_batch.hpp"
#include "executor/slurm/array_folder.hpp"
#include "executor/slurm/commands.hpp"
#include "executor/slurm/job_queue.hpp"
#include "executor/slurm/run_folder.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tessera::slurm {

/// A workload that is being run by Slurm.
///
/// What is submitted is gathered until the scheduler waits; then the batches of one operation
/// become one array. An element is answered by its report, or once Slurm says that it has ended and
/// its report has had the time to become visible.
class session final : public executor_session {
 public:
  session(workload& work, const slurm_options& options);
  ~session() override;

  void submit(const task_batch& batch, std::uint64_t ticket) override;
  [[nodiscard]] std::optional<task_completion> wait(std::optional<session_time> until) override;
  void cancel() override;
  [[nodiscard]] std::optional<session_time> started(std::uint64_t ticket) const override;
  bool abandon(std::uint64_t ticket) override;
  [[nodiscard]] session_time now() const override { return clock_.now(); }

 private:
  struct element {
    submission what;
    std::optional<session_time> started = std::nullopt;
    /// When Slurm was first seen to have ended it, though it had not reported.
    std::optional<session_time> missing_since = std::nullopt;
    bool is_abandoned = false;
    bool is_answered = false;
  };

  struct job_array {
    array_folder folder;
    std::vector<element> elements{};
    std::size_t num_open = 0;
    /// Empty until it is submitted.
    std::string job{};
  };
  using array_table = std::map<std::size_t, job_array>;

  [[nodiscard]] bytes reserved_memory();
  void make_arrays();
  void submit_arrays();
  void collect();
  void take_report(job_array& array, std::size_t index);
  void look_after_jobs();
  void look_after(job_array& array, std::size_t index, const queued_element* known);
  void lose(job_array& array, std::size_t index, const queued_element& last_seen);
  void answer(element& one, task_completion completion);
  [[nodiscard]] task_completion dropped(std::uint64_t ticket) const;
  void drop(element& one);
  void forget_finished();
  [[nodiscard]] session_time time_of(std::chrono::system_clock::time_point time) const;

  workload& work_;
  const slurm_options& options_;
  session_clock clock_;
  std::chrono::system_clock::time_point began_ = std::chrono::system_clock::now();
  run_folder folder_;
  job_queue queue_;
  std::optional<bytes> reserved_;
  std::deque<submission> waiting_;
  std::deque<task_completion> answers_;
  array_table arrays_;
  std::unordered_map<std::uint64_t, std::pair<std::size_t, std::size_t>> places_;
  std::size_t next_array_ = 0;
  session_time next_look_{};
  bool is_cancelled_ = false;
  bool has_cancelled_jobs_ = false;
  /// Whether there may be jobs that nobody waits for.
  bool may_have_strays_ = false;
};

}  // namespace tessera::slurm
