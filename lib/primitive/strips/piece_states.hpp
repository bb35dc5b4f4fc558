// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Accumulators of folds whose step consists of several pieces.

#include "tessera/core/index.hpp"
#include "tessera/core/region.hpp"
#include "tessera/kernel/block_runner.hpp"
#include "tessera/primitive/loop_schedule.hpp"

#include <span>
#include <utility>
#include <vector>

namespace tessera {

/// Returns the states of `box`, given the states of `sweep`. Neighbours along axis `k` are
/// `strides[k]` states apart.
[[nodiscard]] std::vector<block_states> offset_states(std::span<const block_states> states,
                                                      const region& sweep, const region& box,
                                                      std::span<const index_t> strides);

/// Counts the elements that the pieces of a step have folded into each state.
///
/// Invariant: pieces that share a kept element share all kept elements (`fold_evenly`), so one
/// count serves all states of a box.
class piece_counts {
 public:
  explicit piece_counts(axis_set reduced) : reduced_(reduced) {}

  /// Returns the elements folded into the states of `box` so far, and adds those of `box`.
  [[nodiscard]] index_t add_box(const region& box);

 private:
  axis_set reduced_;
  std::vector<std::pair<index_vector, index_t>> counts_;
};

}  // namespace tessera
