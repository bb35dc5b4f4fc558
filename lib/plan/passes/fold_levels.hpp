// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Into how many tasks a fold is cut, and in how many levels their states are combined.

#include "tessera/core/bytes.hpp"
#include "tessera/core/costs.hpp"
#include "tessera/core/index.hpp"
#include "tessera/primitive/walk.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

/// A fold whose leaves may be taken by several tasks, and what it takes.
struct leafy_fold {
  index_vector domain;
  index_vector leaf;
  axis_set reduced;
  /// Of the whole fold: each task takes all that is reduced.
  index_t num_tasks = 1;
  costs::seconds work{};
  /// The planes of states, and the bytes of those that a task hands on, all together.
  std::size_t num_planes = 1;
  double state_bytes = 0;
  /// The most bytes that all states may have together, and those that are in memory then.
  double most_for_states = 0;
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

/// Chooses how many leaves a task takes, and how many states are combined at once.
///
/// Runs are aligned and have 2^k leaves, so that what is combined are always nodes of one tree: the
/// choice changes no bit of the result. That of the least merit is taken, states included:
///
/// wall = rounds x (leaves of a task x seconds of a leaf) + the least sum over levels of
///        work / V + t
/// work = all tasks x (state / B + requests), written, and g times that, read
/// t    = the same of one task: levels overlap, so that of each its last task counts
class fold_levels {
 public:
  fold_levels(const leafy_fold& fold, const costs& figures);

  /// Returns how many runs there are to choose from: of one leaf, of two, ..., of all.
  [[nodiscard]] std::size_t num_choices() const { return runs_.size(); }
  /// Returns which of them is best. All leaves are one task with the last.
  [[nodiscard]] std::size_t best() const;
  /// Returns the levels from that choice to the whole, which is the last.
  [[nodiscard]] std::vector<fold_level> levels(std::size_t choice) const;
  /// Returns how many runs the domain has with a choice.
  [[nodiscard]] index_t num_runs(std::size_t choice) const { return num_runs_[choice]; }

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
  [[nodiscard]] double merit(std::size_t choice) const;
  [[nodiscard]] bool is_in_memory(std::size_t choice) const;
  [[nodiscard]] double all_states(std::size_t choice) const;

  const leafy_fold& fold_;
  const costs& figures_;
  std::vector<index_vector> runs_;
  std::vector<index_t> num_runs_;
  /// The leaves of the largest run.
  std::vector<index_t> num_leaves_;
  /// By run, then by the power of two of pieces.
  std::vector<std::vector<way>> ways_;
};

}  // namespace tessera
