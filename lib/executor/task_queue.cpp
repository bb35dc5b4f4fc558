// SPDX-License-Identifier: Apache-2.0
#include "executor/task_queue.hpp"

#include <algorithm>

namespace tessera {

index_t tasks_per_batch(const workload_operation& operation, std::size_t num_workers) {
  constexpr index_t batch_nanoseconds = 500'000;
  constexpr index_t task_nanoseconds = 2'000;
  constexpr index_t element_nanoseconds = 2;
  const index_t elements = std::clamp<index_t>(operation.elements_per_task, 0, batch_nanoseconds);
  const index_t worthwhile =
      batch_nanoseconds / (task_nanoseconds + element_nanoseconds * elements);
  const index_t share = operation.num_tasks / (4 * static_cast<index_t>(num_workers));
  return std::max<index_t>(1, std::min(worthwhile, share));
}

task_queue::task_queue(std::size_t operation, const workload_operation& what,
                       std::size_t num_workers)
    : operation_(operation),
      num_tasks_(what.num_tasks),
      batch_size_(tasks_per_batch(what, num_workers)) {}

task_batch task_queue::take() {
  if (!returned_.empty()) {
    const task_batch batch = returned_.back();
    returned_.pop_back();
    return batch;
  }
  const index_t count = std::min(batch_size_, num_tasks_ - next_);
  const task_batch batch{operation_, next_, count};
  next_ += count;
  return batch;
}

}  // namespace tessera
