// SPDX-License-Identifier: Apache-2.0
#include "tessera/observe/history.hpp"

#include "core/api/numbered_label.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <ostream>
#include <string>
#include <vector>

namespace tessera {

namespace {

std::string format_seconds(session_time time) {
  return fmt::format("{:.3f}", std::chrono::duration<double>(time).count());
}

std::string format_measured(bytes size) { return size == bytes{} ? "-" : format_short(size); }

}  // namespace

void history::on_computation_begin(const computation_event& event) {
  operations_.clear();
  for (const workload_operation& operation : event.operations) {
    operations_.push_back({.name = operation.name,
                           .num_tasks = operation.num_tasks,
                           .projected_memory = operation.task_memory});
  }
  executor_name_ = event.executor;
  num_workers_ = event.num_workers;
  elapsed_ = {};
}

void history::on_operation_begin(std::size_t operation, session_time now) {
  operations_[operation].begin = now;
}

void history::on_tasks_resumed(std::size_t operation, index_t count) {
  operations_[operation].num_done += count;
  operations_[operation].num_resumed += count;
}

void history::on_tasks_end(const tasks_event& event) {
  operation_history& operation = operations_[event.operation];
  operation.num_done += event.count;
  operation.num_attempts += event.count;
  operation.busy += event.ended - event.started;
  operation.peak_memory = std::max(operation.peak_memory, event.peak_memory);
}

void history::on_backup(std::size_t operation, index_t, session_time) {
  ++operations_[operation].num_backups;
}

void history::on_failure(const failure_event& event) {
  ++operations_[event.operation].num_attempts;
  ++operations_[event.operation].num_failures;
}

void history::on_operation_end(std::size_t operation, session_time now) {
  operations_[operation].end = now;
}

void history::on_computation_end(computation_outcome outcome, session_time now) {
  outcome_ = outcome;
  elapsed_ = now;
}

std::ostream& operator<<(std::ostream& out, const history& past) {
  constexpr auto line =
      "{:{}} {:>10} {:>10} {:>10} {:>10} {:>8} {:>8} {:>10} {:>10} {:>10} {:>10} {:>10}\n";
  std::size_t width = std::string_view("operation").size();
  std::vector<std::string> labels;
  for (const auto& operation : past.operations()) {
    labels.push_back(numbered_label(labels.size(), operation.name));
    width = std::max(width, labels.back().size());
  }
  out << fmt::format(line, "operation", width, "tasks", "done", "resumed", "attempts", "failures",
                     "backups", "begin (s)", "end (s)", "busy (s)", "peak", "projected");
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const operation_history& operation = past.operations()[i];
    out << fmt::format(line, labels[i], width, operation.num_tasks, operation.num_done,
                       operation.num_resumed, operation.num_attempts, operation.num_failures,
                       operation.num_backups, format_seconds(operation.begin),
                       format_seconds(operation.end), format_seconds(operation.busy),
                       format_measured(operation.peak_memory),
                       format_short(operation.projected_memory));
  }
  return out << fmt::format("{} s on {}\n", format_seconds(past.elapsed()), past.executor_name());
}

}  // namespace tessera
