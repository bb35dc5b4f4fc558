// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A line on the terminal that tells how far a computation is.

#include "tessera/scheduler/observer.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace tessera {

/// Whether computations show a progress bar: `automatic` does where standard error is a terminal.
enum class progress_mode { automatic, always, never };

/// Returns the mode that `text` names: "auto", "always" or "never".
///
/// Throws: value_error <- it names none.
[[nodiscard]] progress_mode parse_progress_mode(const std::string& text);

/// Shows a computation as one line that is drawn over and over, at most ten times a second:
///
///     mean                 [########            ]  40 %  400/1,000 tasks  52/s  0:12 left
///
/// Tasks that an earlier run has finished are done from the beginning, and not part of the rate.
///
/// Threads: as `observer`.
class progress_bar final : public observer {
 public:
  /// Draws on `out`, which outlives the object.
  explicit progress_bar(std::ostream& out);
  /// Ends the line if the computation has not ended.
  ~progress_bar() override;

  void on_computation_begin(const computation_event& event) override;
  void on_operation_begin(std::size_t operation, session_time now) override;
  void on_tasks_resumed(std::size_t operation, index_t count) override;
  void on_tasks_end(const tasks_event& event) override;
  void on_failure(const failure_event& event) override;
  void on_operation_end(std::size_t operation, session_time now) override;
  void on_computation_end(computation_outcome outcome, session_time now) override;

 private:
  void draw_if_due(session_time now);
  void draw(session_time now);
  [[nodiscard]] std::string current_operation() const;

  std::ostream& out_;
  const std::vector<workload_operation>* operations_ = nullptr;
  std::vector<bool> is_running_;
  index_t num_tasks_ = 0;
  index_t num_done_ = 0;
  index_t num_resumed_ = 0;
  int num_retries_ = 0;
  session_time next_draw_{};
};

}  // namespace tessera
