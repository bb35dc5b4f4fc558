// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What a scheduler runs, without knowing what it is: operations made of numbered tasks.

#include "tessera/core/bytes.hpp"
#include "tessera/core/index.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tessera {

/// One operation as the scheduler sees it.
struct workload_operation {
  std::string name;
  index_t num_tasks = 0;
  /// Elements of input and output that one task touches: tells how many tasks make a batch.
  index_t elements_per_task = 0;
  /// What one running task uses at most, reserved memory left out.
  bytes task_memory;
  /// What the operation's outputs hold in memory from its begin until the end of its last reader.
  bytes resident_memory;
  /// The operations that must have ended before.
  std::vector<std::size_t> after;
};

/// A batch of neighbouring tasks of one operation.
struct task_batch {
  std::size_t operation = 0;
  index_t first = 0;
  index_t count = 1;
};

/// Operations made of numbered tasks.
///
/// Threads: `begin` and `end` are called by the scheduler's thread, `run` by any worker's, at the
/// same time for different batches. A task may run more than once, also at the same time: it is
/// idempotent.
class workload {
 public:
  virtual ~workload() = default;

  [[nodiscard]] virtual const std::vector<workload_operation>& operations() const = 0;

  /// Prepares the outputs of an operation; called once, before its first task.
  virtual void begin(std::size_t operation) = 0;

  /// Runs one task on the place `worker`, in [0, number of workers).
  virtual void run(std::size_t operation, index_t task, std::size_t worker) = 0;

  /// Called once, after the last task of an operation has ended.
  virtual void end(std::size_t operation) = 0;

  /// Returns what the task works on, for messages: "block (0, 3)".
  [[nodiscard]] virtual std::string describe(std::size_t operation, index_t task) const = 0;
};

}  // namespace tessera
