// SPDX-License-Identifier: Apache-2.0
#include "tessera/observe/calibration.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace tessera {

void calibration::on_computation_begin(const computation_event& event) {
  first_ = operations_.size();
  for (const workload_operation& operation : event.operations) {
    operations_.push_back({static_cast<double>(operation.elements_per_task), 0, {}});
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

/// A line through the points (elements, time) of all tasks, neither coefficient negative.
calibration::costs calibration::fit(const std::vector<estimate>& operations) {
  double count = 0;
  double elements = 0;
  double time = 0;
  for (const estimate& each : operations) {
    count += each.num_tasks;
    elements += each.num_tasks * each.elements_per_task;
    time += each.num_tasks * each.mean;
  }
  double covariance = 0;
  double variance = 0;
  for (const estimate& each : operations) {
    const double distance = each.elements_per_task - elements / count;
    covariance += distance * each.num_tasks * each.mean;
    variance += distance * distance * each.num_tasks;
  }
  const double slope = variance > 0 ? covariance / variance : 0;
  const double start = (time - slope * elements) / count;
  if (slope > 0 && start >= 0) return {start, slope};
  const bool is_falling = variance > 0 && slope <= 0;
  return is_falling || elements == 0 ? costs{time / count, 0} : costs{0, time / elements};
}

simulated_options calibration::options(std::size_t workers) const {
  std::vector<estimate> estimates;
  estimate longest;
  for (const samples& each : operations_) {
    if (each.times.empty()) continue;
    estimates.push_back(estimated(each));
    const estimate& now = estimates.back();
    if (now.num_tasks * now.mean > longest.num_tasks * longest.mean) longest = now;
  }
  if (estimates.empty()) {
    throw value_error(
        "calibration: no task has ended; make the object an observer of a run that computes");
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
