// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The layout of fold states in memory, and the finalisation of states to results.

#include "tessera/core/index.hpp"
#include "tessera/kernel/block_runner.hpp"

#include "primitive/api/strips.hpp"

#include <cstddef>
#include <span>

namespace tessera {

/// Return the number of kept elements in a box of `extents`, and the product of `lengths`.
[[nodiscard]] index_t num_kept(const index_vector& extents, axis_set reduced);
[[nodiscard]] index_t product(const index_vector& lengths);

/// Returns the first reduced axis, which extra axes of the output replace, or `max_rank`.
[[nodiscard]] std::size_t first_reduced_axis(axis_set reduced);

/// Returns the number of states that a node of `fold`'s tree has over `box`.
[[nodiscard]] index_t num_states(const index_vector& box, const fold_sink& fold);

/// The layout of a fold's states over a box: contiguous, in row-major order of the kept axes.
///
/// Groups are one axis in the place of the first reduced axis. The values of states of a state are
/// contiguous.
struct state_layout {
  /// The stride along each axis of the domain, in states; 0 along reduced axes.
  index_vector strides;
  index_t group_stride = 0;
  index_t num_groups = 0;
  /// The number of values of a state field in a state.
  index_t state_length = 1;

  state_layout(const index_vector& extents, const fold_sink& fold);
};

/// The extents of a fold's output over a box, and the strides of its states along them, in values
/// of a state field.
struct output_layout {
  index_vector extents;
  index_vector strides;

  /// `are_states`: the output is states, with an axis of one element for each reduced axis.
  output_layout(const index_vector& box, const fold_sink& fold, bool are_states);

 private:
  void add(index_t extent, index_t stride) {
    extents.push_back(extent);
    strides.push_back(stride);
  }
};

/// Copies the state fields of states over `extents`, with `strides`, to `results`. A state field
/// that lies in its result already is skipped.
void copy_states(const block_states& states, std::span<const block_result> results,
                 const index_vector& extents, const index_vector& strides);

/// The number of states with values of states that `finish` gets in one call.
inline constexpr index_t states_at_once = 256;

/// Writes the results of states, which are contiguous in `layout`.
void finish_states(const block_states& states, std::span<const block_result> results,
                   const output_layout& layout);

/// Writes the results of states with values of states, contiguous along the axes `kept`. `buffers`
/// has one buffer for each output; values of states become axis `extra_axis` of the results.
void finish_vector_states(const block_states& states, std::span<const block_result> results,
                          std::span<std::byte* const> buffers, const index_vector& kept,
                          std::size_t extra_axis);

}  // namespace tessera
