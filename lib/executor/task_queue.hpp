// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The tasks of one operation that have not been handed out: batches, and what is tried again.

#include "tessera/core/index.hpp"
#include "tessera/executor/workload.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

/// Returns how many tasks of `operation` are handed out together.
///
/// Enough that a batch takes about half a millisecond, taking two nanoseconds for an element and
/// two microseconds for a task: handing out a batch costs some ten microseconds. But at most so
/// many that there are four batches for each worker.
[[nodiscard]] index_t tasks_per_batch(const workload_operation& operation, std::size_t num_workers);

/// The tasks of one operation that have not been handed out.
class task_queue {
 public:
  task_queue(std::size_t operation, const workload_operation& what, std::size_t num_workers);

  [[nodiscard]] bool empty() const { return next_ == num_tasks_ && returned_.empty(); }

  /// Takes the next batch: what was put back first, then what was never handed out.
  [[nodiscard]] task_batch take();

  void put_back(const task_batch& batch) { returned_.push_back(batch); }

 private:
  std::size_t operation_;
  index_t num_tasks_;
  index_t batch_size_;
  index_t next_ = 0;
  std::vector<task_batch> returned_;
};

}  // namespace tessera
