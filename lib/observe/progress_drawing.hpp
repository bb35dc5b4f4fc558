// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The drawings of a computation's progress, and their times.

#include "tessera/observe/progress_bar.hpp"
#include "tessera/scheduler/observer.hpp"

#include "observe/progress_lines.hpp"

#include <cstddef>
#include <iosfwd>

namespace tessera {

/// Draws the progress of a computation. The first drawing is due at `style.first`, each other one
/// `style.period` after the one before. Events draw if a drawing is due, as `draw_if_due` does.
///
/// Threads: as `observer`.
class progress_drawing : public observer {
 public:
  /// Draws on `out`, which outlives the object.
  progress_drawing(std::ostream& out, progress_style style) : out_(out), style_(style) {}
  /// Ends the line if the computation has not ended.
  ~progress_drawing() override;

  /// Returns the time of the next drawing.
  [[nodiscard]] session_time due() const { return due_; }
  void draw_if_due(session_time now);
  void draw(session_time now);

  void on_computation_begin(const computation_event& event) override;
  void on_operation_begin(std::size_t operation, session_time now) override;
  void on_tasks_resumed(std::size_t operation, index_t count) override;
  void on_tasks_end(const tasks_event& event) override;
  void on_failure(const failure_event& event) override;
  void on_idle(idle_reason reason, session_time now) override;
  void on_operation_end(std::size_t operation, session_time now) override;
  void on_computation_end(computation_outcome outcome, session_time now) override;

 private:
  void end_line();

  std::ostream& out_;
  progress_style style_;
  progress_lines lines_;
  session_time due_{};
  std::size_t num_drawn_ = 0;  ///< lines on the terminal above the cursor's
};

}  // namespace tessera
