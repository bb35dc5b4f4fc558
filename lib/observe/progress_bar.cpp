// SPDX-License-Identifier: Apache-2.0
#include "tessera/observe/progress_bar.hpp"

#include "tessera/core/error.hpp"
#include "tessera/observe/default_observers.hpp"

#include "core/api/numbered_label.hpp"
#include "core/api/text.hpp"
#include "observe/api/default_progress.hpp"
#include "observe/continuation_note.hpp"
#include "observe/seconds.hpp"
#include "observe/time_left.hpp"
#include "observe/timeout_note.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
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

constexpr int bar_width = 20;
constexpr std::size_t name_width = 20;
constexpr std::size_t most_lines = 5;
// Erase from the cursor to the end of the screen, and switch the terminal's line wrap off (DECAWM).
constexpr std::string_view begin_lines = "\r\x1b[J\x1b[?7l";
constexpr std::string_view end_lines = "\x1b[?7h";

std::mutex default_bar_mutex;
std::optional<progress_mode> default_mode;

/// Returns a duration in hours, minutes and seconds: "0:07", "1:02:03".
std::string format_duration(session_time time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time).count();
  if (seconds < 3600) return fmt::format("{}:{:02}", seconds / 60, seconds % 60);
  return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

/// Returns tasks per second with about three digits: "0.12/s", "52.3/s", "1,234/s".
std::string format_rate(double per_second) {
  if (per_second >= 100) return with_commas(static_cast<index_t>(per_second)) + "/s";
  return fmt::format("{:.{}f}/s", per_second, per_second >= 10 ? 1 : 2);
}

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

/// The counts of a computation, and their lines.
struct progress_bar::state {
  struct operation_progress {
    std::string name;
    index_t num_tasks = 0;
    index_t num_done = 0;
    bool is_running = false;
  };

  state(std::ostream& stream, progress_style chosen) : out(stream), style(chosen) {}

  std::ostream& out;
  progress_style style;
  bool is_active = false;
  std::vector<operation_progress> operations;
  time_left remaining;
  index_t num_tasks = 0;
  index_t num_done = 0;
  index_t num_resumed = 0;
  int num_retries = 0;
  bytes moved{};
  session_time next_draw{};
  std::size_t num_drawn = 0;  ///< lines on the terminal above the cursor's

  void begin(const computation_event& event);
  void draw_if_due(session_time now);
  void draw(session_time now);
  [[nodiscard]] std::vector<std::string> lines(session_time now) const;
  [[nodiscard]] std::string title() const;
  [[nodiscard]] std::string rates(session_time now) const;
  void end_line();
};

namespace {

/// Returns a line up to the count of tasks.
std::string bar_of(std::string_view name, index_t num_done, index_t num_tasks) {
  const double fraction =
      num_tasks == 0 ? 1 : static_cast<double>(num_done) / static_cast<double>(num_tasks);
  const auto filled = static_cast<std::size_t>(std::clamp(fraction, 0.0, 1.0) * bar_width);
  return fmt::format("{:{}} [{:<{}}] {:3.0f} %  {}/{} tasks", name.substr(0, name_width),
                     name_width, std::string(filled, '#'), bar_width, std::floor(fraction * 100),
                     with_commas(num_done), with_commas(num_tasks));
}

}  // namespace

void progress_bar::state::begin(const computation_event& event) {
  is_active = true;
  operations.clear();
  num_done = num_resumed = num_tasks = 0;
  num_retries = 0;
  moved = {};
  num_drawn = 0;
  for (const workload_operation& operation : event.operations) {
    operations.push_back({numbered_label(operations.size(), operation.name), operation.num_tasks});
    num_tasks += operation.num_tasks;
  }
  remaining.begin(event);
  next_draw = style.first;
}

void progress_bar::state::draw_if_due(session_time now) {
  if (now < next_draw) return;
  next_draw = now + style.period;
  draw(now);
}

void progress_bar::state::draw(session_time now) {
  const std::vector<std::string> drawn = lines(now);
  if (!style.is_terminal) {
    out << drawn.back() << std::endl;
    return;
  }
  if (num_drawn > 0) out << fmt::format("\x1b[{}A", num_drawn);
  out << begin_lines << fmt::format("{}", fmt::join(drawn, "\n")) << end_lines << std::flush;
  num_drawn = drawn.size() - 1;
}

/// Returns the lines of operations that run side by side, and the line of the computation.
std::vector<std::string> progress_bar::state::lines(session_time now) const {
  std::vector<std::string> drawn;
  const auto is_running = [](const operation_progress& operation) { return operation.is_running; };
  if (std::ranges::count_if(operations, is_running) > 1) {
    for (const operation_progress& operation : operations) {
      if (!operation.is_running || drawn.size() == most_lines) continue;
      drawn.push_back(bar_of(operation.name, operation.num_done, operation.num_tasks));
    }
  }
  drawn.push_back(bar_of(title(), num_done, num_tasks) + rates(now));
  return drawn;
}

/// Returns the name of the line of the computation: the operation that runs alone, or their number.
std::string progress_bar::state::title() const {
  const auto is_running = [](const operation_progress& operation) { return operation.is_running; };
  const auto running = std::ranges::find_if(operations, is_running);
  if (running == operations.end()) {
    if (num_done == num_tasks) return "done";
    return is_active ? "between operations" : "stopped";
  }
  if (std::ranges::count_if(operations, is_running) == 1) return running->name;
  return fmt::format("all {} operations", operations.size());
}

std::string progress_bar::state::rates(session_time now) const {
  const index_t num_new = num_done - num_resumed;
  const double seconds = std::max(seconds_of(now), 1e-9);
  std::string text = "  " + format_rate(static_cast<double>(num_new) / seconds);
  if (moved > bytes{}) {
    const auto per_second =
        static_cast<std::uint64_t>(static_cast<double>(moved.count()) / seconds);
    text += fmt::format("  {}/s", format_short(bytes{per_second}));
  }
  if (num_done == num_tasks) {
    text += "  " + format_duration(now);
  } else if (const auto time = remaining.at(now)) {
    text += fmt::format("  {} left", format_duration(*time));
  }
  if (num_retries > 0) text += fmt::format("  {} tried again", num_retries);
  return text;
}

void progress_bar::state::end_line() {
  if (style.is_terminal) out << std::endl;
}

progress_bar::progress_bar(std::ostream& out, progress_style style)
    : state_(std::make_unique<state>(out, style)) {}

progress_bar::~progress_bar() {
  if (state_->is_active) state_->end_line();
}

void progress_bar::draw(session_time now) { state_->draw(now); }

void progress_bar::on_computation_begin(const computation_event& event) { state_->begin(event); }

void progress_bar::on_operation_begin(std::size_t operation, session_time now) {
  state_->operations[operation].is_running = true;
  state_->draw_if_due(now);
}

void progress_bar::on_tasks_resumed(std::size_t operation, index_t count) {
  state_->operations[operation].num_done += count;
  state_->num_done += count;
  state_->num_resumed += count;
  state_->remaining.resume(operation, count);
}

void progress_bar::on_tasks_end(const tasks_event& event) {
  state_->operations[event.operation].num_done += event.count;
  state_->num_done += event.count;
  if (event.moved) state_->moved += event.moved->read + event.moved->written;
  state_->remaining.end_tasks(event);
  state_->draw_if_due(event.ended);
}

void progress_bar::on_failure(const failure_event& event) {
  state_->num_retries += event.is_retried ? 1 : 0;
}

void progress_bar::on_idle(idle_reason, session_time now) { state_->draw_if_due(now); }

void progress_bar::on_operation_end(std::size_t operation, session_time now) {
  state_->operations[operation].is_running = false;
  state_->draw_if_due(now);
}

void progress_bar::on_computation_end(computation_outcome outcome, session_time now) {
  const bool was_drawn = state_->next_draw > state_->style.first;
  // A computation that ends before the first drawing prints nothing.
  state_->is_active = false;
  if (was_drawn || outcome != computation_outcome::completed) {
    for (auto& operation : state_->operations) operation.is_running = false;
    state_->draw(now);
    state_->end_line();
  }
  state_->is_active = false;
}

}  // namespace tessera
