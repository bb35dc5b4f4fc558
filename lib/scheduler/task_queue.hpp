// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The tasks of one operation that have not been handed out: batches, and what is tried again.

#include "tessera/core/index.hpp"
#include "tessera/scheduler/workload.hpp"

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

namespace tessera {

/// Returns how many of `num_tasks` tasks are handed out together.
///
/// Enough that a batch takes about fifty times as long as handing it out costs, taking two
/// nanoseconds for a step on an element and two microseconds for a task. But at most so many that
/// there are four batches for each worker.
[[nodiscard]] index_t tasks_per_batch(index_t num_tasks, index_t element_steps_per_task,
                                      std::size_t num_workers,
                                      std::chrono::nanoseconds cost_per_batch);

/// The tasks of one operation that have not been handed out.
///
/// Tasks that are bound to workers wait in a lane for each of them; all others in one lane. A lane
/// that is held makes no new batches, until it is released as often.
class task_queue {
 public:
  /// A batch, and whether it was put back: then it may run.
  struct item {
    task_batch batch;
    bool was_put_back = false;
  };

  task_queue() = default;

  /// Takes what is `left` of the tasks of `operation`.
  task_queue(workload& work, std::size_t operation, std::span<const task_range> left,
             std::size_t num_workers, std::chrono::nanoseconds cost_per_batch);

  /// Returns how many tasks it held when it was made.
  [[nodiscard]] index_t num_tasks() const { return num_tasks_; }

  /// Tells whether there is nothing to take.
  [[nodiscard]] bool empty() const;

  /// Takes the next batch, of the lane that has the fewest under way: of what was put back the
  /// first, then what was never taken.
  [[nodiscard]] item take();

  /// Takes a batch back that may run.
  void put_back(const task_batch& batch);

  /// Notes that a batch of `worker`'s lane is under way, or no longer is.
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
