// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The reduction tree of a fold: states from leaves to the root, with few of them in memory.

#include "tessera/core/index.hpp"
#include "tessera/core/region.hpp"
#include "tessera/kernel/block_runner.hpp"
#include "tessera/primitive/loop_schedule.hpp"

#include "primitive/api/strips.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

/// Returns the greatest number of states that a task of `schedule` holds for a kept element: one
/// for each level of its tree.
[[nodiscard]] std::size_t most_open_nodes(const fold_sink& fold, const loop_schedule& schedule);

/// The reduction tree of a fold in a task that takes leaf after leaf.
///
/// Problem: floating-point sums must not depend on blocks or on the number of tasks.
///
/// Idea: leaves, aligned boxes of the domain, have row-major numbers in binary. Each is folded
/// element by element; nodes are merged along the binary tree over the numbers:
///
///         0-3             the stack after leaf 2: [0-1] [2]
///        /   +            the stack after leaf 3: [0-1] [2] [3] -> [0-1] [2-3] -> [0-3]
///     0-1     2-3
///     0  1    2  3
///
/// As in a binary counter, a complete node is merged into the node below it on the stack if both
/// are siblings. So no two open nodes have one level. A task holds log2(leaves) + 1 states.
///
/// Behind the last leaf the whole stack is merged, from the top: missing leaves are empty.
///
/// Invariant: which nodes are merged, and in which order, depends on domain and leaf alone.
/// Reference: pairwise summation, Higham, "The accuracy of floating point summation" (1993).
class reduction_tree {
 public:
  /// `first` has the `size` states of node 0. In each state field, the states of nodes 1, 2, ...
  /// follow.
  reduction_tree(const fold_sink& fold, const loop_schedule& schedule, const block_states& first,
                 index_t size);

  /// Sets `states` to the states that `step` is folded into, `count` elements each, and to the
  /// merges behind it. `next` is the following step, or nullptr for the last.
  void begin_step(block_states& states, const region& step, const region* next, index_t count);
  /// Start the states before a step, and merge them behind it, all at once. Without these calls the
  /// runner does both, strip by strip.
  void start_states(block_states& states);
  void merge_states(const block_states& states, index_t count);

  /// Returns the states of the root. Requires: the last step was merged.
  [[nodiscard]] block_states root() const;

 private:
  struct node {
    std::uint64_t first_leaf = 0;
    index_t count = 0;
  };
  struct reduced_axis {
    std::size_t axis = 0;
    index_t leaf = 1;
    int bits = 0;
  };

  [[nodiscard]] std::uint64_t leaf_number(const region& step) const;
  [[nodiscard]] std::vector<std::byte*> node_fields(std::size_t node) const;
  /// Tells whether the top two nodes of the stack are siblings whose parent ends with leaf `last`,
  /// given that leaf `next` follows.
  [[nodiscard]] bool are_siblings(std::uint64_t last, const std::uint64_t* next) const;

  std::vector<reduced_axis> axes_;
  block_states first_;
  index_t size_;
  std::vector<node> stack_;
  std::uint64_t leaf_ = 0;
  bool is_leaf_open_ = false;
  /// The merges that `merge_states` has to do.
  std::vector<earlier_states> pending_merges_;
};

}  // namespace tessera
