// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A file with the state of a computation, for a reader in another process.

#include "tessera/scheduler/observer.hpp"

#include "observe/progress_lines.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

namespace tessera {

/// Rewrites a file at events of a computation, once a second at most: its operations, tasks,
/// failures and the time left.
///
/// A file that cannot be written is no failure of the computation.
class status_file final : public observer {
 public:
  explicit status_file(std::string path, session_time period = std::chrono::seconds{1})
      : path_(std::move(path)), period_(period) {}

  void on_computation_begin(const computation_event& event) override;
  void on_operation_begin(std::size_t operation, session_time now) override;
  void on_tasks_resumed(std::size_t operation, index_t count) override;
  void on_tasks_end(const tasks_event& event) override;
  void on_failure(const failure_event& event) override;
  void on_idle(idle_reason reason, session_time now) override;
  void on_operation_end(std::size_t operation, session_time now) override;
  void on_computation_end(computation_outcome outcome, session_time now) override;

 private:
  void write_if_due(session_time now);
  void write(session_time now);

  std::string path_;
  session_time period_;
  std::string executor_;
  std::string state_;
  progress_lines lines_;
  int num_failures_ = 0;
  std::string last_failure_;
  session_time next_write_{};
};

}  // namespace tessera
