// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A progress bar with a clock of its own.

#include "tessera/observe/progress_bar.hpp"
#include "tessera/scheduler/observer.hpp"

#include "observe/progress_drawing.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <iosfwd>
#include <mutex>
#include <thread>

namespace tessera {

/// Shows the progress of a computation, also while no task ends.
///
/// Events come when tasks end, and a task may take minutes. So a thread sleeps until the next
/// drawing is due, and draws it. The thread lives from the begin of a computation to its end. It
/// calls nothing but the stream. A simulated computation has no thread, as its clock is not this
/// one.
///
/// Threads: as `observer`; the stream is used in the thread of the drawings, too.
class live_progress final : public observer {
 public:
  /// Draws on `out`, which outlives the object.
  live_progress(std::ostream& out, progress_style style) : drawing_(out, style) {}
  live_progress(const live_progress&) = delete;
  live_progress& operator=(const live_progress&) = delete;
  ~live_progress() override { end_thread(); }

  void on_computation_begin(const computation_event& event) override;
  void on_operation_begin(std::size_t operation, session_time now) override;
  void on_tasks_resumed(std::size_t operation, index_t count) override;
  void on_tasks_end(const tasks_event& event) override;
  void on_failure(const failure_event& event) override;
  void on_idle(idle_reason reason, session_time now) override;
  void on_operation_end(std::size_t operation, session_time now) override;
  void on_computation_end(computation_outcome outcome, session_time now) override;

 private:
  void start_thread(session_time passed);
  void end_thread();
  void draw_until_end(std::chrono::steady_clock::time_point began);

  std::mutex mutex_;  ///< guards `drawing_` and `is_over_` while the thread runs
  progress_drawing drawing_;
  bool is_over_ = false;
  std::condition_variable over_;
  std::thread thread_;
};

}  // namespace tessera
