// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Tree reduction: the levels in which the states of a fold are combined.

#include "tessera/core/bytes.hpp"
#include "tessera/core/costs.hpp"
#include "tessera/core/index.hpp"
#include "tessera/primitive/loop_schedule.hpp"

#include "core/api/remote_array.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace tessera {

/// Folds over the same axes that may be cut at leaves, and the size of their states.
struct leafy_fold {
  index_vector domain;
  index_vector leaf;
  axis_set reduced;
  /// The number of tasks, if each folds all of the reduced axes.
  index_t num_tasks = 1;
  /// The number of fields of a state, and the bytes of all states that one task emits.
  std::size_t num_fields = 1;
  double state_bytes = 0;
  /// The most bytes of all states for them to be in memory.
  double most_in_memory = 0;
  /// The most bytes of states that one task may hold.
  double most_in_task = 0;
  /// Whether the results may have chunks of any size.
  bool has_open_results = false;
  /// The costs of requests for states in a store that is far away.
  std::optional<request_cost> requests = std::nullopt;
};

/// A level of the tree: one state for each run of leaves.
struct fold_level {
  /// The extents of a run along the reduced axes.
  index_vector run;
  /// The number of pieces, along the kept axes, into which the states of the level below are cut: a
  /// power of two.
  index_t pieces = 1;
};

/// Returns the runs that a task may fold, in ascending order: one leaf, two, four, ..., all leaves.
///
/// Runs have 2^k leaves and are aligned, axis by axis from the last. Each is therefore a node of
/// one binary tree over the leaves, so that no choice of runs changes the bits of the result:
///
///     leaves   1 2 3 4 5 6 7 8
///     runs     [1 2] [3 4] [5 6] [7 8]   or   [1 2 3 4] [5 6 7 8]
[[nodiscard]] std::vector<index_vector> runs_of(const index_vector& domain, index_vector leaf,
                                                axis_set reduced);

/// The cheapest sequence of levels: how many states a task combines, and in which pieces.
///
/// It is a shortest path from the states of the tasks to the result, found by dynamic programming
/// from the result backwards. The length of an edge from one level to the next is
///
/// wall = rounds(writers) * write + rounds(readers) * combine
///
/// with write = the time to write one state, combine = the time to read and merge the states of one
/// run, and rounds(n) = ceil(n / workers). A level that does not fit into a task has length
/// infinity.
///
/// States in a store that is far away are read and written by several requests in flight, as many
/// as there is memory for: k of them take the time of one.
class fold_levels {
 public:
  fold_levels(leafy_fold fold, const costs& figures);

  /// Returns the index of the run that equals `run` along the reduced axes.
  [[nodiscard]] std::size_t choice_of(const index_vector& run) const;
  /// Returns the levels from that choice to the result, which is the last.
  [[nodiscard]] std::vector<fold_level> levels(std::size_t choice) const;
  /// Return the wall time and the work, in seconds, to combine the states of those runs, and the
  /// bytes of the states.
  [[nodiscard]] double wall(std::size_t choice) const { return routes_[choice].front().wall; }
  [[nodiscard]] double work(std::size_t choice) const { return routes_[choice].front().work; }
  [[nodiscard]] double states(std::size_t choice) const;
  [[nodiscard]] const leafy_fold& fold() const { return fold_; }

 private:
  /// The cost of the best route from states in a number of pieces to the result, and its first
  /// edge.
  struct route_cost {
    double wall = 0;
    double work = 0;
    std::size_t next = 0;
    std::size_t next_pieces = 0;
  };

  [[nodiscard]] double rounds(double num_tasks) const;
  /// Returns the requests in flight of `num_requests` requests of a task for `size` bytes, if the
  /// task has `room` bytes for them.
  [[nodiscard]] double in_flight(double size, double num_requests, double room) const;
  [[nodiscard]] std::size_t most_pieces() const;
  [[nodiscard]] route_cost step(std::size_t from, std::size_t pieces, std::size_t to,
                                std::size_t next_pieces) const;
  void find_routes();
  [[nodiscard]] bool is_in_memory(std::size_t choice) const;
  [[nodiscard]] double all_states(std::size_t choice) const;

  leafy_fold fold_;
  costs figures_;
  std::vector<index_vector> runs_;
  std::vector<index_t> num_runs_;
  /// By run, then by the logarithm of the number of pieces.
  std::vector<std::vector<route_cost>> routes_;
};

}  // namespace tessera
