// SPDX-License-Identifier: Apache-2.0
#include "executor/simulated/tasks.hpp"

#include "executor/simulated/random_stream.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace tessera {

namespace {

session_time rounded(double nanoseconds) { return session_time{std::llround(nanoseconds)}; }

/// Returns a hash of a task. Tasks with the same hash share only a count of attempts.
std::uint64_t key_of(std::size_t operation, index_t task) {
  return random_stream{operation, static_cast<std::uint64_t>(task)}.next_word();
}

/// Returns the nanoseconds for `size` at a bandwidth of `most` a second, or 0 without a limit.
double to_move(bytes size, bytes most) {
  if (most == bytes{}) return 0;
  return 1e9 * static_cast<double>(size.count()) / static_cast<double>(most.count());
}

/// Returns the number of requests of a task.
double count_requests(const workload_operation& operation) {
  const double reads = operation.bytes_read_per_task > bytes{} ? operation.reads_per_task : 0;
  return reads + (operation.bytes_written_per_task > bytes{} ? operation.writes_per_task : 0);
}

double draw(const random_time& time, random_stream& random) {
  const double first = random.next();
  return time.draw(first, random.next()).count();
}

/// Returns the factor at `steps` between its neighbours in `sizes`, or that of the nearest size.
operation_slowness interpolated(const std::vector<operation_slowness>& sizes, double steps) {
  const auto above = std::ranges::upper_bound(sizes, steps, {}, &operation_slowness::element_steps);
  if (above == sizes.begin()) return sizes.front();
  if (above == sizes.end()) return sizes.back();
  const operation_slowness& low = *std::prev(above);
  const double part = std::log(steps / std::max(low.element_steps, 1.0)) /
                      std::log(above->element_steps / std::max(low.element_steps, 1.0));
  operation_slowness between = low;
  between.median += part * (above->median - low.median);
  between.sigma += part * (above->sigma - low.sigma);
  return between;
}

/// Draws the factor of a task.
double draw(const operation_slowness& slowness, random_stream& random) {
  using nanoseconds = random_time::nanoseconds;
  return draw(random_time::lognormal(nanoseconds{slowness.median}, slowness.sigma), random);
}

}  // namespace

simulated_tasks::simulated_tasks(const simulated_options& options) : options_(options) {
  for (const operation_slowness& slowness : options.slowness) {
    slowness_[slowness.label].push_back(slowness);
  }
  for (auto& [label, sizes] : slowness_) {
    std::ranges::sort(sizes, {}, &operation_slowness::element_steps);
  }
}

/// Returns the nanoseconds of a task without those of the store. A measured operation has its own
/// spread, around the mean of the others.
double simulated_tasks::own_time(const workload_operation& operation, random_stream& random) const {
  const auto known = slowness_.find(operation.name);
  const bool is_known = known != slowness_.end();
  const auto time_of = [&](const random_time& time) {
    return is_known ? random_time::nanoseconds{time.mean()}.count() : draw(time, random);
  };
  const auto steps = static_cast<double>(operation.element_steps_per_task);
  double time = time_of(options_.task_time) + time_of(options_.element_step) * steps;
  time += random_time::nanoseconds{options_.request_time}.count() * count_requests(operation);
  time += to_move(operation.memory_moved_per_task, options_.memory_bandwidth);
  // The time beyond that of the requests, at the shared bandwidth.
  for (const auto& [size, most] :
       {std::pair{operation.bytes_read_per_task, options_.read_bandwidth},
        {operation.bytes_written_per_task, options_.write_bandwidth}}) {
    time += std::max(0.0, to_move(size, most) - to_move(size, options_.bandwidth));
  }
  if (!is_known) return time;
  const double steps_of_request = steps / std::max(count_requests(operation), 1.0);
  return time * draw(interpolated(known->second, steps_of_request), random);
}

simulated_attempt simulated_tasks::start(const workload_operation& operation, std::size_t number,
                                         index_t task) {
  const std::uint64_t attempt = num_starts_[key_of(number, task)]++;
  random_stream random{options_.seed, number, static_cast<std::uint64_t>(task), attempt};
  double time = own_time(operation, random);
  if (random.next() < options_.stragglers.probability) time *= options_.stragglers.slowness;
  const bool is_failure = random.next() < options_.failures;
  if (random.next() < options_.lost_workers) {
    return {rounded(time * random.next()), attempt_end::lost};
  }
  return {rounded(time), is_failure ? attempt_end::failed : attempt_end::good};
}

void simulated_tasks::end(std::size_t operation, index_t task) {
  num_starts_.erase(key_of(operation, task));
}

session_time simulated_tasks::start_up(std::size_t worker, std::uint64_t num_batches) const {
  random_stream random{options_.seed, worker, num_batches};
  return rounded(draw(options_.start_up, random));
}

}  // namespace tessera
