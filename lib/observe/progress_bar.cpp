// SPDX-License-Identifier: Apache-2.0
#include "tessera/observe/progress_bar.hpp"

#include "tessera/core/error.hpp"

#include "observe/progress_drawing.hpp"

#include <memory>
#include <string>

namespace tessera {

progress_mode parse_progress_mode(const std::string& text) {
  if (text == "auto") return progress_mode::automatic;
  if (text == "always") return progress_mode::always;
  if (text == "never") return progress_mode::never;
  throw value_error("progress mode \"" + text +
                    "\" does not exist; choose \"auto\" (on a terminal), \"always\" or \"never\"");
}

struct progress_bar::state : progress_drawing {
  using progress_drawing::progress_drawing;
};

progress_bar::progress_bar(std::ostream& out, progress_style style)
    : state_(std::make_unique<state>(out, style)) {}

progress_bar::~progress_bar() = default;

void progress_bar::draw(session_time now) { state_->draw(now); }

void progress_bar::on_computation_begin(const computation_event& event) {
  state_->on_computation_begin(event);
}

void progress_bar::on_operation_begin(std::size_t operation, session_time now) {
  state_->on_operation_begin(operation, now);
}

void progress_bar::on_tasks_resumed(std::size_t operation, index_t count) {
  state_->on_tasks_resumed(operation, count);
}

void progress_bar::on_tasks_end(const tasks_event& event) { state_->on_tasks_end(event); }

void progress_bar::on_failure(const failure_event& event) { state_->on_failure(event); }

void progress_bar::on_idle(idle_reason reason, session_time now) { state_->on_idle(reason, now); }

void progress_bar::on_operation_end(std::size_t operation, session_time now) {
  state_->on_operation_end(operation, now);
}

void progress_bar::on_computation_end(computation_outcome outcome, session_time now) {
  state_->on_computation_end(outcome, now);
}

}  // namespace tessera
