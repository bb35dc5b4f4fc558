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
/// But before those that read, tails come: of an operation that has begun and is read, the tasks
/// that are left once they are no more than the workers. Left to the end of the run they would be
/// the beginning of a path through all that reads them, beside which there is nothing to do; and
/// while they are left, what the operation reads is kept. Of tails, those with the longest such
/// path behind them come first, and none where the reader whose turn it is has a longer one.
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
  void restart() { all_.next_turn = tails_.next_turn = 0; }

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

  /// Operations that may have tasks to hand out, by their turns, and where to go on among them.
  struct line {
    std::vector<std::size_t> by_turn;  ///< for each turn, the operation
    std::set<std::size_t> awake;       ///< turns
    std::size_t next_turn = 0;
  };

  struct state {
    std::size_t turn = 0;       ///< among all operations
    std::size_t tail_turn = 0;  ///< among the tails
    /// How many operations come one after the other from it on, itself included.
    std::size_t chain = 1;
    bool has_begun = false;
    bool is_tail = false;
    index_t num_under_way = 0;  ///< tasks, those of copies counted again
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

  void set_turns();
  void set_tail_turns();
  void wake(std::size_t operation);
  void sleep(std::size_t operation);
  /// Returns the next operation of a line that has something to do, and stays before it.
  [[nodiscard]] std::optional<std::size_t> first_of(line& one);
  [[nodiscard]] bool may_be_tail(std::size_t operation) const;
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
  line all_;                     ///< but for tails
  std::size_t num_readers_ = 0;  ///< the first turns are those of operations that read
  std::size_t first_late_ = 0;   ///< the first turn of those that come last
  line tails_;
  std::size_t num_waiting_ = 0;
  std::size_t most_waiting_;
};

}  // namespace tessera
