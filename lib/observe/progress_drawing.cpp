// SPDX-License-Identifier: Apache-2.0
#include "observe/progress_drawing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

namespace {

// Erase from the cursor to the end of the screen, and switch the terminal's line wrap off (DECAWM).
constexpr std::string_view begin_lines = "\r\x1b[J\x1b[?7l";
constexpr std::string_view end_lines = "\x1b[?7h";

}  // namespace

progress_drawing::~progress_drawing() {
  if (lines_.is_active()) end_line();
}

void progress_drawing::draw_if_due(session_time now) {
  if (now < due_) return;
  due_ = now + style_.period;
  draw(now);
}

/// Each drawing is one write, which messages of other threads do not split.
void progress_drawing::draw(session_time now) {
  const std::vector<std::string> drawn = lines_.of_running(now);
  if (!style_.is_terminal) {
    out_ << fmt::format("{}\n", drawn.back()) << std::flush;
    return;
  }
  const std::string up = num_drawn_ > 0 ? fmt::format("\x1b[{}A", num_drawn_) : std::string();
  out_ << fmt::format("{}{}{}{}", up, begin_lines, fmt::join(drawn, "\n"), end_lines) << std::flush;
  num_drawn_ = drawn.size() - 1;
}

void progress_drawing::end_line() {
  if (style_.is_terminal) out_ << std::endl;
}

void progress_drawing::on_computation_begin(const computation_event& event) {
  lines_.begin(event);
  num_drawn_ = 0;
  due_ = style_.first;
}

void progress_drawing::on_operation_begin(std::size_t operation, session_time now) {
  lines_.begin_operation(operation);
  draw_if_due(now);
}

void progress_drawing::on_tasks_resumed(std::size_t operation, index_t count) {
  lines_.resume(operation, count);
}

void progress_drawing::on_tasks_end(const tasks_event& event) {
  lines_.end_tasks(event);
  draw_if_due(event.ended);
}

void progress_drawing::on_failure(const failure_event& event) { lines_.fail(event); }

void progress_drawing::on_idle(idle_reason, session_time now) { draw_if_due(now); }

void progress_drawing::on_operation_end(std::size_t operation, session_time now) {
  lines_.end_operation(operation);
  draw_if_due(now);
}

void progress_drawing::on_computation_end(computation_outcome outcome, session_time now) {
  const bool was_drawn = due_ > style_.first;
  lines_.end();
  // A computation that ends before the first drawing prints nothing.
  if (!was_drawn && outcome == computation_outcome::completed) return;
  draw(now);
  end_line();
}

}  // namespace tessera
