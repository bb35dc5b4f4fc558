// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The tasks of an operation that have not been submitted, in batches.

#include "tessera/core/index.hpp"
#include "tessera/scheduler/workload.hpp"

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

namespace tessera {

/// Returns the number of tasks in a batch.
///
/// A batch takes about 50 times as long as its submission costs, so that the overhead is 2 %. The
/// estimate is 2 ns for a step on an element and 2 us for a task. There are at least four batches
/// for each worker, for balance.
[[nodiscard]] index_t tasks_per_batch(index_t num_tasks, index_t element_steps_per_task,
                                      std::size_t num_workers,
                                      std::chrono::nanoseconds cost_per_batch);

/// The tasks of an operation that have not been submitted.
///
/// Each worker with bound tasks has a lane. The tasks without a bound worker share a lane. A lane
/// forms no new batches while it has more `hold` than `release` calls.
class task_queue {
 public:
  /// A batch, and whether it was put back. A batch that was put back has all its inputs.
  struct item {
    task_batch batch;
    bool was_put_back = false;
  };

  task_queue() = default;

  /// Queues the tasks `remaining` of `operation`.
  task_queue(workload& work, std::size_t operation, std::span<const task_range> remaining,
             std::size_t num_workers, std::chrono::nanoseconds cost_per_batch);

  /// Returns the number of tasks at construction.
  [[nodiscard]] index_t num_tasks() const { return num_tasks_; }

  /// Tells whether no batch can be taken.
  [[nodiscard]] bool empty() const;

  /// Takes the next batch of the lane with the fewest batches in flight. Batches that were put back
  /// come first, in the order of their tasks.
  [[nodiscard]] item take();

  /// Puts a batch back that has all its inputs.
  void put_back(const task_batch& batch);

  /// Counts a batch of `worker`'s lane as in flight, or as ended.
  void handed_out(std::size_t worker) { ++lane_of(worker).num_under_way; }
  void answered(std::size_t worker) { --lane_of(worker).num_under_way; }

  void hold(std::size_t worker) { ++lane_of(worker).num_holding; }
  void release(std::size_t worker) { --lane_of(worker).num_holding; }

  /// Tells whether a task was never taken.
  [[nodiscard]] bool is_untouched(index_t task) const;

 private:
  struct lane {
    std::size_t worker = any_worker;
    std::vector<task_range> ranges{};
    std::size_t next_range = 0;
    std::vector<task_batch> returned{};  ///< a heap, the first task on top
    std::size_t num_under_way = 0;
    std::size_t num_holding = 0;

    [[nodiscard]] bool empty() const {
      return returned.empty() && (num_holding > 0 || next_range == ranges.size());
    }
  };

  [[nodiscard]] lane& lane_of(std::size_t worker);
  void bind(workload& work, const task_range& range, std::size_t num_workers);

  std::size_t operation_ = 0;
  index_t batch_size_ = 1;
  index_t num_tasks_ = 0;
  std::vector<lane> lanes_;
};

}  // namespace tessera
