// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The work of a scheduler, without its meaning: operations made of numbered tasks.

#include "tessera/core/bytes.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/task_range.hpp"

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace tessera {

class group_work;

/// One operation as the scheduler sees it.
struct workload_operation {
  /// The label of the plan's operation, as its table and its explanation have it.
  std::string name;
  index_t num_tasks = 0;
  /// The work of one task, in steps of a light kernel, as an addition is one, on an element: tells
  /// how many tasks make a batch.
  index_t element_steps_per_task = 0;
  /// The bytes that one task reads from, and writes to, storage: decoded, on average.
  bytes bytes_read_per_task{};
  bytes bytes_written_per_task{};
  /// The number of requests, on average, if it reads or writes at all.
  double reads_per_task = 1;
  double writes_per_task = 1;
  /// The number of them in flight at once, on average.
  double reads_in_flight = 1;
  double writes_in_flight = 1;
  /// The bytes that one task reads from, and writes to, arrays in memory.
  bytes memory_moved_per_task{};
  /// The peak memory of one running task, reserved memory left out.
  bytes task_memory;
  /// The part of it that libraries allocate by themselves: they may keep it when the task has
  /// ended.
  bytes library_memory{};
  /// The operation's outputs in memory, from its begin until the end of its last reader.
  bytes resident_memory;
  /// The part of it that is there until the end of the run, whoever reads it.
  bytes kept_memory{};
  /// The operations that it reads from: a task runs once those of their tasks have ended that
  /// `workload::needs` names.
  std::vector<std::size_t> after;
  /// Whether two copies of a task may run at the same time: all that it writes is written
  /// atomically.
  bool may_be_duplicated = false;
};

/// The worker of a task that any worker may run.
inline constexpr std::size_t any_worker = std::numeric_limits<std::size_t>::max();

/// A batch of neighbouring tasks of one operation.
struct task_batch {
  std::size_t operation = 0;
  index_t first = 0;
  index_t count = 1;
  /// The worker that must run it, or any.
  std::size_t worker = any_worker;
  /// Whether a worker with memory of its own may keep it for its next batch; else it gives that
  /// back before the batch is answered.
  bool may_keep = true;
};

/// The recipe by which a process of the same program makes an equal workload.
struct workload_recipe {
  /// The name under which `register_workload` knows how.
  std::string kind;
  /// The argument of that function.
  std::string content;
};

/// Operations made of numbered tasks.
///
/// Threads: `begin` and `end` are called by the scheduler's thread, `run` by any worker's, at the
/// same time for different batches. A task may run more than once, also at the same time: it is
/// idempotent. In a process that only runs tasks, `run`, `run_in_order`, `describe` and
/// `limit_tasks` are all that is called.
class workload {
 public:
  workload() = default;
  workload(const workload&) = delete;
  workload& operator=(const workload&) = delete;
  virtual ~workload() = default;

  [[nodiscard]] virtual const std::vector<workload_operation>& operations() const = 0;

  /// Returns the tasks that are to be run, in order and without overlaps: all, less those that an
  /// earlier run has finished. Called once, before `begin`.
  [[nodiscard]] virtual std::vector<task_range> remaining(std::size_t operation);

  /// Returns the tasks of `source`, one of those that `operation` comes after, which must have
  /// ended before any of `tasks` may run. It may name too many; as it is, all.
  [[nodiscard]] virtual std::vector<task_range> needs(std::size_t operation, task_range tasks,
                                                      std::size_t source) const;

  /// Prepares the outputs of an operation; called once, before its first task, after those of all
  /// that it comes after.
  virtual void begin(std::size_t operation) = 0;

  /// Runs one task on the place `worker`, in [0, number of workers).
  virtual void run(std::size_t operation, index_t task, std::size_t worker) = 0;

  /// Runs tasks in order, each as `run` does, and adds one to `done` as each ends: the first that
  /// fails is task `tasks.first + done`. A workload overrides it if tasks of an operation can share
  /// preparations.
  virtual void run_in_order(std::size_t operation, task_range tasks, std::size_t worker,
                            index_t& done);

  /// Called once, after the last task of an operation, and of all that it comes after, has ended.
  virtual void end(std::size_t operation) = 0;

  /// Limits the memory of all tasks in this process together, with the memory that is kept from one
  /// for the next but without that of libraries; memory above the limit is given back. Called
  /// before the first task, when the limit has changed, and, with zero, when none runs.
  virtual void limit_tasks(bytes /*all*/) {}

  /// Returns the part that the task computes, for messages: "block (0, 3)".
  [[nodiscard]] virtual std::string describe(std::size_t operation, index_t task) const = 0;

  /// Returns the recipe by which a process of the same program makes an equal workload, to run its
  /// tasks.
  ///
  /// Throws: value_error <- the workload cannot leave this process.
  [[nodiscard]] virtual workload_recipe recipe();

  /// Returns how processes that each made the run for itself join it; null if they cannot.
  [[nodiscard]] virtual tessera::group_work* group_work() { return nullptr; }
};

}  // namespace tessera
