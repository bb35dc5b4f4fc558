// SPDX-License-Identifier: Apache-2.0
#include "tessera/observe/calibration.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <tuple>
#include <utility>

namespace tessera {

namespace {

constexpr std::size_t num_terms = 4;
using term_array = std::array<double, num_terms>;

/// Weighted linear least squares with non-negative unknowns x:
///
///     minimise  sum_i w_i (a_i . x - b_i)^2,  x >= 0.
///
/// The normal equations A x = p, with A = sum w a a^T and p = sum w a b, are accumulated. The
/// optimum is the best solution over all supports (sets of unknowns that are not zero), 2^4 - 1.
class equations {
 public:
  void add(const term_array& row, double right, double weight) {
    for (std::size_t i = 0; i < num_terms; ++i) {
      for (std::size_t j = 0; j < num_terms; ++j) squares_[i][j] += weight * row[i] * row[j];
      products_[i] += weight * row[i] * right;
    }
    right_ += weight * right * right;
    ++num_rows_;
  }

  /// Returns the standard errors of the unknowns `x`, s sqrt((A^-1)_ii), with the mean square s^2
  /// of the residuals. They are infinite if A is singular, or without a row more than unknowns.
  [[nodiscard]] term_array errors(const term_array& x) const {
    term_array result;
    result.fill(std::numeric_limits<double>::infinity());
    const double freedom = num_rows_ - static_cast<double>(num_terms);
    if (freedom <= 0) return result;
    for (std::size_t i = 0; i < num_terms; ++i) {
      if (const std::optional<double> weight = weight_apart(i)) {
        result[i] = std::sqrt(residual(x) / freedom / *weight);
      }
    }
    return result;
  }

  /// Returns the root of the weighted mean square of the relative residuals of `x`.
  [[nodiscard]] double relative_error(const term_array& x) const {
    return std::sqrt(residual(x) / right_);
  }

  /// Returns the unknowns with the least sum of squares, of which those not in `allowed` are zero.
  [[nodiscard]] term_array least(unsigned allowed = (1U << num_terms) - 1) const {
    term_array best{};
    double least = right_;
    for (unsigned chosen = 1; chosen < 1U << num_terms; ++chosen) {
      if ((chosen & ~allowed) != 0) continue;
      const std::optional<term_array> solution = solved(chosen);
      if (!solution) continue;
      double error = right_;
      for (std::size_t i = 0; i < num_terms; ++i) error -= (*solution)[i] * products_[i];
      // A larger support must reduce the error by more than the rounding error.
      if (error < least - 1e-9 * right_) {
        least = error;
        best = *solution;
      }
    }
    return best;
  }

 private:
  /// Returns the sum of the squares of the residuals of `x`.
  [[nodiscard]] double residual(const term_array& x) const {
    double sum = right_;
    for (std::size_t i = 0; i < num_terms; ++i) {
      sum -= 2 * x[i] * products_[i];
      for (std::size_t j = 0; j < num_terms; ++j) sum += x[i] * squares_[i][j] * x[j];
    }
    return std::max(sum, 0.0);
  }

  /// Returns the weight of column `i` beside all mixtures of further columns, 1 / (A^-1)_ii;
  /// nullopt if one of them equals it.
  [[nodiscard]] std::optional<double> weight_apart(std::size_t i) const {
    auto matrix = squares_;
    for (std::size_t pivot = 0; pivot < num_terms; ++pivot) {
      if (pivot == i || matrix[pivot][pivot] <= 1e-9 * squares_[pivot][pivot]) continue;
      for (std::size_t row = 0; row < num_terms; ++row) {
        if (row == pivot) continue;
        const double factor = matrix[row][pivot] / matrix[pivot][pivot];
        for (std::size_t j = 0; j < num_terms; ++j) matrix[row][j] -= factor * matrix[pivot][j];
      }
    }
    if (matrix[i][i] <= 1e-9 * squares_[i][i]) return std::nullopt;
    return matrix[i][i];
  }

  /// Returns the solution with the support `chosen`, or nullopt if the matrix is singular or an
  /// unknown is negative.
  [[nodiscard]] std::optional<term_array> solved(unsigned chosen) const {
    const auto is_chosen = [chosen](std::size_t i) { return (chosen >> i & 1U) != 0; };
    auto matrix = squares_;
    term_array right = products_;
    for (std::size_t pivot = 0; pivot < num_terms; ++pivot) {
      if (!is_chosen(pivot)) continue;
      if (matrix[pivot][pivot] <= 1e-9 * squares_[pivot][pivot]) return std::nullopt;
      for (std::size_t i = 0; i < num_terms; ++i) {
        if (i == pivot || !is_chosen(i)) continue;
        const double factor = matrix[i][pivot] / matrix[pivot][pivot];
        for (std::size_t j = 0; j < num_terms; ++j) matrix[i][j] -= factor * matrix[pivot][j];
        right[i] -= factor * right[pivot];
      }
    }
    term_array solution{};
    for (std::size_t i = 0; i < num_terms; ++i) {
      if (is_chosen(i)) solution[i] = right[i] / matrix[i][i];
      if (solution[i] < 0) return std::nullopt;
    }
    return solution;
  }

  std::array<term_array, num_terms> squares_{};
  term_array products_{};
  double right_ = 0;
  double num_rows_ = 0;
};

}  // namespace

void calibration::on_computation_begin(const computation_event& event) {
  first_ = operations_.size();
  for (const workload_operation& operation : event.operations) {
    const auto read = static_cast<double>(operation.bytes_read_per_task.count());
    const auto written = static_cast<double>(operation.bytes_written_per_task.count());
    const double reads = read > 0 ? operation.reads_per_task : 0;
    const double writes = written > 0 ? operation.writes_per_task : 0;
    const double waits = reads / operation.reads_in_flight + writes / operation.writes_in_flight;
    operations_.push_back(
        {.label = operation.name,
         .num_workers = event.num_workers,
         .element_steps_per_task = static_cast<double>(operation.element_steps_per_task),
         .bytes_per_task = read + written,
         .requests_per_task = reads + writes,
         .requests_in_flight = waits > 0 ? (reads + writes) / waits : 1,
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
  // A disturbed part of the runs widens one of the sides.
  const double median = quantile(0.5);
  const double sigma = std::log(std::min(quantile(0.8413) / median, median / quantile(0.1587)));
  const double mean = median * std::exp(sigma * sigma / 2);
  if (measured.num_measured > 0) {
    const bytes moved = measured.moved.read + measured.moved.written;
    measured.bytes_per_task = static_cast<double>(moved.count()) / measured.num_measured;
    measured.requests_per_task =
        static_cast<double>(measured.moved.requests) / measured.num_measured;
  }
  return {measured.label,
          measured.element_steps_per_task,
          measured.bytes_per_task,
          measured.requests_per_task / measured.requests_in_flight,
          measured.num_tasks,
          mean,
          sigma};
}

/// Fits task + element * steps + request * requests to the tasks, with non-negative coefficients.
/// Requests that are in flight at once count as one.
///
/// The fit minimises the squares of the relative errors. The weight of an operation is the total
/// time of its tasks. Tasks of one size are explained by their steps, if these are known.
///
/// In runs with larger chunks there are fewer tasks as well as fewer requests. A fit may then take
/// a part of a request's time for a task's own, and is wrong for tasks with other numbers of
/// requests. An empty task takes microseconds, a request copies and decodes a chunk. So tasks have
/// a time of their own only if steps and requests leave more than `most_unexplained` of the times.
calibration::task_model calibration::fit(const std::vector<estimate>& operations) {
  constexpr double most_unexplained = 0.15;
  constexpr unsigned steps_and_requests = 0b101;
  equations system;
  for (const estimate& operation : operations) {
    system.add({operation.element_steps_per_task, 1, operation.requests_per_task, 0},
               operation.mean, operation.num_tasks / operation.mean);
  }
  term_array times = system.least(steps_and_requests);
  if (times[2] <= 0 || system.relative_error(times) > most_unexplained) times = system.least();
  return {.task = times[1], .element = times[0], .request = times[2]};
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

/// Returns an estimate for each operation that was measured with the nearest number of workers.
///
/// Equal operations of several runs are one sample: then its quantiles are hardly changed by a run
/// that the host disturbed as a whole, which would count as much as each other run in a mean.
std::vector<calibration::estimate> calibration::estimates(std::size_t workers) const {
  const std::size_t nearest_workers = nearest(workers);
  std::map<std::tuple<std::string, double, double, double, double>, samples> merged;
  for (const samples& operation : operations_) {
    if (operation.num_workers != nearest_workers || operation.times.empty()) continue;
    const bool is_measured = operation.num_measured > 0;
    const bytes moved = operation.moved.read + operation.moved.written;
    const double size = is_measured ? static_cast<double>(moved.count()) / operation.num_measured
                                    : operation.bytes_per_task;
    const double requests =
        is_measured ? static_cast<double>(operation.moved.requests) / operation.num_measured
                    : operation.requests_per_task;
    const auto [entry, is_new] =
        merged.try_emplace({operation.label, operation.element_steps_per_task, size, requests,
                            operation.requests_in_flight},
                           operation);
    if (is_new) continue;
    samples& runs = entry->second;
    runs.num_tasks += operation.num_tasks;
    runs.moved += operation.moved;
    runs.num_measured += operation.num_measured;
    runs.times.insert(runs.times.end(), operation.times.begin(), operation.times.end());
  }
  std::vector<estimate> results;
  for (auto& [key, runs] : merged) results.push_back(estimated(std::move(runs)));
  return results;
}

std::vector<unit_time> calibration::unit_times(std::size_t workers) const {
  equations system;
  for (const estimate& operation : estimates(workers)) {
    system.add({1, operation.element_steps_per_task, operation.bytes_per_task,
                operation.requests_per_task},
               operation.mean, operation.num_tasks / operation.mean);
  }
  const term_array times = system.least();
  const term_array errors = system.errors(times);
  constexpr std::array<const char*, num_terms> units{"task", "element step", "byte of storage",
                                                     "request"};
  std::vector<unit_time> figures;
  for (std::size_t i = 0; i < num_terms; ++i) {
    figures.push_back(
        {units[i], costs::seconds{times[i] * 1e-9}, costs::seconds{errors[i] * 1e-9}});
  }
  return figures;
}

costs calibration::figures(std::size_t workers) const {
  const std::vector<unit_time> units = unit_times(workers);
  costs fitted;
  const auto most = static_cast<double>(fitted.memory_bandwidth.count());
  const double byte = std::max(units[2].time.count(), 1 / most);
  fitted.read_bandwidth = fitted.write_bandwidth =
      bytes{static_cast<std::uint64_t>(std::max(std::llround(1 / byte), 1LL))};
  fitted.latency = units[3].time;
  fitted.element_step = units[1].time;
  fitted.task = units[0].time;
  fitted.workers = workers;
  return fitted;
}

std::ostream& operator<<(std::ostream& out, const unit_time& figure) {
  out << figure.unit << ": ";
  if (!figure.is_told_apart()) return out << "not told apart from other units";
  return out << fmt::format("{:.3g} s +- {:.2g} s", figure.time.count(), figure.error.count());
}

double calibration::contention() const {
  // By label and steps: the times by numbers of workers.
  std::map<std::pair<std::string, double>, std::map<std::size_t, estimate>> groups;
  std::set<std::size_t> numbers;
  for (const samples& operation : operations_) {
    if (!operation.times.empty()) numbers.insert(operation.num_workers);
  }
  for (const std::size_t workers : numbers) {
    for (const estimate& measured : estimates(workers)) {
      groups[{measured.label, measured.element_steps_per_task}][workers] = measured;
    }
  }
  double weights = 0;
  double sum = 0;
  for (const auto& [key, by_workers] : groups) {
    const auto& [few, quick] = *by_workers.begin();
    const auto& [many, slow] = *by_workers.rbegin();
    if (few == many) continue;
    // t(n) = t(1) (1 + c (n - 1)), solved for c by the ratio of two times.
    const double ratio = std::max(slow.mean / quick.mean, 1.0);
    const double rest = static_cast<double>(many - 1) - ratio * static_cast<double>(few - 1);
    const double part = rest > 0 ? std::min((ratio - 1) / rest, 1.0) : 1.0;
    const double weight = quick.num_tasks * quick.mean;
    weights += weight;
    sum += weight * part;
  }
  return weights > 0 ? sum / weights : 0;
}

/// Returns the factor of the time of a task among so many workers.
double calibration::slowed(double workers) const { return 1 + contention() * (workers - 1); }

/// Returns the factors of operations over the fit, for each label and the steps of a request the
/// mean of all sizes of tasks.
std::vector<operation_slowness> calibration::slowness_of(const std::vector<estimate>& operations,
                                                         const task_model& fitted) {
  std::vector<operation_slowness> factors;
  std::vector<double> weights;
  for (const estimate& operation : operations) {
    const double time = fitted.time_of(operation);
    if (operation.label.empty() || time <= 0) continue;
    const double steps =
        operation.element_steps_per_task / std::max(operation.requests_per_task, 1.0);
    const auto same = std::ranges::find_if(factors, [&](const operation_slowness& factor) {
      return factor.label == operation.label && factor.element_steps == steps;
    });
    const auto i = static_cast<std::size_t>(same - factors.begin());
    if (same == factors.end()) {
      factors.push_back({operation.label, steps, 0, 0});
      weights.push_back(0);
    }
    weights[i] += operation.num_tasks;
    const double part = operation.num_tasks / weights[i];
    const double median = operation.mean / time / std::exp(operation.sigma * operation.sigma / 2);
    factors[i].median += part * (median - factors[i].median);
    factors[i].sigma += part * (operation.sigma - factors[i].sigma);
  }
  return factors;
}

simulated_options calibration::options(std::size_t workers) const {
  const std::vector<estimate> measured = estimates(workers);
  estimate longest;
  for (const estimate& operation : measured) {
    if (operation.num_tasks * operation.mean > longest.num_tasks * longest.mean)
      longest = operation;
  }
  using nanoseconds = random_time::nanoseconds;
  const task_model alone = fit(measured);
  const double factor =
      slowed(static_cast<double>(workers)) / slowed(static_cast<double>(nearest(workers)));
  const task_model fitted{alone.task * factor, alone.element * factor, alone.request * factor};
  const double median = fitted.element / std::exp(longest.sigma * longest.sigma / 2);
  // The cost of a batch on threads, so that simulated batches have the same length.
  const std::chrono::nanoseconds cost_per_batch = executor_traits{}.cost_per_batch;
  return {.workers = workers,
          .batch_overhead = cost_per_batch,
          .task_time = nanoseconds{fitted.task},
          .element_step = random_time::lognormal(nanoseconds{median}, longest.sigma),
          .request_time = std::chrono::round<session_time>(nanoseconds{fitted.request}),
          .slowness = slowness_of(measured, alone),
          .in_process = true};
}

}  // namespace tessera
