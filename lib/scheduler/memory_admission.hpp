// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The bound on the host's memory: which operation may begin, which task may run.

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
  /// All operations, each after those it reads from, the smallest index first where there is a
  /// choice.
  std::vector<std::size_t> sequence;
  /// For each operation, those that it comes after and those that come after it, without repeats.
  std::vector<std::vector<std::size_t>> sources;
  std::vector<std::vector<std::size_t>> readers;

  /// Throws: value_error <- `after` names an operation that does not exist, or has a cycle.
  explicit operation_order(const std::vector<workload_operation>& operations);
};

/// Keeps baseline + running tasks + resident memory under a limit, without deadlock.
///
/// Of the tasks that are handed out, at most one for each worker runs: the largest count. What
/// libraries take is part of the baseline, for each worker, as they may keep it.
///
/// What operations hold that begin before their turn is bound as well, by what no worker has to
/// wait for: however much there is, a run takes what its plan says.
///
/// The *reference run* takes the operations that have not ended in the order's sequence, one at a
/// time and one task at a time. The invariant is that from every state that is ever reached the
/// reference run keeps the limit (the banker's rule); scheduler.hpp tells why this suffices.
class memory_admission {
 public:
  /// What is shared, and among how many.
  struct limits {
    bytes host_memory;
    /// What is used all the time.
    bytes baseline;
    /// What is needed once all has ended.
    bytes afterwards;
    std::size_t num_workers = 1;
  };

  /// The first two arguments outlive the object.
  ///
  /// Throws: memory_error <- the reference run, or what comes afterwards, exceeds the host memory.
  memory_admission(const std::vector<workload_operation>& operations, const operation_order& order,
                   const limits& shared);

  /// Tells whether `operation`, which has not begun, may begin and run its first task now.
  ///
  /// Complexity: O(log n) in the number of operations.
  [[nodiscard]] bool may_begin(std::size_t operation) const;
  /// Tells whether what `operation` holds leaves room for as many of its tasks, or of those that it
  /// reads from, as there are workers.
  [[nodiscard]] bool leaves_room_for_workers(std::size_t operation) const;
  void begin(std::size_t operation);
  void end(std::size_t operation);

  /// Tells whether a task of `operation`, which has begun, may run now.
  [[nodiscard]] bool may_run(std::size_t operation) const;
  void task_begins(std::size_t operation);
  void task_ends(std::size_t operation);

  /// Returns what tasks may have now, all together, libraries left out.
  [[nodiscard]] bytes room_for_tasks() const { return bytes{limit_ - baseline_ - resident_}; }

  /// Tells whether there is room for all at once: a task of the largest operation on each worker,
  /// all resident memory, and what comes afterwards.
  [[nodiscard]] bool has_room_for_all() const { return has_room_for_all_; }

 private:
  enum class state : std::uint8_t { waiting, begun, ended };

  /// The step of the reference run that uses most.
  struct peak {
    std::size_t operation = 0;
    std::uint64_t resident = 0;
    std::uint64_t total = 0;
  };

  [[nodiscard]] bool find_room_for_all() const;
  /// Returns the most that operations may hold at once, outside of their tasks.
  [[nodiscard]] std::uint64_t find_most_resident() const;
  [[nodiscard]] peak highest_peak() const;
  /// Makes the reference run as it is now of what `operation` takes and gives back.
  void update_step(std::size_t operation);
  /// Returns the operation after which the reference run needs the results of `source` no more;
  /// none where they are kept to its end.
  [[nodiscard]] std::size_t last_reader(std::size_t source) const;
  void refuse(const peak& worst) const;
  void check_afterwards() const;
  /// Returns what those tasks have that run at once, with one more of `operation`.
  [[nodiscard]] std::uint64_t in_tasks_with(std::size_t operation) const;
  [[nodiscard]] std::uint64_t task_memory(std::size_t operation) const;
  [[nodiscard]] std::uint64_t resident_memory(std::size_t operation) const;
  /// Returns what of that is given back when the last reader has ended.
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
  /// The operations of which tasks are handed out, those with the largest tasks first, and how
  /// many.
  std::vector<std::pair<std::size_t, std::size_t>> handed_out_;
  std::vector<state> states_;
  /// The place of each operation in the order's sequence.
  std::vector<std::size_t> places_;
  /// For each operation its readers, by their place; those behind the last that has not ended are
  /// taken off.
  std::vector<std::vector<std::size_t>> readers_;
  /// What operations give back when they have ended, in the reference run.
  std::vector<std::uint64_t> given_back_;
  /// The reference run, in which what is held now comes besides.
  peak_tree run_;
  /// The same without tasks.
  peak_tree resident_run_;
};

}  // namespace tessera
