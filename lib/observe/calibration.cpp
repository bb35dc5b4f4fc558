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

/// Weighted linear least squares with non-negative unknowns x:
///
///     minimise  sum_i w_i (a_i . x - b_i)^2,  x >= 0.
///
/// The normal equations A x = p, with A = sum w a a^T and p = sum w a b, are accumulated. The
/// optimum is the best solution over all supports (sets of unknowns that are not zero), 2^4 - 1.
class equations {
 public:
  void add(const columns& row, double right, double weight) {
    for (std::size_t i = 0; i < num_columns; ++i) {
      for (std::size_t j = 0; j < num_columns; ++j) squares_[i][j] += weight * row[i] * row[j];
      products_[i] += weight * row[i] * right;
    }
    right_ += weight * right * right;
  }

  /// Returns the unknowns with the least sum of squares.
  [[nodiscard]] columns least() const {
    columns best{};
    double least = right_;
    for (unsigned chosen = 1; chosen < 1U << num_columns; ++chosen) {
      const std::optional<columns> solution = solved(chosen);
      if (!solution) continue;
      double error = right_;
      for (std::size_t i = 0; i < num_columns; ++i) error -= (*solution)[i] * products_[i];
      // A larger support must reduce the error by more than the rounding error.
      if (error < least - 1e-9 * right_) {
        least = error;
        best = *solution;
      }
    }
    return best;
  }

 private:
  /// Returns the solution with the support `chosen`, or nullopt if the matrix is singular or an
  /// unknown is negative.
  [[nodiscard]] std::optional<columns> solved(unsigned chosen) const {
    const auto is_chosen = [chosen](std::size_t i) { return (chosen >> i & 1U) != 0; };
    auto matrix = squares_;
    columns right = products_;
    for (std::size_t pivot = 0; pivot < num_columns; ++pivot) {
      if (!is_chosen(pivot)) continue;
      if (matrix[pivot][pivot] <= 1e-9 * squares_[pivot][pivot]) return std::nullopt;
      for (std::size_t i = 0; i < num_columns; ++i) {
        if (i == pivot || !is_chosen(i)) continue;
        const double factor = matrix[i][pivot] / matrix[pivot][pivot];
        for (std::size_t j = 0; j < num_columns; ++j) matrix[i][j] -= factor * matrix[pivot][j];
        right[i] -= factor * right[pivot];
      }
    }
    columns solution{};
    for (std::size_t i = 0; i < num_columns; ++i) {
      if (is_chosen(i)) solution[i] = right[i] / matrix[i][i];
      if (solution[i] < 0) return std::nullopt;
    }
    return solution;
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
  samples& operation = operations_[first_ + event.operation];
  const auto count = static_cast<double>(event.count);
  operation.num_tasks += count;
  if (event.moved) {
    operation.moved += *event.moved;
    operation.num_measured += count;
  }
  operation.times.push_back(random_time::nanoseconds(event.ended - event.started).count() / count);
}

calibration::estimate calibration::estimated(samples measured) {
  const auto quantile = [&measured](double part) {
    const auto last = static_cast<double>(measured.times.size() - 1);
    const auto quantile = measured.times.begin() + std::lround(part * last);
    std::nth_element(measured.times.begin(), quantile, measured.times.end());
    return std::max(*quantile, 1.0);
  };
  // The quantiles of the normal distribution at one standard deviation below and above its mean.
  const double sigma = std::log(quantile(0.8413) / quantile(0.1587)) / 2;
  const double mean = quantile(0.5) * std::exp(sigma * sigma / 2);
  if (measured.num_measured > 0) {
    const bytes moved = measured.moved.read + measured.moved.written;
    measured.bytes_per_task = static_cast<double>(moved.count()) / measured.num_measured;
    measured.requests_per_task =
        static_cast<double>(measured.moved.requests) / measured.num_measured;
  }
  return {measured.element_steps_per_task,
          measured.bytes_per_task,
          measured.requests_per_task,
          measured.num_tasks,
          mean,
          sigma};
}

/// Fits time = start + slope * elements to the tasks, with non-negative coefficients.
///
/// The fit minimises the squares of the relative errors. The weight of an operation is the total
/// time of its tasks.
calibration::line calibration::fit(const std::vector<estimate>& operations) {
  double weights = 0;
  double elements = 0;
  double time = 0;
  double squares = 0;
  double products = 0;
  for (const estimate& operation : operations) {
    const double weight = operation.num_tasks / operation.mean;
    weights += weight;
    elements += weight * operation.element_steps_per_task;
    time += weight * operation.mean;
    squares += weight * operation.element_steps_per_task * operation.element_steps_per_task;
    products += weight * operation.element_steps_per_task * operation.mean;
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
  std::set<std::size_t> measured;
  for (const samples& operation : operations_) {
    if (!operation.times.empty()) measured.insert(operation.num_workers);
  }
  if (measured.empty()) {
    throw value_error(
        "calibration: no task has ended; make the object an observer of a run that computes");
  }
  const auto larger = measured.upper_bound(workers);
  return larger == measured.begin() ? *larger : *std::prev(larger);
}

std::vector<calibration::estimate> calibration::estimates(std::size_t workers) const {
  const std::size_t nearest_workers = nearest(workers);
  std::vector<estimate> results;
  for (const samples& operation : operations_) {
    if (operation.num_workers == nearest_workers && !operation.times.empty())
      results.push_back(estimated(operation));
  }
  return results;
}

costs calibration::figures(std::size_t workers) const {
  equations system;
  for (const estimate& operation : estimates(workers)) {
    system.add({1, operation.element_steps_per_task, operation.bytes_per_task,
                operation.requests_per_task},
               operation.mean, operation.num_tasks / operation.mean);
  }
  const auto [task, element, byte, request] = system.least();
  constexpr double at_no_cost = 1e15;
  const auto seconds = [](double nanoseconds) { return costs::seconds{nanoseconds * 1e-9}; };
  const bytes bandwidth{
      static_cast<std::uint64_t>(byte > 1e9 / at_no_cost ? 1e9 / byte : at_no_cost)};
  costs fitted;
  fitted.read_bandwidth = fitted.write_bandwidth = std::max(bandwidth, bytes{1});
  fitted.latency = seconds(request);
  fitted.element_step = seconds(element);
  fitted.task = seconds(task);
  fitted.workers = workers;
  return fitted;
}

simulated_options calibration::options(std::size_t workers) const {
  const std::vector<estimate> measured = estimates(workers);
  estimate longest;
  for (const estimate& operation : measured) {
    if (operation.num_tasks * operation.mean > longest.num_tasks * longest.mean)
      longest = operation;
  }
  using nanoseconds = random_time::nanoseconds;
  const line fitted = fit(measured);
  const double median = fitted.element / std::exp(longest.sigma * longest.sigma / 2);
  // The cost of a batch on threads, so that simulated batches have the same length.
  const std::chrono::nanoseconds cost_per_batch = executor_traits{}.cost_per_batch;
  return {.workers = workers,
          .batch_overhead = cost_per_batch,
          .task_time = nanoseconds{fitted.task},
          .element_step = random_time::lognormal(nanoseconds{median}, longest.sigma),
          .in_process = true};
}

}  // namespace tessera
