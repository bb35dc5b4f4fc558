// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The queue of the tasks with available inputs, in the order of their priority.

#include "tessera/core/index.hpp"
#include "tessera/scheduler/workload.hpp"

#include "scheduler/api/finished_tasks.hpp"
#include "scheduler/memory_admission.hpp"
#include "scheduler/task_queue.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace tessera {

/// The queue of the tasks with available inputs, in the order of their priority.
///
/// List scheduling of a task graph, with the ranks of operations as static priorities:
///
/// 1. Tails. The tail of an operation that has begun and has readers is its last tasks, at most a
///    task for each worker. Delayed, they start a critical path with idle workers beside it, and
///    keep the inputs of the operation in memory. The longest path to the end comes first.
/// 2. Readers, operations with sources, the last in topological order first. They free the memory
///    of their inputs. A reader with a longer path than every tail comes before the tails.
/// 3. Sources, operations without inputs, in topological order.
/// 4. Deferred readers, in topological order: small reads of large sources (the fold of partial
///    states), with no source in memory. They free nothing, and a large task at the end of the run
///    would keep workers idle.
///
/// Batches of an operation are checked in the order of their tasks. A batch with a missing input
/// task waits for this task. The check continues with the next batch, so that a straggler delays
/// only its readers. A batch blocks its lane if the missing task is not submitted yet, because
/// later batches read the same task or later tasks, or if too many batches wait already.
///
/// Invariant: each waiting batch reads, directly or transitively, from a batch in flight. The
/// memory therefore grows with the batches in flight, not with the tasks.
class ready_queue {
 public:
  /// `work` and `order` outlive the queue.
  ready_queue(workload& work, const operation_order& order, std::size_t num_workers,
              std::chrono::nanoseconds cost_per_batch);

  /// Restarts the iteration over the candidate operations.
  void restart() { main_.next_rank = tails_.next_rank = 0; }

  /// Returns the next candidate, or nullopt after the last. An operation that became a candidate
  /// meanwhile comes at its rank.
  [[nodiscard]] std::optional<std::size_t> next();

  /// Takes a batch of an operation that may run. Returns nullopt if there is none; the operation is
  /// no candidate then until it has such a batch again.
  [[nodiscard]] std::optional<task_batch> take(std::size_t operation);

  /// Puts a batch back that may run: `give_back` after a take without a submission, as there was no
  /// memory for it, `put_back` for another attempt.
  void give_back(const task_batch& batch) { states_[batch.operation].queue.put_back(batch); }
  void put_back(const task_batch& batch);

  void begin(std::size_t operation);
  void handed_out(const task_batch& batch);
  void answered(const task_batch& batch);
  /// Notes that tasks of an operation have ended well.
  void end(std::size_t operation, task_range tasks);

  /// Returns the number of unfinished tasks of an operation that was a candidate before.
  [[nodiscard]] index_t num_left(std::size_t operation) const {
    return states_[operation].num_left;
  }
  /// Tells whether all tasks of an operation have ended.
  [[nodiscard]] bool is_done(std::size_t operation) const { return states_[operation].is_done; }
  /// Tells whether all sources of an operation are done.
  [[nodiscard]] bool has_all_sources(std::size_t operation) const {
    return states_[operation].num_open_sources == 0;
  }

 private:
  struct task_name {
    std::size_t operation = 0;
    index_t task = 0;
  };

  /// A batch that waits for the end of a task.
  struct waiting {
    task_batch batch;
    /// Whether the later batches of its lane are blocked.
    bool blocks_lane = false;
  };

  /// The candidate operations in the order of their ranks, and the position of the iteration.
  struct ranking_queue {
    std::vector<std::size_t> by_rank;  ///< the operation of each rank
    std::set<std::size_t> candidates;  ///< ranks
    std::size_t next_rank = 0;
  };

  struct state {
    std::size_t rank = 0;       ///< in `main_`
    std::size_t tail_rank = 0;  ///< in `tails_`
    /// The number of operations on the longest path from the operation to the end.
    std::size_t path_length = 1;
    bool has_begun = false;
    bool is_tail = false;
    index_t num_under_way = 0;  ///< tasks in flight, including the tasks of backups
    std::size_t num_unbegun_sources = 0;
    std::size_t num_open_sources = 0;
    bool is_open = false;
    bool is_done = false;
    task_queue queue;
    index_t num_left = 0;
    finished_tasks finished;
    /// The batches that wait for a task of the operation, by this task.
    std::multimap<index_t, waiting> readers;
  };

  void set_ranks();
  void set_tail_ranks();
  void enqueue(std::size_t operation);
  void dequeue(std::size_t operation);
  /// Returns the next operation of a queue with tasks to submit, without a step of the iteration.
  [[nodiscard]] std::optional<std::size_t> first_of(ranking_queue& queue);
  [[nodiscard]] bool may_be_tail(std::size_t operation) const;
  void open(std::size_t operation);
  void finish(std::size_t operation);
  void unblock_readers(const task_batch& source);
  [[nodiscard]] std::optional<task_name> find_missing(const task_batch& batch) const;
  /// Adds a batch to the readers that wait for `missing`.
  void wait(const task_batch& batch, const task_name& missing);

  workload& work_;
  const operation_order& order_;
  std::size_t num_workers_;
  std::chrono::nanoseconds cost_per_batch_;
  std::vector<state> states_;
  ranking_queue main_;              ///< without tails
  std::size_t num_readers_ = 0;     ///< the first ranks belong to readers
  std::size_t first_deferred_ = 0;  ///< the first rank of a deferred reader
  ranking_queue tails_;
  std::size_t num_waiting_ = 0;
  std::size_t most_waiting_;
};

}  // namespace tessera
