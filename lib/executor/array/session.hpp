// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A run of a workload by job arrays.

#include "tessera/scheduler/executor.hpp"
#include "tessera/scheduler/run_batch.hpp"

#include "executor/array/array_folder.hpp"
#include "executor/array/array_system.hpp"
#include "executor/array/look_timer.hpp"
#include "executor/array/run_folder.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tessera::job_arrays {

/// A run of a workload by job arrays.
///
/// Submissions are gathered until the scheduler waits. The batches of an operation then become a
/// job array. Its elements and this driver communicate by messages (array_folder.hpp).
///
/// An element is complete with its report. It is lost if the system no longer lists it as alive,
/// and its report does not become visible in the folder within the time `visible`.
class session final : public executor_session {
 public:
  /// `options` must outlive the session.
  session(workload& work, const array_options& options);
  ~session() override;

  void submit(const task_batch& batch, std::uint64_t ticket) override;
  [[nodiscard]] std::optional<task_completion> wait(std::optional<session_time> until) override;
  [[nodiscard]] std::vector<worker_start> started_workers() override {
    return std::exchange(starts_, {});
  }
  void cancel() override;
  [[nodiscard]] std::optional<session_time> started(std::uint64_t ticket) const override;
  bool abandon(std::uint64_t ticket) override;
  [[nodiscard]] session_time now() const override { return clock_.now(); }

 private:
  /// An element without a completion.
  struct element {
    submission submitted;
    /// The time at which the system was asked for the element.
    session_time asked{};
    std::optional<session_time> started = std::nullopt;
    /// Whether the system has listed the element at least once.
    bool is_listed = false;
    /// The time of the first query that listed the element as ended, without a report.
    std::optional<session_time> missing_since = std::nullopt;
    bool is_abandoned = false;
  };

  /// An array, which owns its folder.
  struct job_array {
    explicit job_array(array_folder messages) : folder(std::move(messages)) {}
    job_array(const job_array&) = delete;
    job_array& operator=(const job_array&) = delete;
    ~job_array() {
      folder.remove();
      std::error_code ignored;
      if (!scratch.empty()) std::filesystem::remove_all(scratch, ignored);
    }

    array_folder folder;
    /// The directory of this host for the files of the system, if `folder` is in a store.
    std::filesystem::path scratch{};
    std::string job{};
    std::map<std::size_t, element> open{};
  };

  [[nodiscard]] const worker_memory& reserved_memory();
  void submit_waiting();
  void submit_array(const std::vector<submission>& elements);
  void collect();
  bool take_report(job_array& array, std::size_t index);
  void query_jobs();
  void cancel_jobs();
  bool check_element(job_array& array, std::size_t index, const queued_element& listed);
  [[nodiscard]] std::string last_output(const job_array& array, std::size_t index) const;
  void lose(job_array& array, std::size_t index, queued_element listed);
  void answer(job_array& array, std::size_t index, task_completion completion);
  [[nodiscard]] std::exception_ptr failure_of(const queued_element& listed,
                                              const std::string& message) const;
  [[nodiscard]] task_completion dropped(std::uint64_t ticket) const;
  [[nodiscard]] session_time time_of(std::int64_t system_nanoseconds) const;

  workload& work_;
  const array_options& options_;
  session_clock clock_;
  std::chrono::system_clock::time_point began_ = std::chrono::system_clock::now();
  run_folder folder_;
  std::unique_ptr<array_system> system_;
  std::optional<worker_memory> reserved_;
  std::deque<submission> waiting_;
  std::deque<task_completion> answers_;
  std::vector<worker_start> starts_;
  std::map<std::size_t, job_array> arrays_;
  /// The array and the index of the open element of each ticket.
  std::unordered_map<std::uint64_t, std::pair<std::size_t, std::size_t>> locations_;
  look_timer list_timer_;
  std::size_t next_array_ = 0;
  session_time next_query_{};
  bool is_cancelled_ = false;
  /// The end of the time of running tasks after an interrupt.
  std::optional<session_time> end_of_grace_{};
  /// Whether the system may run jobs that are not in `arrays_`.
  bool may_have_strays_ = false;
};

}  // namespace tessera::job_arrays
