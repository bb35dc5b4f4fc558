// SPDX-License-Identifier: Apache-2.0
#include "observe/live_progress.hpp"

#include "observe/blocked_signals.hpp"

#include <system_error>

namespace tessera {

/// Starts the thread, `passed` after the begin of the computation's clock.
void live_progress::start_thread(session_time passed) {
  is_over_ = false;
  const auto began = std::chrono::steady_clock::now() - passed;
  const blocked_signals in_thread;
  try {
    thread_ = std::thread([this, began] { draw_until_end(began); });
  } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch): events alone draw
  }
}

void live_progress::end_thread() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  over_.notify_all();
  thread_.join();
}

void live_progress::draw_until_end(std::chrono::steady_clock::time_point began) {
  std::unique_lock lock(mutex_);
  while (!over_.wait_until(lock, began + drawing_.due(), [this] { return is_over_; })) {
    try {
      drawing_.draw_if_due(std::chrono::steady_clock::now() - began);
    } catch (...) {  // NOLINT(bugprone-empty-catch): memory for a line is missing
    }
  }
}

void live_progress::on_computation_begin(const computation_event& event) {
  end_thread();  // an observer may have ended the computation before
  drawing_.on_computation_begin(event);
  if (!event.is_simulated) start_thread(event.now);
}

void live_progress::on_operation_begin(std::size_t operation, session_time now) {
  const std::lock_guard lock(mutex_);
  drawing_.on_operation_begin(operation, now);
}

void live_progress::on_tasks_resumed(std::size_t operation, index_t count) {
  const std::lock_guard lock(mutex_);
  drawing_.on_tasks_resumed(operation, count);
}

void live_progress::on_tasks_end(const tasks_event& event) {
  const std::lock_guard lock(mutex_);
  drawing_.on_tasks_end(event);
}

void live_progress::on_failure(const failure_event& event) {
  const std::lock_guard lock(mutex_);
  drawing_.on_failure(event);
}

void live_progress::on_idle(idle_reason reason, session_time now) {
  const std::lock_guard lock(mutex_);
  drawing_.on_idle(reason, now);
}

void live_progress::on_operation_end(std::size_t operation, session_time now) {
  const std::lock_guard lock(mutex_);
  drawing_.on_operation_end(operation, now);
}

void live_progress::on_computation_end(computation_outcome outcome, session_time now) {
  end_thread();
  drawing_.on_computation_end(outcome, now);
}

}  // namespace tessera
