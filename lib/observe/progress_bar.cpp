// SPDX-License-Identifier: Apache-2.0
#include "tessera/observe/progress_bar.hpp"

#include "tessera/core/error.hpp"
#include "tessera/observe/default_observers.hpp"

#include "observe/api/default_progress.hpp"
#include "observe/continuation_note.hpp"
#include "observe/progress_lines.hpp"
#include "observe/timeout_note.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tessera {

namespace {

using namespace std::chrono_literals;

// Erase from the cursor to the end of the screen, and switch the terminal's line wrap off (DECAWM).
constexpr std::string_view begin_lines = "\r\x1b[J\x1b[?7l";
constexpr std::string_view end_lines = "\x1b[?7h";

std::mutex default_bar_mutex;
std::optional<progress_mode> default_mode;

progress_mode mode_now() {
  const std::lock_guard lock(default_bar_mutex);
  if (default_mode) return *default_mode;
  const char* variable = std::getenv("TESSERA_PROGRESS");
  if (variable == nullptr || *variable == '\0') return progress_mode::automatic;
  return parse_progress_mode(variable);
}

progress_style style_for(progress_mode mode, bool is_terminal) {
  progress_style style = is_terminal ? progress_style::of_terminal() : progress_style::of_log();
  if (mode == progress_mode::always) {
    style.first = is_terminal ? 0s : 1s;
    style.period = std::min<session_time>(style.period, 1s);
  }
  return style;
}

}  // namespace

progress_mode parse_progress_mode(const std::string& text) {
  if (text == "auto") return progress_mode::automatic;
  if (text == "always") return progress_mode::always;
  if (text == "never") return progress_mode::never;
  throw value_error("progress mode \"" + text +
                    "\" does not exist; choose \"auto\" (on a terminal), \"always\" or \"never\"");
}

std::optional<progress_mode> exchange_default_progress(std::optional<progress_mode> mode) {
  const std::lock_guard lock(default_bar_mutex);
  return std::exchange(default_mode, mode);
}

std::vector<std::shared_ptr<observer>> default_observers() {
  const progress_mode mode = mode_now();
  if (mode == progress_mode::never) return {};
  std::vector<std::shared_ptr<observer>> observers{std::make_shared<timeout_note>(std::cerr),
                                                   std::make_shared<continuation_note>(std::cerr)};
  observers.push_back(
      std::make_shared<progress_bar>(std::cerr, style_for(mode, isatty(STDERR_FILENO) == 1)));
  return observers;
}

/// The lines of a computation, and their place on the terminal.
struct progress_bar::state {
  state(std::ostream& stream, progress_style chosen) : out(stream), style(chosen) {}

  std::ostream& out;
  progress_style style;
  progress_lines lines;
  session_time next_draw{};
  std::size_t num_drawn = 0;  ///< lines on the terminal above the cursor's

  void begin(const computation_event& event);
  void draw_if_due(session_time now);
  void draw(session_time now);
  void end_line();
};

void progress_bar::state::begin(const computation_event& event) {
  lines.begin(event);
  num_drawn = 0;
  next_draw = style.first;
}

void progress_bar::state::draw_if_due(session_time now) {
  if (now < next_draw) return;
  next_draw = now + style.period;
  draw(now);
}

void progress_bar::state::draw(session_time now) {
  const std::vector<std::string> drawn = lines.of_running(now);
  if (!style.is_terminal) {
    out << drawn.back() << std::endl;
    return;
  }
  if (num_drawn > 0) out << fmt::format("\x1b[{}A", num_drawn);
  out << begin_lines << fmt::format("{}", fmt::join(drawn, "\n")) << end_lines << std::flush;
  num_drawn = drawn.size() - 1;
}

void progress_bar::state::end_line() {
  if (style.is_terminal) out << std::endl;
}

progress_bar::progress_bar(std::ostream& out, progress_style style)
    : state_(std::make_unique<state>(out, style)) {}

progress_bar::~progress_bar() {
  if (state_->lines.is_active()) state_->end_line();
}

void progress_bar::draw(session_time now) { state_->draw(now); }

void progress_bar::on_computation_begin(const computation_event& event) { state_->begin(event); }

void progress_bar::on_operation_begin(std::size_t operation, session_time now) {
  state_->lines.begin_operation(operation);
  state_->draw_if_due(now);
}

void progress_bar::on_tasks_resumed(std::size_t operation, index_t count) {
  state_->lines.resume(operation, count);
}

void progress_bar::on_tasks_end(const tasks_event& event) {
  state_->lines.end_tasks(event);
  state_->draw_if_due(event.ended);
}

void progress_bar::on_failure(const failure_event& event) { state_->lines.fail(event); }

void progress_bar::on_idle(idle_reason, session_time now) { state_->draw_if_due(now); }

void progress_bar::on_operation_end(std::size_t operation, session_time now) {
  state_->lines.end_operation(operation);
  state_->draw_if_due(now);
}

void progress_bar::on_computation_end(computation_outcome outcome, session_time now) {
  const bool was_drawn = state_->next_draw > state_->style.first;
  state_->lines.end();
  // A computation that ends before the first drawing prints nothing.
  if (!was_drawn && outcome == computation_outcome::completed) return;
  state_->draw(now);
  state_->end_line();
}

}  // namespace tessera
