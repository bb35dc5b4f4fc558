// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Cache blocking of a step that several folds share.
///
/// Folds over different axes each take the operands of a step in a loop of their own. Without
/// blocking, each fold but the first would read the operands from memory again. So the step is cut
/// along one axis into slices that fit the second-level cache. All folds take a slice before the
/// next one begins.
///
/// Invariant: a fold's strips, and the order in which it takes elements, are the same with and
/// without slices; so are the bits of the results.

#include "tessera/core/index.hpp"
#include "tessera/core/region.hpp"
#include "tessera/kernel/block_runner.hpp"
#include "tessera/primitive/loop_schedule.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace tessera {

/// The slices of a step along its first axis with more than one element. There is one slice if
/// slices would change the strips of a fold.
struct cache_blocks {
  std::size_t axis = 0;
  index_t length = 1;
  index_t extent = 1;

  /// `folds` has the loop order of each fold; `operands` has the operands of all folds.
  cache_blocks(const index_vector& extents, std::span<const fold_loops> folds,
               std::span<const block_operand> operands);
};

/// Return the operands and the targets, offset by `start` elements along `axis`.
[[nodiscard]] std::vector<block_operand> offset_by(std::span<const block_operand> operands,
                                                   std::size_t axis, index_t start);
[[nodiscard]] std::vector<strip_target> offset_by(std::span<const strip_target> targets,
                                                  std::size_t axis, index_t start);

/// Returns the states for the slice [start, stop) of an axis of `extent`. If the axis is kept,
/// states of neighbours are `stride` apart. If it is reduced, `stride` is 0, all slices share the
/// states, and an element along the axis adds `per_element` elements to each.
[[nodiscard]] std::vector<block_states> select_states(std::span<const block_states> states,
                                                      index_t start, index_t stop, index_t extent,
                                                      index_t stride, index_t per_element);

}  // namespace tessera
