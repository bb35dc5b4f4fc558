// SPDX-License-Identifier: Apache-2.0
#include "tessera/observe/history.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <ostream>

namespace tessera {

namespace {

double seconds_of(session_time time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

void history::on_computation_begin(const computation_event& event) {
  operations_.clear();
  for (const workload_operation& operation : event.operations) {
    operations_.push_back({operation.name, operation.num_tasks, 0, 0, {}, {}, {}});
  }
  executor_name_ = event.executor;
  num_workers_ = event.num_workers;
  elapsed_ = {};
}

void history::on_operation_begin(std::size_t operation, session_time now) {
  operations_[operation].begin = now;
}

void history::on_tasks_end(const tasks_event& event) {
  operations_[event.operation].num_done += event.count;
  operations_[event.operation].busy += event.ended - event.started;
}

void history::on_failure(const failure_event& event) {
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
  std::size_t width = std::string_view("operation").size();
  for (const auto& each : past.operations()) width = std::max(width, each.name.size());
  out << fmt::format("{:{}} {:>10} {:>10} {:>8} {:>10} {:>10} {:>10}\n", "operation", width,
                     "tasks", "done", "failures", "begin (s)", "end (s)", "busy (s)");
  for (const auto& each : past.operations()) {
    out << fmt::format("{:{}} {:>10} {:>10} {:>8} {:>10.3f} {:>10.3f} {:>10.3f}\n", each.name,
                       width, each.num_tasks, each.num_done, each.num_failures,
                       seconds_of(each.begin), seconds_of(each.end), seconds_of(each.busy));
  }
  return out << fmt::format("{:.3f} s on {}\n", seconds_of(past.elapsed()), past.executor_name());
}

}  // namespace tessera
