// SPDX-License-Identifier: Apache-2.0
#include "executor/simulated/tasks.hpp"

#include "executor/simulated/random_stream.hpp"

#include <algorithm>
#include <cmath>
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

double draw(const random_time& time, random_stream& random) {
  const double first = random.next();
  return time.draw(first, random.next()).count();
}

}  // namespace

simulated_attempt simulated_tasks::start(const workload_operation& operation, std::size_t number,
                                         index_t task) {
  const std::uint64_t attempt = num_starts_[key_of(number, task)]++;
  random_stream random{options_.seed, number, static_cast<std::uint64_t>(task), attempt};
  double time = draw(options_.task_time, random);
  time +=
      draw(options_.element_step, random) * static_cast<double>(operation.element_steps_per_task);
  time += to_move(operation.memory_moved_per_task, options_.memory_bandwidth);
  // The time beyond that of the requests, at the shared bandwidth.
  for (const auto& [size, most] :
       {std::pair{operation.bytes_read_per_task, options_.read_bandwidth},
        {operation.bytes_written_per_task, options_.write_bandwidth}}) {
    time += std::max(0.0, to_move(size, most) - to_move(size, options_.bandwidth));
  }
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
