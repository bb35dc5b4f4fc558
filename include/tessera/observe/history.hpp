// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The record of a computation: for each operation its tasks, attempts and times.

#include "tessera/scheduler/observer.hpp"

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace tessera {

/// The record of one operation.
struct operation_history {
  std::string name;
  index_t num_tasks = 0;
  /// Tasks that have ended well, `num_resumed` of them in an earlier run.
  index_t num_done = 0;
  index_t num_resumed = 0;
  /// Attempts that have ended, well or not; `num_failures` of them failed.
  index_t num_attempts = 0;
  index_t num_failures = 0;
  /// Batches that were started once more while they ran.
  index_t num_backups = 0;
  /// Its begin and end, since the computation began; zero if it has not begun or ended.
  session_time begin{};
  session_time end{};
  /// The sum of its tasks' times: `busy / (end - begin)` is how many workers it kept busy.
  session_time busy{};
  /// The peak memory of a worker while it ran its tasks; zero if the executor does not measure it.
  bytes peak_memory{};
  /// The planned bound of a task.
  bytes projected_memory{};
};

/// Records the last computation.
///
/// Threads: as `observer`; it is read once the computation has ended.
class history final : public observer {
 public:
  [[nodiscard]] const std::vector<operation_history>& operations() const { return operations_; }
  [[nodiscard]] const std::string& executor_name() const { return executor_name_; }
  [[nodiscard]] std::size_t num_workers() const { return num_workers_; }
  [[nodiscard]] session_time elapsed() const { return elapsed_; }
  [[nodiscard]] computation_outcome outcome() const { return outcome_; }

  void on_computation_begin(const computation_event& event) override;
  void on_operation_begin(std::size_t operation, session_time now) override;
  void on_tasks_resumed(std::size_t operation, index_t count) override;
  void on_tasks_end(const tasks_event& event) override;
  void on_backup(std::size_t operation, index_t first, session_time now) override;
  void on_failure(const failure_event& event) override;
  void on_operation_end(std::size_t operation, session_time now) override;
  void on_computation_end(computation_outcome outcome, session_time now) override;

 private:
  std::vector<operation_history> operations_;
  std::string executor_name_;
  std::size_t num_workers_ = 0;
  session_time elapsed_{};
  computation_outcome outcome_ = computation_outcome::completed;
};

/// Prints a table: one line for each operation, with its tasks, attempts, times in seconds, and the
/// measured memory of a task ("-": not measured) beside the planned bound.
std::ostream& operator<<(std::ostream& out, const history& past);

}  // namespace tessera
