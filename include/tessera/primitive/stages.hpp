// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Primitives along an axis in stages, so that several tasks share the axis.

#include "tessera/core/chunk_grid.hpp"
#include "tessera/core/index.hpp"
#include "tessera/primitive/loop_schedule.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace tessera {

class primitive;
using primitive_handle = std::shared_ptr<const primitive>;

/// Folds over the same axes in two stages: states of blocks, then their combination.
struct two_stages {
  axis_set reduced;
  /// The number of state outputs, with `per_block` axes, for each output; 0: not of these folds.
  std::vector<std::size_t> num_states;
  /// Returns the primitive that combines the states of the blocks `parts` of the domain.
  std::function<primitive_handle(const chunk_grid& parts)> combine;
  /// A leaf, as `fold_sink` has them: states of aligned runs of 2^k may be combined in levels.
  index_vector leaf = {};
  /// The bytes of a state, for each element that is kept.
  std::size_t state_bytes = 0;
  /// The bytes of the widest operand's element.
  std::size_t element_bytes = 0;
  /// The same for each fold alone, if the folds are several and few: their states may be combined
  /// side by side.
  std::vector<two_stages> apart = {};
};

/// A scan in three stages (Blelloch, "Prefix sums and their applications", 1990): totals of the
/// leaves of its axis, exclusive prefixes of the totals, and each leaf again after its prefix.
struct scan_stages {
  std::size_t axis = 0;
  index_t leaf = 1;
  /// Computes the totals, in outputs with one element for each leaf along the axis.
  primitive_handle block_totals;
  /// Returns the primitive that computes the exclusive prefixes in `domain`, one for each leaf.
  std::function<primitive_handle(const index_vector& domain)> exclusive_prefix;
  /// Returns the primitive that computes the elements of `domain`. Its operands are the
  /// `num_operands` of the scan, then the outputs of `exclusive_prefix`.
  std::function<primitive_handle(const index_vector& domain, std::size_t num_operands)> rescan;
  /// The bytes of a state.
  std::size_t state_bytes = 0;
  /// The bytes of the widest operand's element.
  std::size_t element_bytes = 0;
};

}  // namespace tessera
