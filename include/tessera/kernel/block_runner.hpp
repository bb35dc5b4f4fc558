// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Runs strip programs and folds over blocks that are in memory, strip by strip.

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
};

/// Where a result of a block goes. Strides in bytes along each axis of the block.
struct block_result {
  std::byte* data = nullptr;
  index_vector strides;
};

/// The states of one fold over a block: one dense plane after the other.
struct block_states {
  const fold_kernel* kernel = nullptr;
  const void* parameters = nullptr;
  /// Pointers to the state at the block's first position, one for each plane.
  std::vector<std::byte*> planes;
};

/// Returns the bytes of scratch that a program needs on blocks of at most `num_elements` elements.
[[nodiscard]] std::size_t scratch_bytes(const strip_program& program, index_t num_elements);

/// Computes each element of a block of `extents`.
///
/// `results` has one entry per result of the program; no result overlaps an operand.
void run_map(const strip_program& program, std::span<const block_operand> operands,
             std::span<const block_result> results, std::span<const index_t> extents,
             std::span<std::byte> scratch);

/// Folds the program's results over the `reduced` axes of a block into `folds`.
///
/// `state_strides` walks every plane along the block's axes, in elements, 0 along reduced ones.
/// Each state has taken `taken` elements before. `merged` is 0 where elements are taken; where
/// states are merged it is how many elements each state of this block has taken, and the program's
/// results are the planes of the folds in order.
void run_fold(const strip_program& program, std::span<const block_operand> operands,
              std::span<const block_states> folds, std::span<const index_t> extents,
              const std::bitset<max_rank>& reduced, std::span<const index_t> state_strides,
              index_t taken, index_t merged, std::span<std::byte> scratch);

}  // namespace tessera
