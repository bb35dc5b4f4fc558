// SPDX-License-Identifier: Apache-2.0
#include "tessera/observe/calibration.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <set>

namespace tessera {

void calibration::on_computation_begin(const computation_event& event) {
  first_ = operations_.size();
  for (const workload_operation& operation : event.operations) {
    operations_.push_back(
        {event.num_workers, static_cast<double>(operation.elements_per_task), 0, {}});
  }
}

void calibration::on_tasks_end(const tasks_event& event) {
  samples& own = operations_[first_ + event.operation];
  const auto count = static_cast<double>(event.count);
  own.num_tasks += count;
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
  return {seen.elements_per_task, seen.num_tasks, mean, sigma};
}

/// A line through the points (elements, time) of all tasks, neither coefficient negative, with the
/// least squares of what it is off as a part of the time; an operation counts by the time that all
/// of its tasks took.
calibration::costs calibration::fit(const std::vector<estimate>& operations) {
  double weights = 0;
  double elements = 0;
  double time = 0;
  double squares = 0;
  double products = 0;
  for (const estimate& each : operations) {
    const double weight = each.num_tasks / each.mean;
    weights += weight;
    elements += weight * each.elements_per_task;
    time += weight * each.mean;
    squares += weight * each.elements_per_task * each.elements_per_task;
    products += weight * each.elements_per_task * each.mean;
  }
  const double variance = squares * weights - elements * elements;
  const double covariance = products * weights - elements * time;
  const bool are_alike = variance <= 1e-12 * squares * weights;
  const double slope = are_alike ? 0 : covariance / variance;
  const double start = (time - slope * elements) / weights;
  if (slope > 0 && start >= 0) return {start, slope};
  const bool is_falling = !are_alike && slope <= 0;
  return is_falling || squares == 0 ? costs{time / weights, 0} : costs{0, products / squares};
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

simulated_options calibration::options(std::size_t workers) const {
  const std::size_t seen_workers = nearest(workers);
  std::vector<estimate> estimates;
  estimate longest;
  for (const samples& each : operations_) {
    if (each.num_workers != seen_workers || each.times.empty()) continue;
    estimates.push_back(estimated(each));
    const estimate& now = estimates.back();
    if (now.num_tasks * now.mean > longest.num_tasks * longest.mean) longest = now;
  }
  using nanoseconds = random_time::nanoseconds;
  const costs found = fit(estimates);
  const double median = found.element / std::exp(longest.sigma * longest.sigma / 2);
  // What handing out a batch costs threads: so batches are as long as theirs.
  const std::chrono::nanoseconds cost_per_batch = executor_traits{}.cost_per_batch;
  return {.workers = workers,
          .batch_overhead = cost_per_batch,
          .task_time = nanoseconds{found.task},
          .time_per_element = random_time::lognormal(nanoseconds{median}, longest.sigma),
          .in_process = true};
}

}  // namespace tessera
