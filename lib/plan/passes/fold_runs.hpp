// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Into how many tasks folds that share a walk are cut.

#include "tessera/core/costs.hpp"
#include "tessera/core/index.hpp"

#include "plan/passes/fold_levels.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace tessera {

/// The walk of folds whose leaves may be taken by several tasks, and what it takes.
struct folded_walk {
  index_vector domain;
  /// What all of them can be cut into.
  index_vector leaf;
  /// The axes that any of them reduces.
  axis_set reduced;
  /// Where each task takes all that is reduced.
  index_t num_tasks = 1;
  costs::seconds work{};
  /// The most bytes that all states may have together.
  double most_for_states = 0;
};

/// More tasks, or more operations, must be worth this share of the merit.
inline constexpr double least_gain = 0.03;

/// Chooses how many leaves a task takes of folds that share a walk: that of the least merit, states
/// included:
///
/// wall = rounds x (leaves of a task x seconds of a leaf, and of merging their states)
///        + what combining the states of tasks takes
///
/// States of several folds are combined side by side, each by as many of the workers; one fold
/// after the other where there are more of them than workers.
class fold_runs {
 public:
  /// Returns the folds, where tasks take a run of what is reduced.
  using folds_in = std::function<std::vector<leafy_fold>(const index_vector& run)>;

  fold_runs(folded_walk walked, const folds_in& folds, const costs& figures);

  /// Returns which choice is best. All leaves are one task with the last.
  [[nodiscard]] std::size_t best() const;
  /// Returns the wall time of a choice, in seconds, times the root of its work.
  [[nodiscard]] double merit(std::size_t choice) const;
  [[nodiscard]] const index_vector& run(std::size_t choice) const { return runs_[choice]; }
  /// Returns, for each fold, the levels from that choice to the whole.
  [[nodiscard]] std::vector<std::vector<fold_level>> levels(std::size_t choice) const;

 private:
  /// Returns how many tasks there are where each takes such a run of leaves.
  [[nodiscard]] double tasks(const index_vector& run) const;

  folded_walk walked_;
  costs figures_;
  std::vector<index_vector> runs_;
  bool are_side_by_side_ = true;
  /// For each run, those of each fold, whose states are the same along other axes.
  std::vector<std::vector<std::shared_ptr<const fold_levels>>> levels_;
};

}  // namespace tessera
