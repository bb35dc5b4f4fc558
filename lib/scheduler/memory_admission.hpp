// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Admission control by the host's memory: which operation may begin, which task may run.

#include "tessera/core/bytes.hpp"
#include "tessera/scheduler/workload.hpp"

#include "scheduler/peak_tree.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tessera {

/// The order and the dependencies of a workload's operations.
struct operation_order {
  /// The operations in topological order, the smallest index first among the ready ones.
  std::vector<std::size_t> sequence;
  /// The predecessors and the successors of each operation, without duplicates.
  std::vector<std::vector<std::size_t>> sources;
  std::vector<std::vector<std::size_t>> readers;

  /// Throws: value_error <- `after` names an operation that does not exist, or has a cycle.
  explicit operation_order(const std::vector<workload_operation>& operations);
};

/// Keeps baseline + running tasks + resident memory under a limit, without deadlock.
///
/// Problem: an operation that begins early holds its output arrays until its readers have ended.
/// Enough such operations fill the memory, and no task that would free some can run.
///
/// Idea: the banker's algorithm (Dijkstra, EWD-623). The *reference run* executes the operations
/// that have not ended in topological order, a single operation and a single task at a time.
/// An operation may begin only if the reference run still keeps the limit afterwards.
///
/// Invariant: the reference run keeps the limit from every state that a run reaches. scheduler.hpp
/// explains why this rules out a deadlock.
///
/// Running tasks: at most `num_workers` of the submitted tasks run, so the largest ones count.
/// Baseline: the memory of libraries counts for each worker, because libraries may keep it.
/// Arrays of early operations: at most the amount that keeps all workers busy, as the plan
/// projects it, however much host memory is free.
class memory_admission {
 public:
  /// The shared memory, and the number of its users.
  struct limits {
    bytes host_memory;
    /// The memory in use during the whole run.
    bytes baseline;
    /// The memory for reading the results after the run.
    bytes afterwards;
    std::size_t num_workers = 1;
  };

  /// The first two arguments outlive the object.
  ///
  /// Throws: memory_error <- the reference run, or reading the results, exceeds the host memory.
  memory_admission(const std::vector<workload_operation>& operations, const operation_order& order,
                   const limits& shared);

  /// Tells whether `operation`, which has not begun, may begin and run its first task now.
  ///
  /// Complexity: O(log n) in the number of operations.
  [[nodiscard]] bool may_begin(std::size_t operation) const;
  /// Tells whether the arrays of `operation` leave room for `num_workers` tasks at once, of the
  /// operation or of its sources.
  [[nodiscard]] bool leaves_room_for_workers(std::size_t operation) const;
  void begin(std::size_t operation);
  void end(std::size_t operation);

  /// Tells whether a task of `operation`, which has begun, may run now.
  [[nodiscard]] bool may_run(std::size_t operation) const;
  void task_begins(std::size_t operation);
  void task_ends(std::size_t operation);

  /// Returns the memory for all running tasks together, without the memory of libraries.
  [[nodiscard]] bytes room_for_tasks() const { return bytes{limit_ - baseline_ - resident_}; }

  /// Tells whether the limit covers the sum of all demands: a task of the largest operation on
  /// each worker, all resident memory, and reading the results.
  [[nodiscard]] bool has_room_for_all() const { return has_room_for_all_; }

 private:
  enum class state : std::uint8_t { waiting, begun, ended };

  /// The step of the reference run with the largest memory.
  struct peak {
    std::size_t operation = 0;
    std::uint64_t resident = 0;
    std::uint64_t total = 0;
  };

  [[nodiscard]] bool find_room_for_all() const;
  /// Returns the largest memory that operations may hold at once, outside of their tasks.
  [[nodiscard]] std::uint64_t find_most_resident() const;
  [[nodiscard]] peak highest_peak() const;
  /// Updates the step of `operation` in the reference run.
  void update_step(std::size_t operation);
  /// Returns the last reader of `source` in the reference run, or `no_operation` if it has none.
  [[nodiscard]] std::size_t last_reader(std::size_t source) const;
  void refuse(const peak& worst) const;
  void check_afterwards() const;
  /// Returns the memory of the tasks that run at once, including a further task of `operation`.
  [[nodiscard]] std::uint64_t in_tasks_with(std::size_t operation) const;
  [[nodiscard]] std::uint64_t task_memory(std::size_t operation) const;
  [[nodiscard]] std::uint64_t resident_memory(std::size_t operation) const;
  /// Returns the part of the resident memory that is freed when the last reader has ended.
  [[nodiscard]] std::uint64_t passing_memory(std::size_t operation) const;

  const std::vector<workload_operation>& operations_;
  const operation_order& order_;
  std::uint64_t limit_;
  std::uint64_t baseline_;
  std::uint64_t afterwards_;
  std::size_t num_workers_;
  bool has_room_for_all_ = false;
  std::uint64_t resident_ = 0;
  std::uint64_t most_resident_ = 0;
  /// The operations with submitted tasks and the numbers of these, the largest tasks first.
  std::vector<std::pair<std::size_t, std::size_t>> submitted_;
  std::vector<state> states_;
  /// The position of each operation in the topological order.
  std::vector<std::size_t> positions_;
  /// The readers of each operation by position, up to the last reader that has not ended.
  std::vector<std::vector<std::size_t>> readers_;
  /// The memory that the end of each operation frees in the reference run.
  std::vector<std::uint64_t> given_back_;
  /// The reference run, on top of the memory that is held now.
  peak_tree run_;
  /// The reference run without the memory of tasks.
  peak_tree resident_run_;
};

}  // namespace tessera
