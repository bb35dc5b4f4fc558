// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// In how many levels the states of folds are combined.

#include "tessera/core/bytes.hpp"
#include "tessera/core/costs.hpp"
#include "tessera/core/index.hpp"
#include "tessera/primitive/walk.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

/// Folds over the same axes whose leaves may be taken by several tasks, and what their states take.
struct leafy_fold {
  index_vector domain;
  index_vector leaf;
  axis_set reduced;
  /// Of the whole fold: each task takes all that is reduced.
  index_t num_tasks = 1;
  /// The planes of states, and the bytes of those that a task hands on, all together.
  std::size_t num_planes = 1;
  double state_bytes = 0;
  /// The most bytes that all states may have together to be in memory.
  double most_in_memory = 0;
  /// What a task may hold of states.
  double most_in_task = 0;
  /// Whether results may be made in other pieces than those of the states.
  bool has_open_results = false;
};

/// States of runs of leaves, one for each.
struct fold_level {
  /// What a run is, along the axes that are reduced.
  index_vector run;
  /// Into how many pieces, along the axes that are kept, the states are cut that are combined to
  /// these: a power of two.
  index_t pieces = 1;
};

/// Returns the runs that tasks may take of what is `reduced`, in ascending order: of one leaf, of
/// two, ..., of all. They are aligned and have 2^k leaves, also along some of the axes alone, so
/// that what is combined are always nodes of one tree: which of them is taken changes no bit.
[[nodiscard]] std::vector<index_vector> runs_of(const index_vector& domain, index_vector leaf,
                                                axis_set reduced);

/// Chooses how many states are combined at once, level by level, and in which pieces: so that
///
/// wall = the least sum over levels of work / V + t
/// work = all tasks x (state / B + requests), written, and g times that, read
/// t    = the same of one task: levels overlap, so that of each its last task counts
class fold_levels {
 public:
  fold_levels(leafy_fold fold, const costs& figures);

  /// Returns the number of the run that is `run` along the axes that are reduced.
  [[nodiscard]] std::size_t choice_of(const index_vector& run) const;
  /// Returns the levels from that choice to the whole, which is the last.
  [[nodiscard]] std::vector<fold_level> levels(std::size_t choice) const;
  /// Return what it takes to combine the states of those runs, in seconds, and their bytes.
  [[nodiscard]] double wall(std::size_t choice) const { return ways_[choice].front().wall; }
  [[nodiscard]] double work(std::size_t choice) const { return ways_[choice].front().work; }
  [[nodiscard]] double states(std::size_t choice) const;
  [[nodiscard]] const leafy_fold& fold() const { return fold_; }

 private:
  /// The best way from states that lie in so many pieces to the result.
  struct way {
    double wall = 0;
    double work = 0;
    std::size_t next = 0;
    std::size_t next_pieces = 0;
  };

  [[nodiscard]] double rounds(double num_tasks) const;
  [[nodiscard]] std::size_t most_pieces() const;
  [[nodiscard]] way step(std::size_t from, std::size_t pieces, std::size_t to,
                         std::size_t next_pieces) const;
  void find_ways();
  [[nodiscard]] bool is_in_memory(std::size_t choice) const;
  [[nodiscard]] double all_states(std::size_t choice) const;

  leafy_fold fold_;
  costs figures_;
  std::vector<index_vector> runs_;
  std::vector<index_t> num_runs_;
  /// By run, then by the power of two of pieces.
  std::vector<std::vector<way>> ways_;
};

}  // namespace tessera
