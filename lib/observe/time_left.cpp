// SPDX-License-Identifier: Apache-2.0
#include "observe/time_left.hpp"

#include "tessera/core/costs.hpp"

#include "observe/seconds.hpp"

#include <algorithm>
#include <chrono>

namespace tessera {

namespace {

/// Returns `count` requests, `in_flight` at once, as a number of requests by the figures.
double by_figures(double count, double in_flight, const costs& figures) {
  const auto usual = static_cast<double>(figures.requests_in_flight);
  return count * usual / std::max(in_flight, usual);
}

/// Returns the seconds of one task.
double model_of(const workload_operation& operation, const costs& figures) {
  const auto size = [](bytes count) { return static_cast<double>(count.count()); };
  costs::seconds sum =
      figures.task + figures.element_step * static_cast<double>(operation.element_steps_per_task);
  sum += costs::seconds(size(operation.memory_moved_per_task) / size(figures.memory_bandwidth));
  if (operation.bytes_read_per_task > bytes{}) {
    sum +=
        figures.to_read(size(operation.bytes_read_per_task),
                        by_figures(operation.reads_per_task, operation.reads_in_flight, figures));
  }
  if (operation.bytes_written_per_task > bytes{}) {
    sum += figures.to_write(
        size(operation.bytes_written_per_task),
        by_figures(operation.writes_per_task, operation.writes_in_flight, figures));
  }
  return sum.count();
}

}  // namespace

void time_left::begin(const computation_event& event) {
  operations_.clear();
  // All workers run tasks from the begin on.
  last_ends_.assign(std::max<std::size_t>(event.num_workers, 1), session_time{});
  for (const workload_operation& operation : event.operations) {
    operations_.push_back(
        {.model_seconds = model_of(operation, event.figures), .num_tasks = operation.num_tasks});
  }
  num_workers_ = static_cast<double>(std::max<std::size_t>(event.num_workers, 1));
}

void time_left::resume(std::size_t operation, index_t count) {
  operations_[operation].num_resumed += count;
}

void time_left::end_tasks(const tasks_event& event) {
  operations_[event.operation].num_ended += event.count;
  operations_[event.operation].busy_seconds += seconds_of(event.ended - event.started);
  if (event.worker >= last_ends_.size()) last_ends_.resize(event.worker + 1);
  last_ends_[event.worker] = event.ended;
}

double time_left::task_seconds(const counts& operation, double correction) const {
  if (operation.num_ended > 0 && operation.busy_seconds > 0) {
    return operation.busy_seconds / static_cast<double>(operation.num_ended);
  }
  return operation.model_seconds * correction;
}

/// Returns the ratio of measured times to modelled times, or nullopt if nothing has ended.
std::optional<double> time_left::correction() const {
  double measured = 0;
  double modelled = 0;
  for (const counts& operation : operations_) {
    measured += operation.busy_seconds;
    modelled += operation.model_seconds * static_cast<double>(operation.num_ended);
  }
  if (modelled <= 0) return std::nullopt;
  return measured > 0 ? measured / modelled : 1;
}

/// Returns the mean of the seconds that tasks have run that have not ended: a worker runs one since
/// the end of the one before, for `longest` seconds at most.
double time_left::running_seconds(session_time now, double longest) const {
  double sum = 0;
  for (const session_time end : last_ends_) sum += std::min(seconds_of(now - end), longest);
  return sum / static_cast<double>(std::max<std::size_t>(last_ends_.size(), 1));
}

std::optional<session_time> time_left::at(session_time now) const {
  const std::optional<double> correction_of_model = correction();
  if (!correction_of_model) return std::nullopt;
  double total = 0;
  double done = 0;
  double rest = 0;
  double num_left_of_all = 0;
  double longest = 0;
  // The last tasks leave half of the workers idle, on average.
  const auto on_workers = [&](double num_tasks) {
    if (num_tasks <= num_workers_) return std::min(num_tasks, 1.0);
    return num_tasks / num_workers_ + (1 - 1 / num_workers_) / 2;
  };
  for (const counts& operation : operations_) {
    const double seconds = task_seconds(operation, *correction_of_model);
    const auto num_new = static_cast<double>(operation.num_tasks - operation.num_resumed);
    const auto num_ended = static_cast<double>(operation.num_ended);
    total += seconds * on_workers(num_new);
    done += seconds * num_ended * on_workers(num_new) / std::max(1.0, num_new);
    const double num_left = std::max(0.0, num_new - num_ended);
    rest += seconds * on_workers(num_left);
    num_left_of_all += num_left;
    if (num_left > 0) longest = std::max(longest, seconds);
  }
  if (done <= 0) return std::nullopt;
  const double running = running_seconds(now, longest);
  const double num_running = std::min(static_cast<double>(last_ends_.size()), num_left_of_all);
  done = std::min(total, done + running * num_running / num_workers_);
  const double not_done = std::max(total - done, rest - running);
  const double part = done / total;
  const double by_sum = std::max(total - seconds_of(now), not_done);
  const double by_ratio = seconds_of(now) * not_done / done;
  return std::chrono::duration_cast<session_time>(
      std::chrono::duration<double>((1 - part) * by_sum + part * by_ratio));
}

}  // namespace tessera
