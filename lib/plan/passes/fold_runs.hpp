// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The number of tasks of a fold: how many leaves each task folds.

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
  /// The number of tasks, if each folds all of the reduced axes.
  index_t num_tasks = 1;
  costs::seconds work{};
  /// The most bytes that all states may have together.
  double most_for_states = 0;
  /// The longest time that a task may take.
  costs::seconds longest_task{};
};

/// The choice of the number of leaves that one task folds, by the least merit:
///
/// merit = wall * sqrt(work)
/// wall  = rounds * (leaves of a task * (seconds of a leaf + seconds to merge its state))
///         + seconds to combine the states of all tasks (`fold_levels`)
///
/// The states of several folds are combined side by side, by an equal share of the workers each;
/// one fold after the other if there are more folds than workers.
class fold_runs {
 public:
  /// Returns the folds if each task folds one run.
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
  /// Returns the number of tasks if each folds one `run`.
  [[nodiscard]] double tasks(const index_vector& run) const;
  [[nodiscard]] double leaves_of_task(std::size_t choice) const;
  /// Returns the bytes of the states of all tasks.
  [[nodiscard]] double states(std::size_t choice) const;
  /// Returns the time that a task takes beside its leaves: to merge their states, and to begin.
  [[nodiscard]] costs::seconds time_beside_leaves(std::size_t choice) const;
  /// Returns the time of a task that folds one run.
  [[nodiscard]] costs::seconds time_of_task(std::size_t choice) const;

  fold_schedule schedule_;
  costs figures_;
  std::vector<index_vector> runs_;
  bool are_side_by_side_ = true;
  /// By run and fold. Runs with equal states share the levels.
  std::vector<std::vector<std::shared_ptr<const fold_levels>>> levels_;
};

}  // namespace tessera
