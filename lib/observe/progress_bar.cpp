// SPDX-License-Identifier: Apache-2.0
#include "tessera/observe/progress_bar.hpp"

#include "tessera/core/error.hpp"
#include "tessera/core/text.hpp"
#include "tessera/observe/default_observers.hpp"
#include "tessera/observe/default_progress.hpp"

#include "observe/continuation_note.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace tessera {

namespace {

using namespace std::chrono_literals;

constexpr session_time pause = 100ms;
// To the line's begin, erase it, and let the terminal cut what does not fit instead of wrapping it.
constexpr std::string_view begin_line = "\r\x1b[K\x1b[?7l";
constexpr std::string_view end_line = "\x1b[?7h";

std::mutex default_mutex;
std::optional<progress_mode> default_mode;

/// Returns a duration for people: "0:07", "1:02:03".
std::string format_duration(session_time time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time).count();
  if (seconds < 3600) return fmt::format("{}:{:02}", seconds / 60, seconds % 60);
  return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

double seconds_of(session_time time) { return std::chrono::duration<double>(time).count(); }

/// Returns tasks per second with about three digits: "0.12/s", "52.3/s", "1,234/s".
std::string format_rate(double per_second) {
  if (per_second >= 100) return with_commas(static_cast<index_t>(per_second)) + "/s";
  return fmt::format("{:.{}f}/s", per_second, per_second >= 10 ? 1 : 2);
}

progress_mode mode_now() {
  const std::lock_guard lock(default_mutex);
  if (default_mode) return *default_mode;
  const char* variable = std::getenv("TESSERA_PROGRESS");
  if (variable == nullptr || *variable == '\0') return progress_mode::automatic;
  return parse_progress_mode(variable);
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
  const std::lock_guard lock(default_mutex);
  return std::exchange(default_mode, mode);
}

std::vector<std::shared_ptr<observer>> default_observers() {
  const progress_mode mode = mode_now();
  if (mode == progress_mode::never) return {};
  std::vector<std::shared_ptr<observer>> observers{std::make_shared<continuation_note>(std::cerr)};
  if (mode == progress_mode::always || isatty(STDERR_FILENO) == 1) {
    observers.push_back(std::make_shared<progress_bar>(std::cerr));
  }
  return observers;
}

progress_bar::progress_bar(std::ostream& out) : out_(out) {}

progress_bar::~progress_bar() {
  if (operations_ != nullptr) out_ << std::endl;
}

void progress_bar::on_computation_begin(const computation_event& event) {
  operations_ = &event.operations;
  is_running_.assign(event.operations.size(), false);
  num_done_ = 0;
  num_resumed_ = 0;
  num_retries_ = 0;
  num_tasks_ = 0;
  for (const workload_operation& operation : event.operations) num_tasks_ += operation.num_tasks;
  next_draw_ = pause;
}

void progress_bar::on_operation_begin(std::size_t operation, session_time now) {
  is_running_[operation] = true;
  draw_if_due(now);
}

void progress_bar::on_tasks_resumed(std::size_t, index_t count) {
  num_done_ += count;
  num_resumed_ += count;
}

void progress_bar::on_tasks_end(const tasks_event& event) {
  num_done_ += event.count;
  draw_if_due(event.ended);
}

void progress_bar::on_failure(const failure_event& event) { num_retries_ += event.is_retried; }

void progress_bar::on_operation_end(std::size_t operation, session_time now) {
  is_running_[operation] = false;
  draw_if_due(now);
}

void progress_bar::on_computation_end(computation_outcome outcome, session_time now) {
  const bool was_drawn = next_draw_ > pause;
  // A computation that was over before the first drawing leaves no trace.
  if (was_drawn || outcome != computation_outcome::completed) {
    draw(now);
    out_ << std::endl;
  }
  operations_ = nullptr;
}

void progress_bar::draw_if_due(session_time now) {
  if (now < next_draw_) return;
  next_draw_ = now + pause;
  draw(now);
}

void progress_bar::draw(session_time now) {
  constexpr int width = 20;
  constexpr std::size_t name_width = 20;
  const double fraction =
      num_tasks_ == 0 ? 1 : static_cast<double>(num_done_) / static_cast<double>(num_tasks_);
  const auto filled = static_cast<std::size_t>(fraction * width);
  const index_t num_own = num_done_ - num_resumed_;
  const double rate = static_cast<double>(num_own) / std::max(seconds_of(now), 1e-9);
  std::string line = fmt::format(
      "{:{}} [{:<{}}] {:3.0f} %  {}/{} tasks  {}", current_operation().substr(0, name_width),
      name_width, std::string(filled, '#'), width, std::floor(fraction * 100),
      with_commas(num_done_), with_commas(num_tasks_), format_rate(rate));
  if (num_done_ == num_tasks_) {
    line += "  " + format_duration(now);
  } else if (num_own > 0) {
    const auto left = now / num_own * (num_tasks_ - num_done_);
    line += "  " + format_duration(left) + " left";
  }
  if (num_retries_ > 0) line += fmt::format("  {} tried again", num_retries_);
  out_ << begin_line << line << end_line << std::flush;
}

std::string progress_bar::current_operation() const {
  const auto running = std::find(is_running_.begin(), is_running_.end(), true);
  if (running == is_running_.end()) return num_done_ == num_tasks_ ? "done" : "stopped";
  return (*operations_)[static_cast<std::size_t>(running - is_running_.begin())].name;
}

}  // namespace tessera
