// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The progress of a computation in lines of text.

#include "tessera/core/bytes.hpp"
#include "tessera/scheduler/observer.hpp"

#include "observe/time_left.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// The counts of a computation, and their lines:
///
///     3 mean(u), partial   [########            ]  40 %  400/1,000 tasks
///     all 3 operations     [###                 ]  15 %  460/3,040 tasks  52/s  210 MB/s  0:12
///     left
class progress_lines {
 public:
  void begin(const computation_event& event);
  void begin_operation(std::size_t operation) { operations_[operation].is_running = true; }
  void end_operation(std::size_t operation) { operations_[operation].is_running = false; }
  void resume(std::size_t operation, index_t count);
  void end_tasks(const tasks_event& event);
  void fail(const failure_event& event) { num_retries_ += event.is_retried ? 1 : 0; }
  void end();

  [[nodiscard]] bool is_active() const { return is_active_; }
  [[nodiscard]] const std::string& name(std::size_t operation) const {
    return operations_[operation].name;
  }

  /// Returns the lines of operations that run side by side, five at most, and the line of the
  /// computation.
  [[nodiscard]] std::vector<std::string> of_running(session_time now) const;
  /// Returns the lines of all operations, and the line of the computation.
  [[nodiscard]] std::vector<std::string> of_operations(session_time now) const;

 private:
  struct operation_progress {
    std::string name;
    index_t num_tasks = 0;
    index_t num_done = 0;
    bool is_running = false;
  };

  [[nodiscard]] std::string title() const;
  [[nodiscard]] std::string total(std::string_view title, session_time now) const;
  [[nodiscard]] std::string rates(session_time now) const;

  bool is_active_ = false;
  std::vector<operation_progress> operations_;
  time_left remaining_;
  index_t num_tasks_ = 0;
  index_t num_done_ = 0;
  index_t num_resumed_ = 0;
  int num_retries_ = 0;
  bytes moved_{};
};

}  // namespace tessera
