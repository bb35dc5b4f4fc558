// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The states of a fold on their way from leaves to the root.

#include "tessera/core/index.hpp"
#include "tessera/core/region.hpp"
#include "tessera/kernel/block_runner.hpp"
#include "tessera/primitive/strips.hpp"
#include "tessera/primitive/walk.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

/// Returns how many states a task on a block of `how` holds at once for each element that is kept.
[[nodiscard]] std::size_t most_open_nodes(const fold_sink& fold, const walk& how);

/// The states of a fold on their way from leaves to the root, in a task that walks leaf after leaf.
///
/// A node of the tree over the leaves' numbers is open until its last leaf is taken. Open ones are
/// on a stack, and no two of them on one level: a node that is complete is merged into the one
/// before it where both are halves of one.
class leaf_tree {
 public:
  /// `first` are the states of the first node, behind which, plane by plane, those of others lie;
  /// each has `size`.
  leaf_tree(const fold_sink& fold, const walk& how, const block_states& first, index_t size);

  /// Lets `states` be those that `step`, of which each takes `count` elements, goes into. `next`
  /// is the step behind it; null for the last.
  void enter(block_states& states, const region& step, const region* next, index_t count);
  /// Does as a whole what `enter` would leave to the runner, before the step and behind it.
  void make(block_states& states);
  void merge(const block_states& states, index_t count);

  /// Returns the one that is left behind the last step.
  [[nodiscard]] block_states root() const;

 private:
  struct node {
    std::uint64_t first_leaf = 0;
    index_t taken = 0;
  };
  struct reduced_axis {
    std::size_t axis = 0;
    index_t leaf = 1;
    int bits = 0;
  };

  [[nodiscard]] std::uint64_t number_of(const region& step) const;
  [[nodiscard]] std::vector<std::byte*> planes_of(std::size_t node) const;
  /// Tells whether the last two open nodes are halves of one that ends with leaf `last`, which
  /// `next` comes behind.
  [[nodiscard]] bool are_halves(std::uint64_t last, const std::uint64_t* next) const;

  std::vector<reduced_axis> axes_;
  block_states first_;
  index_t size_;
  std::vector<node> open_;
  std::uint64_t leaf_ = 0;
  bool is_leaf_open_ = false;
  /// What `merge` has to do.
  std::vector<earlier_states> into_;
};

}  // namespace tessera
