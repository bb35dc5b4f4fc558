// SPDX-License-Identifier: Apache-2.0
#include "tessera/observe/calibration.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>

namespace tessera {

namespace {

constexpr std::size_t num_columns = 4;
using columns = std::array<double, num_columns>;

/// Linear equations, of which the least squares are sought with no negative unknown.
class equations {
 public:
  void add(const columns& left, double right, double weight) {
    for (std::size_t i = 0; i < num_columns; ++i) {
      for (std::size_t j = 0; j < num_columns; ++j) squares_[i][j] += weight * left[i] * left[j];
      products_[i] += weight * left[i] * right;
    }
    right_ += weight * right * right;
  }

  /// Of the few unknowns, all choices of those that are not zero are tried.
  [[nodiscard]] columns least() const {
    columns best{};
    double least = right_;
    for (unsigned chosen = 1; chosen < 1U << num_columns; ++chosen) {
      const std::optional<columns> found = solved(chosen);
      if (!found) continue;
      double error = right_;
      for (std::size_t i = 0; i < num_columns; ++i) error -= (*found)[i] * products_[i];
      // Fewer unknowns go first where more make hardly anything better.
      if (error < least - 1e-9 * right_) {
        least = error;
        best = *found;
      }
    }
    return best;
  }

 private:
  /// Returns the unknowns, of which those that are not `chosen` are zero; nothing where they are
  /// not told apart or one is negative.
  [[nodiscard]] std::optional<columns> solved(unsigned chosen) const {
    const auto is_chosen = [chosen](std::size_t i) { return (chosen >> i & 1U) != 0; };
    auto left = squares_;
    columns right = products_;
    for (std::size_t pivot = 0; pivot < num_columns; ++pivot) {
      if (!is_chosen(pivot)) continue;
      if (left[pivot][pivot] <= 1e-9 * squares_[pivot][pivot]) return std::nullopt;
      for (std::size_t i = 0; i < num_columns; ++i) {
        if (i == pivot || !is_chosen(i)) continue;
        const double factor = left[i][pivot] / left[pivot][pivot];
        for (std::size_t j = 0; j < num_columns; ++j) left[i][j] -= factor * left[pivot][j];
        right[i] -= factor * right[pivot];
      }
    }
    columns found{};
    for (std::size_t i = 0; i < num_columns; ++i) {
      if (is_chosen(i)) found[i] = right[i] / left[i][i];
      if (found[i] < 0) return std::nullopt;
    }
    return found;
  }

  std::array<columns, num_columns> squares_{};
  columns products_{};
  double right_ = 0;
};

}  // namespace

void calibration::on_computation_begin(const computation_event& event) {
  first_ = operations_.size();
  for (const workload_operation& operation : event.operations) {
    const auto read = static_cast<double>(operation.bytes_read_per_task.count());
    const auto written = static_cast<double>(operation.bytes_written_per_task.count());
    operations_.push_back(
        {.num_workers = event.num_workers,
         .element_steps_per_task = static_cast<double>(operation.element_steps_per_task),
         .bytes_per_task = read + written,
         .requests_per_task = (read > 0 ? operation.reads_per_task : 0) +
                              (written > 0 ? operation.writes_per_task : 0),
         .num_tasks = 0,
         .moved = {},
         .num_measured = 0,
         .times = {}});
  }
}

void calibration::on_tasks_end(const tasks_event& event) {
  samples& own = operations_[first_ + event.operation];
  const auto count = static_cast<double>(event.count);
  own.num_tasks += count;
  if (event.moved) {
    own.moved += *event.moved;
    own.num_measured += count;
  }
  own.times.push_back(random_time::nanoseconds(event.ended - event.started).count() / count);
}

calibration::estimate calibration::estimated(samples seen) {
  const auto quantile = [&seen](double part) {
    const auto last = static_cast<double>(seen.times.size() - 1);
    const auto place = seen.times.begin() + std::lround(part * last);
    std::nth_element(seen.times.begin(), place, seen.times.end());
    return std::max(*place, 1.0);
  };
  // One standard deviation of the normal distribution below and above its middle.
  const double sigma = std::log(quantile(0.8413) / quantile(0.1587)) / 2;
  const double mean = quantile(0.5) * std::exp(sigma * sigma / 2);
  if (seen.num_measured > 0) {
    const bytes moved = seen.moved.read + seen.moved.written;
    seen.bytes_per_task = static_cast<double>(moved.count()) / seen.num_measured;
    seen.requests_per_task = static_cast<double>(seen.moved.requests) / seen.num_measured;
  }
  return {seen.element_steps_per_task,
          seen.bytes_per_task,
          seen.requests_per_task,
          seen.num_tasks,
          mean,
          sigma};
}

/// A line through the points (elements, time) of all tasks, neither coefficient negative, with the
/// least squares of what it is off as a part of the time; an operation counts by the time that all
/// of its tasks took.
calibration::line calibration::fit(const std::vector<estimate>& operations) {
  double weights = 0;
  double elements = 0;
  double time = 0;
  double squares = 0;
  double products = 0;
  for (const estimate& each : operations) {
    const double weight = each.num_tasks / each.mean;
    weights += weight;
    elements += weight * each.element_steps_per_task;
    time += weight * each.mean;
    squares += weight * each.element_steps_per_task * each.element_steps_per_task;
    products += weight * each.element_steps_per_task * each.mean;
  }
  const double variance = squares * weights - elements * elements;
  const double covariance = products * weights - elements * time;
  const bool are_alike = variance <= 1e-12 * squares * weights;
  const double slope = are_alike ? 0 : covariance / variance;
  const double start = (time - slope * elements) / weights;
  if (slope > 0 && start >= 0) return {start, slope};
  const bool is_falling = !are_alike && slope <= 0;
  return is_falling || squares == 0 ? line{time / weights, 0} : line{0, products / squares};
}

std::size_t calibration::nearest(std::size_t workers) const {
  std::set<std::size_t> seen;
  for (const samples& each : operations_) {
    if (!each.times.empty()) seen.insert(each.num_workers);
  }
  if (seen.empty()) {
    throw value_error(
        "calibration: no task has ended; make the object an observer of a run that computes");
  }
  const auto more = seen.upper_bound(workers);
  return more == seen.begin() ? *more : *std::prev(more);
}

std::vector<calibration::estimate> calibration::estimates(std::size_t workers) const {
  const std::size_t seen_workers = nearest(workers);
  std::vector<estimate> all;
  for (const samples& each : operations_) {
    if (each.num_workers == seen_workers && !each.times.empty()) all.push_back(estimated(each));
  }
  return all;
}

costs calibration::figures(std::size_t workers) const {
  equations all;
  for (const estimate& each : estimates(workers)) {
    all.add({1, each.element_steps_per_task, each.bytes_per_task, each.requests_per_task},
            each.mean, each.num_tasks / each.mean);
  }
  const auto [task, element, byte, request] = all.least();
  constexpr double at_no_cost = 1e15;
  const auto seconds = [](double nanoseconds) { return costs::seconds{nanoseconds * 1e-9}; };
  const bytes bandwidth{
      static_cast<std::uint64_t>(byte > 1e9 / at_no_cost ? 1e9 / byte : at_no_cost)};
  costs found;
  found.read_bandwidth = found.write_bandwidth = std::max(bandwidth, bytes{1});
  found.latency = seconds(request);
  found.element_step = seconds(element);
  found.task = seconds(task);
  found.workers = workers;
  return found;
}

simulated_options calibration::options(std::size_t workers) const {
  const std::vector<estimate> seen = estimates(workers);
  estimate longest;
  for (const estimate& now : seen) {
    if (now.num_tasks * now.mean > longest.num_tasks * longest.mean) longest = now;
  }
  using nanoseconds = random_time::nanoseconds;
  const line found = fit(seen);
  const double median = found.element / std::exp(longest.sigma * longest.sigma / 2);
  // What handing out a batch costs threads: so batches are as long as theirs.
  const std::chrono::nanoseconds cost_per_batch = executor_traits{}.cost_per_batch;
  return {.workers = workers,
          .batch_overhead = cost_per_batch,
          .task_time = nanoseconds{found.task},
          .element_step = random_time::lognormal(nanoseconds{median}, longest.sigma),
          .in_process = true};
}

}  // namespace tessera
