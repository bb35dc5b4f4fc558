// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A workload that is being run by Slurm.

#include "tessera/executor/slurm.hpp"
#include "tessera/scheduler/executor.hpp"
#include "tessera/scheduler/run_batch.hpp"

#include "executor/slurm/array_folder.hpp"
#include "executor/slurm/commands.hpp"
#include "executor/slurm/job_queue.hpp"
#include "executor/slurm/run_folder.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
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
  /// An element that has not been answered.
  struct element {
    submission what;
    std::optional<session_time> started = std::nullopt;
    /// Whether Slurm has ever listed it.
    bool is_listed = false;
    /// When Slurm was first seen to have ended it, though it had not reported.
    std::optional<session_time> missing_since = std::nullopt;
    bool is_abandoned = false;
  };

  /// An array, whose folder goes with it.
  struct job_array {
    explicit job_array(std::filesystem::path path) : folder(std::move(path)) {}
    job_array(const job_array&) = delete;
    job_array& operator=(const job_array&) = delete;
    ~job_array() { folder.remove(); }

    array_folder folder;
    std::string job{};
    std::map<std::size_t, element> open{};
  };

  [[nodiscard]] bytes reserved_memory();
  void submit_waiting();
  void submit_array(const std::vector<submission>& elements);
  void collect();
  bool take_report(job_array& array, std::size_t index);
  void look_after_jobs();
  bool look_after(job_array& array, std::size_t index, const queued_element& seen);
  void lose(job_array& array, std::size_t index, const queued_element& seen);
  void answer(job_array& array, std::size_t index, task_completion completion);
  [[nodiscard]] task_completion dropped(std::uint64_t ticket) const;
  [[nodiscard]] session_time time_of(std::int64_t system_nanoseconds) const;

  workload& work_;
  const slurm_options& options_;
  session_clock clock_;
  std::chrono::system_clock::time_point began_ = std::chrono::system_clock::now();
  run_folder folder_;
  job_queue queue_;
  std::optional<bytes> reserved_;
  std::deque<submission> waiting_;
  std::deque<task_completion> answers_;
  std::map<std::size_t, job_array> arrays_;
  /// Where each ticket's element is, until it is answered: array and index.
  std::unordered_map<std::uint64_t, std::pair<std::size_t, std::size_t>> places_;
  std::size_t next_array_ = 0;
  session_time next_look_{};
  bool is_cancelled_ = false;
  /// Whether there may be jobs that nobody waits for.
  bool may_have_strays_ = false;
};

}  // namespace tessera::slurm
