// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The tasks of one operation that have not been handed out: batches, and what is tried again.

#include "tessera/core/index.hpp"
#include "tessera/scheduler/workload.hpp"

#include <chrono>
#include <cstddef>
#include <vector>

namespace tessera {

/// Returns how many of `num_tasks` tasks are handed out together.
///
/// Enough that a batch takes about fifty times as long as handing it out costs, taking two
/// nanoseconds for an element and two microseconds for a task. But at most so many that there are
/// four batches for each worker.
[[nodiscard]] index_t tasks_per_batch(index_t num_tasks, index_t elements_per_task,
                                      std::size_t num_workers,
                                      std::chrono::nanoseconds cost_per_batch);

/// The tasks of one operation that have not been handed out.
///
/// Tasks that are bound to workers wait in a lane for each of them; all others in one lane.
class task_queue {
 public:
  task_queue() = default;

  /// Takes the tasks that `work` has left of `operation`, which has begun.
  task_queue(workload& work, std::size_t operation, std::size_t num_workers,
             std::chrono::nanoseconds cost_per_batch);

  /// Returns how many tasks it held when it was made.
  [[nodiscard]] index_t num_tasks() const { return num_tasks_; }

  [[nodiscard]] bool empty() const { return num_waiting_ == 0; }

  /// Takes the next batch, of the lane that has the fewest under way: what was put back first, then
  /// what was never handed out.
  [[nodiscard]] task_batch take();

  /// Notes that a batch of `worker`'s lane that was taken is no longer under way.
  void answered(std::size_t worker);

  void put_back(const task_batch& batch);

 private:
  struct lane {
    std::size_t worker = any_worker;
    std::vector<task_range> ranges{};
    std::size_t next_range = 0;
    std::vector<task_batch> returned{};
    std::size_t num_under_way = 0;

    [[nodiscard]] bool empty() const { return next_range == ranges.size() && returned.empty(); }
  };

  [[nodiscard]] lane& lane_of(std::size_t worker);
  void bind(workload& work, const task_range& range, std::size_t num_workers);

  std::size_t operation_ = 0;
  index_t batch_size_ = 1;
  index_t num_tasks_ = 0;
  index_t num_waiting_ = 0;
  std::vector<lane> lanes_;
};

}  // namespace tessera
