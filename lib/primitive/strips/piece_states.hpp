// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The states of folds that go on from piece to piece.

#include "tessera/core/index.hpp"
#include "tessera/core/region.hpp"
#include "tessera/kernel/block_runner.hpp"
#include "tessera/primitive/walk.hpp"

#include <span>
#include <utility>
#include <vector>

namespace tessera {

/// Returns the states over `box`, of those over `leg`, which `strides` walk.
[[nodiscard]] std::vector<block_states> states_at(std::span<const block_states> states,
                                                  const region& leg, const region& box,
                                                  std::span<const index_t> strides);

/// How many elements pieces of a step have folded into each state. Those that keep a same element
/// keep the same ones.
class taken_in_pieces {
 public:
  explicit taken_in_pieces(axis_set reduced) : reduced_(reduced) {}

  /// Returns how many were folded into the states of `box` before, and counts those of `box`.
  [[nodiscard]] index_t take(const region& box);

 private:
  axis_set reduced_;
  std::vector<std::pair<index_vector, index_t>> taken_;
};

}  // namespace tessera
