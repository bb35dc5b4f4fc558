// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Runs strip programs over blocks that are in memory, strip by strip, into results and folds.

#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"
#include "tessera/kernel/kernel.hpp"
#include "tessera/kernel/strip_program.hpp"

#include <bitset>
#include <cstddef>
#include <span>
#include <vector>

namespace tessera {

/// An operand of a block: elements in memory, or a generator that makes them.
struct block_operand {
  /// The element at the block's first position; null for a generated operand.
  const std::byte* data = nullptr;
  /// Along each axis of the block: in bytes, or in elements of the generated array's order.
  index_vector strides;
  const generator_kernel* generator = nullptr;
  const void* parameters = nullptr;
  /// The generated array's element, in row-major order, at the block's first position.
  index_t first = 0;
  /// Whether all its elements are known to be the same.
  bool is_uniform = false;
};

/// The destination of a result of a block. Strides in bytes along each axis of the block.
struct block_result {
  std::byte* data = nullptr;
  index_vector strides;
};

/// A result of a program, and its destination.
struct strip_target {
  std::size_t result = 0;
  block_result to;
};

/// States of earlier elements, into which states of later elements are merged.
struct earlier_states {
  std::vector<std::byte*> state_fields;
  /// The number of elements that each has taken.
  index_t num_taken = 0;
};

/// The states of one fold over a block: one state field after the other.
struct block_states {
  const fold_kernel* kernel = nullptr;
  const void* parameters = nullptr;
  /// Pointers to the state at the block's first position, one for each state field.
  std::vector<std::byte*> state_fields = {};
  /// The first of the program's results that are taken, and behind them the label if there are
  /// groups; if states are merged, the first of their state fields.
  std::size_t result = 0;
  /// The number of values of a state in a state field.
  index_t state_length = 1;
  /// The number of states for each element that is kept, and their distance; 0: one, without
  /// labels.
  index_t num_groups = 0;
  index_t group_stride = 0;
  /// The number of elements that each state has taken before.
  index_t num_taken = 0;
  /// Whether they are yet to be made, of nothing. Requires: one value a state, no groups.
  bool are_new = false;
  /// When the block is taken they are merged into the first of these, those into the second, and so
  /// on; of new ones nothing is left then. Requires: one value a state, no groups.
  std::vector<earlier_states> into = {};
};

/// The loops of folds over a block.
struct fold_loops {
  /// The axes of the block that are folded.
  std::bitset<max_rank> reduced;
  /// Walks every state field along the block's axes, in elements, 0 along reduced ones.
  std::span<const index_t> state_strides;
  /// The number of elements of each state of this block, which is merged; 0: elements are taken.
  index_t merged = 0;
  /// The extents by which it is chosen, along the axes that are kept, in which order elements are
  /// taken; those that are 1 are so in every block. Empty: those of the block.
  std::span<const index_t> reference_step = {};
};

/// Returns the bytes of scratch that a program needs on blocks of at most `num_elements` elements.
[[nodiscard]] std::size_t scratch_bytes(const strip_program& program, index_t num_elements);

/// Computes each element of a block of `extents`, into `targets`, and folds it into `folds`.
///
/// Each result of the program is evaluated once, for all its destinations; none overlaps an
/// operand. If all operands are uniform, and nothing is folded, one element is computed, and
/// spread.
void run_strips(const strip_program& program, std::span<const block_operand> operands,
                std::span<const strip_target> targets, std::span<const block_states> folds,
                std::span<const index_t> extents, const fold_loops& order,
                std::span<std::byte> scratch);

/// Tells whether the elements of a strip of a fold over blocks of `extents` lie no farther apart in
/// blocks that are longer along axes that are kept.
[[nodiscard]] bool have_close_strips(std::span<const index_t> extents, const fold_loops& order);

/// As `run_strips` without folds; `results` has one entry per result of the program.
void run_map(const strip_program& program, std::span<const block_operand> operands,
             std::span<const block_result> results, std::span<const index_t> extents,
             std::span<std::byte> scratch);

}  // namespace tessera
