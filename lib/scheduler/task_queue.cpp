// SPDX-License-Identifier: Apache-2.0
#include "scheduler/task_queue.hpp"

#include "tessera/core/error.hpp"
#include "tessera/scheduler/process_group.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace tessera {

index_t tasks_per_batch(index_t num_tasks, index_t element_steps_per_task, std::size_t num_workers,
                        std::chrono::nanoseconds cost_per_batch) {
  constexpr index_t task_nanoseconds = 2'000;
  constexpr index_t step_nanoseconds = 2;
  const index_t batch_nanoseconds = 50 * cost_per_batch.count();
  const index_t steps = std::clamp<index_t>(element_steps_per_task, 0, batch_nanoseconds);
  const index_t worthwhile = batch_nanoseconds / (task_nanoseconds + step_nanoseconds * steps);
  const index_t share = num_tasks / (4 * static_cast<index_t>(num_workers));
  return std::max<index_t>(1, std::min(worthwhile, share));
}

namespace {

/// The order of a heap with the earliest batch on top.
bool comes_later(const task_batch& a, const task_batch& b) { return a.first > b.first; }

}  // namespace

task_queue::task_queue(workload& work, std::size_t operation, std::span<const task_range> remaining,
                       std::size_t num_workers, std::chrono::nanoseconds cost_per_batch)
    : operation_(operation) {
  const workload_operation& spec = work.operations()[operation];
  const group_work* const shared = work.group_work();
  const bool is_bound = shared != nullptr && shared->is_bound_to_workers(operation);
  for (const task_range& range : remaining) {
    num_tasks_ += range.last - range.first;
    if (is_bound) {
      bind(work, range, num_workers);
    } else {
      lane_of(any_worker).ranges.push_back(range);
    }
  }
  batch_size_ =
      tasks_per_batch(num_tasks_, spec.element_steps_per_task, num_workers, cost_per_batch);
}

void task_queue::bind(workload& work, const task_range& range, std::size_t num_workers) {
  const group_work& shared = *work.group_work();
  for (index_t task = range.first; task < range.last; ++task) {
    const std::size_t worker = shared.worker_of(operation_, task);
    if (worker >= num_workers && worker != any_worker) {
      throw value_error(fmt::format(
          "run: {} must run on worker {}, where its data are, but the executor has {} {}; compute "
          "on one for all processes that hold the data",
          work.describe(operation_, task), worker, num_workers,
          num_workers == 1 ? "worker" : "workers"));
    }
    std::vector<task_range>& ranges = lane_of(worker).ranges;
    if (!ranges.empty() && ranges.back().last == task) {
      ++ranges.back().last;
    } else {
      ranges.push_back({task, task + 1});
    }
  }
}

task_queue::lane& task_queue::lane_of(std::size_t worker) {
  const auto match = std::find_if(lanes_.begin(), lanes_.end(),
                                  [worker](const lane& entry) { return entry.worker == worker; });
  if (match != lanes_.end()) return *match;
  lanes_.push_back({.worker = worker});
  return lanes_.back();
}

bool task_queue::empty() const {
  return std::all_of(lanes_.begin(), lanes_.end(), [](const lane& entry) { return entry.empty(); });
}

task_queue::item task_queue::take() {
  // An empty lane has an infinite load.
  const auto load = [](const lane& entry) {
    return entry.empty() ? std::numeric_limits<std::size_t>::max() : entry.num_under_way;
  };
  lane& from =
      *std::min_element(lanes_.begin(), lanes_.end(),
                        [load](const lane& a, const lane& b) { return load(a) < load(b); });
  if (!from.returned.empty()) {
    std::pop_heap(from.returned.begin(), from.returned.end(), comes_later);
    const task_batch batch = from.returned.back();
    from.returned.pop_back();
    return {batch, true};
  }
  task_range& range = from.ranges[from.next_range];
  const index_t count = std::min(batch_size_, range.last - range.first);
  const task_batch batch{operation_, range.first, count, from.worker};
  range.first += count;
  if (range.first == range.last) ++from.next_range;
  return {batch, false};
}

void task_queue::put_back(const task_batch& batch) {
  std::vector<task_batch>& returned = lane_of(batch.worker).returned;
  returned.push_back(batch);
  std::push_heap(returned.begin(), returned.end(), comes_later);
}

bool task_queue::is_untouched(index_t task) const {
  return std::any_of(lanes_.begin(), lanes_.end(), [task](const lane& entry) {
    const auto first = entry.ranges.begin() + static_cast<std::ptrdiff_t>(entry.next_range);
    const auto range = std::partition_point(
        first, entry.ranges.end(), [task](const task_range& range) { return range.last <= task; });
    return range != entry.ranges.end() && range->first <= task;
  });
}

}  // namespace tessera
