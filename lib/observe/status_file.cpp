// SPDX-License-Identifier: Apache-2.0
#include "observe/status_file.hpp"

#include "tessera/core/error.hpp"

#include "observe/api/default_status.hpp"
#include "observe/api/text_file.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mutex>

namespace tessera {

namespace {

std::mutex default_status_mutex;
std::optional<std::string> default_status_path;

/// Returns the past participle or the adjective for an outcome.
std::string word_of(computation_outcome outcome) {
  if (outcome == computation_outcome::completed) return "complete";
  return outcome == computation_outcome::failed ? "failed" : "stopped";
}

}  // namespace

std::optional<std::string> exchange_default_status(std::optional<std::string> path) {
  const std::lock_guard lock(default_status_mutex);
  return std::exchange(default_status_path, std::move(path));
}

std::shared_ptr<observer> default_status() {
  const std::lock_guard lock(default_status_mutex);
  return default_status_path ? std::make_shared<status_file>(*default_status_path) : nullptr;
}

void status_file::on_computation_begin(const computation_event& event) {
  executor_ = event.executor;
  state_ = "running";
  lines_.begin(event);
  num_failures_ = 0;
  last_failure_.clear();
  write(event.now);
}

void status_file::on_operation_begin(std::size_t operation, session_time now) {
  lines_.begin_operation(operation);
  write_if_due(now);
}

void status_file::on_tasks_resumed(std::size_t operation, index_t count) {
  lines_.resume(operation, count);
}

void status_file::on_tasks_end(const tasks_event& event) {
  lines_.end_tasks(event);
  write_if_due(event.ended);
}

void status_file::on_failure(const failure_event& event) {
  lines_.fail(event);
  ++num_failures_;
  last_failure_ =
      fmt::format("task {} of {}: {}", event.task, lines_.name(event.operation), event.cause);
  write(event.ended);
}

void status_file::on_idle(idle_reason, session_time now) { write_if_due(now); }

void status_file::on_operation_end(std::size_t operation, session_time now) {
  lines_.end_operation(operation);
  write_if_due(now);
}

void status_file::on_computation_end(computation_outcome outcome, session_time now) {
  lines_.end();
  state_ = word_of(outcome);
  write(now);
}

void status_file::write_if_due(session_time now) {
  if (now >= next_write_) write(now);
}

void status_file::write(session_time now) {
  next_write_ = now + period_;
  std::string text =
      fmt::format("{} on {}\n{}\n", state_, executor_, fmt::join(lines_.of_operations(now), "\n"));
  if (num_failures_ > 0) {
    text += fmt::format("{} attempts failed; the last one: {}\n", num_failures_, last_failure_);
  }
  try {
    write_text_file(path_, text);
  } catch (const store_error&) {
    // The next event writes it again.
  }
}

}  // namespace tessera
