// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Which tasks may run by what they read, and which of them come first.

#include "tessera/core/index.hpp"
#include "tessera/scheduler/workload.hpp"

#include "scheduler/finished_tasks.hpp"
#include "scheduler/memory_admission.hpp"
#include "scheduler/task_queue.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace tessera {

/// Which tasks may run by what they read, and which of them come first.
///
/// Operations that read from others have their turn before those that do not, the latest in the
/// order first, so that what they read can go; the others have it in the order. Those that read
/// little of what large ones have made, as folds of states do, and nothing in memory, come last, in
/// the order: what they read is in nobody's way, and large tasks that are left to the end would
/// keep workers waiting.
///
/// Of an operation, batches are looked at in the order of their tasks. One that reads from a task
/// that has not ended waits for it, and others behind it are looked at all the same: a straggler
/// delays its own readers alone. But nothing is looked at behind one that reads from a task which
/// was itself not looked at, as what follows reads from later ones, or the same. So nothing is kept
/// for each task: what waits reads, directly or through others, from what is under way.
class agenda {
 public:
  /// What it is given outlives it.
  agenda(workload& work, const operation_order& order, std::size_t num_workers,
         std::chrono::nanoseconds cost_per_batch);

  /// Begins to go through the operations that may have tasks to hand out.
  void restart() { next_turn_ = 0; }

  /// Returns the next of them; one that came to have tasks meanwhile and is earlier in turn comes
  /// first.
  [[nodiscard]] std::optional<std::size_t> next();

  /// Takes a batch of an operation that may run; where there is none, it has no turn until it has.
  [[nodiscard]] std::optional<task_batch> take(std::size_t operation);

  /// Takes a batch back that may run: `give_back` what was just taken and not handed out, as there
  /// is no room for it, `put_back` what is to be tried again.
  void give_back(const task_batch& batch) { states_[batch.operation].queue.put_back(batch); }
  void put_back(const task_batch& batch);

  void begin(std::size_t operation);
  void handed_out(const task_batch& batch);
  void answered(const task_batch& batch);
  /// Notes that tasks of an operation have ended well.
  void end(std::size_t operation, task_range tasks);

  /// Returns how many tasks an operation that had its turn has left.
  [[nodiscard]] index_t num_left(std::size_t operation) const {
    return states_[operation].num_left;
  }
  /// Tells whether all tasks of an operation have ended.
  [[nodiscard]] bool is_done(std::size_t operation) const { return states_[operation].is_done; }
  /// Tells whether all operations that it reads from are done.
  [[nodiscard]] bool has_all_sources(std::size_t operation) const {
    return states_[operation].num_open_sources == 0;
  }

 private:
  struct task_name {
    std::size_t operation = 0;
    index_t task = 0;
  };

  /// A batch that waits for a task to end.
  struct waiting {
    task_batch batch;
    /// Whether nothing behind it is looked at.
    bool holds_lane = false;
  };

  struct state {
    std::size_t num_unbegun_sources = 0;
    std::size_t num_open_sources = 0;
    bool is_open = false;
    bool is_done = false;
    task_queue queue;
    index_t num_left = 0;
    finished_tasks finished;
    /// What waits for its tasks.
    std::multimap<index_t, waiting> readers;
  };

  void wake(std::size_t operation);
  void open(std::size_t operation);
  void finish(std::size_t operation);
  void look_behind(const task_batch& taken);
  [[nodiscard]] std::optional<task_name> find_missing(const task_batch& batch) const;
  /// Lets a batch wait for `missing`.
  void wait(const task_batch& batch, const task_name& missing);

  workload& work_;
  const operation_order& order_;
  std::size_t num_workers_;
  std::chrono::nanoseconds cost_per_batch_;
  std::vector<state> states_;
  std::vector<std::size_t> turns_;    ///< for each operation
  std::vector<std::size_t> by_turn_;  ///< for each turn, the operation
  std::set<std::size_t> awake_;       ///< the turns of operations that may have tasks to hand out
  std::size_t next_turn_ = 0;
  std::size_t num_waiting_ = 0;
  std::size_t most_waiting_;
};

}  // namespace tessera
