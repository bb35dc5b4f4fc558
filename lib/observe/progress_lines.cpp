// SPDX-License-Identifier: Apache-2.0
#include "observe/progress_lines.hpp"

#include "core/api/numbered_label.hpp"
#include "core/api/text.hpp"
#include "observe/seconds.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>

namespace tessera {

namespace {

constexpr int bar_width = 20;
constexpr std::size_t name_width = 20;
constexpr std::size_t most_lines = 5;

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

/// Returns the first `count` characters of a text in UTF-8.
std::string_view first_characters(std::string_view text, std::size_t count) {
  // Bytes that continue a character are 10xxxxxx.
  const auto continues = [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
  };
  std::size_t size = 0;
  while (size < text.size() && (continues(text[size]) || count-- > 0)) ++size;
  return text.substr(0, size);
}

/// Returns a line up to the count of tasks.
std::string bar_of(std::string_view name, index_t num_done, index_t num_tasks) {
  const double fraction =
      num_tasks == 0 ? 1 : static_cast<double>(num_done) / static_cast<double>(num_tasks);
  const auto filled = static_cast<std::size_t>(std::clamp(fraction, 0.0, 1.0) * bar_width);
  return fmt::format("{:{}} [{:<{}}] {:3.0f} %  {}/{} tasks", first_characters(name, name_width),
                     name_width, std::string(filled, '#'), bar_width, std::floor(fraction * 100),
                     with_commas(num_done), with_commas(num_tasks));
}

}  // namespace

void progress_lines::begin(const computation_event& event) {
  *this = {};
  is_active_ = true;
  for (const workload_operation& operation : event.operations) {
    operations_.push_back(
        {numbered_label(operations_.size(), operation.name), operation.num_tasks});
    num_tasks_ += operation.num_tasks;
  }
  remaining_.begin(event);
}

void progress_lines::resume(std::size_t operation, index_t count) {
  operations_[operation].num_done += count;
  num_done_ += count;
  num_resumed_ += count;
  remaining_.resume(operation, count);
}

void progress_lines::end_tasks(const tasks_event& event) {
  operations_[event.operation].num_done += event.count;
  num_done_ += event.count;
  if (event.moved) moved_ += event.moved->read + event.moved->written;
  remaining_.end_tasks(event);
}

void progress_lines::end() {
  is_active_ = false;
  for (operation_progress& operation : operations_) operation.is_running = false;
}

std::vector<std::string> progress_lines::of_running(session_time now) const {
  std::vector<std::string> lines;
  const auto is_running = [](const operation_progress& operation) { return operation.is_running; };
  if (std::ranges::count_if(operations_, is_running) > 1) {
    for (const operation_progress& operation : operations_) {
      if (!operation.is_running || lines.size() == most_lines) continue;
      lines.push_back(bar_of(operation.name, operation.num_done, operation.num_tasks));
    }
  }
  lines.push_back(total(title(), now));
  return lines;
}

std::vector<std::string> progress_lines::of_operations(session_time now) const {
  std::vector<std::string> lines;
  for (const operation_progress& operation : operations_) {
    lines.push_back(bar_of(operation.name, operation.num_done, operation.num_tasks));
  }
  lines.push_back(total(fmt::format("all {} operations", operations_.size()), now));
  return lines;
}

/// Returns the name of the line of the computation: the operation that runs alone, or their number.
std::string progress_lines::title() const {
  const auto is_running = [](const operation_progress& operation) { return operation.is_running; };
  const auto running = std::ranges::find_if(operations_, is_running);
  if (running == operations_.end()) {
    if (num_done_ == num_tasks_) return "done";
    return is_active_ ? "between operations" : "stopped";
  }
  if (std::ranges::count_if(operations_, is_running) == 1) return running->name;
  return fmt::format("all {} operations", operations_.size());
}

std::string progress_lines::total(std::string_view title, session_time now) const {
  return bar_of(title, num_done_, num_tasks_) + rates(now);
}

std::string progress_lines::rates(session_time now) const {
  const index_t num_new = num_done_ - num_resumed_;
  const double seconds = std::max(seconds_of(now), 1e-9);
  std::string text = "  " + format_rate(static_cast<double>(num_new) / seconds);
  if (moved_ > bytes{}) {
    const auto per_second =
        static_cast<std::uint64_t>(static_cast<double>(moved_.count()) / seconds);
    text += fmt::format("  {}/s", format_short(bytes{per_second}));
  }
  if (num_done_ == num_tasks_) {
    text += "  " + format_duration(now);
  } else if (const auto time = remaining_.at(now)) {
    text += fmt::format("  {} left", format_duration(*time));
  }
  if (num_retries_ > 0) text += fmt::format("  {} tried again", num_retries_);
  return text;
}

}  // namespace tessera
