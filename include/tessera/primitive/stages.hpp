// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How primitives that go along an axis are done in stages, so that several tasks share it.

#include "tessera/core/chunk_grid.hpp"
#include "tessera/core/index.hpp"
#include "tessera/primitive/walk.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace tessera {

class primitive;
using primitive_handle = std::shared_ptr<const primitive>;

/// How folds over the same axes are done in two stages: blocks that cut these make states of them.
struct two_stages {
  axis_set reduced;
  /// For each output how many of states it becomes, with `per_block` axes; 0: it is not theirs.
  std::vector<std::size_t> num_states;
  /// Returns what combines the states of the blocks `parts` of the domain.
  std::function<primitive_handle(const chunk_grid& parts)> combine;
  /// A leaf, as `fold_sink` has them: states of aligned runs of 2^k may be combined in levels.
  index_vector leaf = {};
  /// The bytes of a state, for each element that is kept.
  std::size_t state_bytes = 0;
  /// The bytes of the widest operand's element.
  std::size_t element_bytes = 0;
  /// The same for each of the folds by itself, where they are several, and few: their states may
  /// be combined side by side.
  std::vector<two_stages> apart = {};
};

/// How a scan is done in three stages: over each leaf of its axis, then over what that gives, then
/// over each leaf once more, with what is before it.
struct scan_stages {
  std::size_t axis = 0;
  index_t leaf = 1;
  /// Makes the states of leaves, in outputs that have one element for each along the axis.
  primitive_handle totals;
  /// Returns what makes of such states, one for each leaf of `domain`, what is before each.
  std::function<primitive_handle(const index_vector& domain)> seeds;
  /// Returns what makes the elements of `domain`. Behind the `num_operands` operands of the scan it
  /// takes, for each leaf, what is before that: an operand for each output of `seeds`.
  std::function<primitive_handle(const index_vector& domain, std::size_t num_operands)> seeded;
  /// The bytes of a state.
  std::size_t state_bytes = 0;
  /// The bytes of the widest operand's element.
  std::size_t element_bytes = 0;
};

}  // namespace tessera
