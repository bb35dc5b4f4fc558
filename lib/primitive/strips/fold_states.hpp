// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How the states of folds lie, and how results are made of them.

#include "tessera/core/index.hpp"
#include "tessera/kernel/block_runner.hpp"
#include "tessera/primitive/strips.hpp"

#include <cstddef>
#include <span>

namespace tessera {

/// Returns how many elements of `extents` are kept, and how many there are.
[[nodiscard]] index_t num_kept(const index_vector& extents, axis_set reduced);
[[nodiscard]] index_t product(const index_vector& lengths);

/// Returns the first axis that is reduced, before which as many are kept.
[[nodiscard]] std::size_t place_of(axis_set reduced);

/// Returns how many states a fold has over a box, for each node of its tree.
[[nodiscard]] index_t num_states(const index_vector& box, const fold_sink& fold);

/// How the states of a walk's folds lie over a box: dense, in the order of the axes that are kept.
/// Groups have axes in the place of the first that is reduced; cells lie behind each other.
struct state_layout {
  /// Along the axes of the domain, 0 along reduced ones; in states.
  index_vector strides;
  index_t group_stride = 0;
  index_t num_groups = 0;
  /// The values of a plane that a state is.
  index_t cells = 1;

  state_layout(const index_vector& extents, const fold_sink& fold);
};

/// The extents of what a fold makes of a box, and the steps in which its states lie along them, in
/// values of a plane.
struct made_extents {
  index_vector extents;
  index_vector strides;

  /// `with_blocks`: as states, which have an axis of one element for each that is reduced.
  made_extents(const index_vector& box, const fold_sink& fold, bool with_blocks);

 private:
  void add(index_t extent, index_t stride) {
    extents.push_back(extent);
    strides.push_back(stride);
  }
};

/// Copies the planes of states over `extents`, where they lie in steps of `strides`, to `results`,
/// but for those that were made there.
void hand_on_states(const block_states& states, std::span<const block_result> results,
                    const index_vector& extents, const index_vector& strides);

/// How many states with cells are finished at once.
inline constexpr index_t finished_at_once = 256;

/// Writes the results of states over `made`, which lie dense.
void finish_states(const block_states& states, std::span<const block_result> results,
                   const made_extents& made);

/// As `finish_states` of states with cells, which lie behind each other along the axes `kept`, by
/// way of `room`, one for each output; cells go along axis `place` of the results.
void finish_cells(const block_states& states, std::span<const block_result> results,
                  std::span<std::byte* const> room, const index_vector& kept, std::size_t place);

}  // namespace tessera
