// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Parts of a step that several folds take in turns, so that each but the first finds in the cache
/// what it takes.

#include "tessera/core/index.hpp"
#include "tessera/core/region.hpp"
#include "tessera/kernel/block_runner.hpp"
#include "tessera/primitive/walk.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace tessera {

/// How a step is cut along its first axis that has any length, where that leaves the strips of each
/// fold as they are, and with them the bits.
struct slabs {
  std::size_t axis = 0;
  index_t length = 1;
  index_t extent = 1;

  /// `folds` are how each of them goes along the step; `operands` are those of all.
  slabs(const index_vector& extents, std::span<const fold_walk> folds,
        std::span<const block_operand> operands);
};

/// Returns the operands, and the targets, from `start` on along `axis`.
[[nodiscard]] std::vector<block_operand> from(std::span<const block_operand> operands,
                                              std::size_t axis, index_t start);
[[nodiscard]] std::vector<strip_target> from(std::span<const strip_target> targets,
                                             std::size_t axis, index_t start);

/// Returns the states that [start, stop) along an axis of `extent` goes into: `stride` apart, or,
/// where that is 0, the same, which have taken `each` for one element along the axis.
[[nodiscard]] std::vector<block_states> states_in(std::span<const block_states> states,
                                                  index_t start, index_t stop, index_t extent,
                                                  index_t stride, index_t each);

}  // namespace tessera
