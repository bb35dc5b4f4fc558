// SPDX-License-Identifier: Apache-2.0
#include "executor/simulated/tasks.hpp"

#include "executor/simulated/random_stream.hpp"

#include <cmath>

namespace tessera {

namespace {

session_time rounded(double nanoseconds) { return session_time{std::llround(nanoseconds)}; }

/// Returns a key for each task; two that have the same one share nothing but a count.
std::uint64_t key_of(std::size_t operation, index_t task) {
  return random_stream{operation, static_cast<std::uint64_t>(task)}.next_word();
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
      draw(options_.time_per_element, random) * static_cast<double>(operation.elements_per_task);
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
