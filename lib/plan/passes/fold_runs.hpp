// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The runs of a fold: how many leaves each has.

#include "tessera/core/costs.hpp"
#include "tessera/core/index.hpp"

#include "plan/passes/fold_levels.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace tessera {

/// The schedule of folds over one domain, and the cost of folding it.
struct fold_schedule {
  index_vector domain;
  /// The common leaf: a multiple of the leaves of all folds.
  index_vector leaf;
  /// The axes that some fold reduces.
  axis_set reduced;
  /// The number of blocks, if each has all of the reduced axes.
  index_t num_blocks = 1;
  /// The time of all leaves on one worker.
  costs::seconds work{};
  /// The most bytes that all states may have together.
  double most_for_states = 0;
  /// The longest time that a task may take.
  costs::seconds longest_task{};
};

/// The choice of the number of leaves of a run, by the least merit:
///
/// merit = wall * sqrt(work)
/// wall  = rounds * (runs of a task * leaves of a run * (seconds of a leaf and to merge its state)
///                   + seconds to start a task)
///         + seconds to combine the states of all runs (`fold_levels`)
///
/// A task takes one run, or several one after the other if starting tasks takes long
/// (`choose_blocks_of_tasks`).
///
/// The states of several folds are combined side by side, by an equal share of the workers each;
/// one fold after the other if there are more folds than workers.
class fold_runs {
 public:
  /// Returns the folds if each block is one run.
  using folds_in = std::function<std::vector<leafy_fold>(const index_vector& run)>;

  fold_runs(fold_schedule schedule, const folds_in& folds, const costs& figures);

  /// Returns the best choice. With the last choice, one task folds all leaves.
  [[nodiscard]] std::size_t best() const;
  /// Returns the merit of a choice: wall time in seconds times the square root of its work.
  [[nodiscard]] double merit(std::size_t choice) const;
  [[nodiscard]] const index_vector& run(std::size_t choice) const { return runs_[choice]; }
  /// Returns, by fold, the levels from that choice to the result.
  [[nodiscard]] std::vector<std::vector<fold_level>> levels(std::size_t choice) const;

 private:
  /// Returns the number of runs.
  [[nodiscard]] double runs(std::size_t choice) const;
  [[nodiscard]] double leaves_of_run(std::size_t choice) const;
  /// Returns the bytes of the states of all runs.
  [[nodiscard]] double states(std::size_t choice) const;
  /// Returns the time that merging the states of the leaves of a run takes.
  [[nodiscard]] costs::seconds time_to_merge(std::size_t choice) const;
  /// Returns the time of a run, without the fixed cost of a task.
  [[nodiscard]] costs::seconds time_of_run(std::size_t choice) const;

  fold_schedule schedule_;
  costs figures_;
  std::vector<index_vector> runs_;
  bool are_side_by_side_ = true;
  /// By run and fold. Runs with equal states share the levels.
  std::vector<std::vector<std::shared_ptr<const fold_levels>>> levels_;
};

}  // namespace tessera
