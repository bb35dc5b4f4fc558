// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What a computation did: for each operation its tasks, attempts and times.

#include "tessera/scheduler/observer.hpp"

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace tessera {

/// What one operation did.
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
  /// When it began and ended, since the computation began; zero if it has not.
  session_time begin{};
  session_time end{};
  /// The sum of its tasks' times: `busy / (end - begin)` is how many workers it kept busy.
  session_time busy{};
  /// The most that a worker held while it ran its tasks; zero where the executor does not measure.
  bytes peak_memory{};
  /// What a task uses at most, as the plan says.
  bytes projected_memory{};
};

/// Remembers what the last computation did.
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
/// memory that a task used ("-": not measured) beside what the plan says.
std::ostream& operator<<(std::ostream& out, const history& past);

}  // namespace tessera
