// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Runs strip programs over blocks that are in memory, strip by strip, into scans.

#include "tessera/core/index.hpp"
#include "tessera/kernel/block_runner.hpp"
#include "tessera/kernel/scan_kernel.hpp"
#include "tessera/kernel/strip_program.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace tessera {

/// One scan over a block.
struct block_scan {
  const scan_kernel* kernel = nullptr;
  const void* parameters = nullptr;
  /// Pointers to the state at the block's first position, one for each plane.
  std::vector<std::byte*> planes = {};
  /// The distance of the cells of a state.
  index_t cell_stride = 0;
  /// The program's result that is taken. What was before the block's lines, a result for each plane
  /// of it, stands behind that where `is_seeded`.
  std::size_t result = 0;
  bool is_seeded = false;
  /// Where its elements go; null: nowhere.
  block_result to = {};
};

/// How the scans over a block go along it.
struct scan_walk {
  /// The axis of the block along which lines go.
  std::size_t axis = 0;
  /// Walks every plane along the block's axes, in values, 0 along that one.
  std::span<const index_t> state_strides;
  /// How many elements each state has taken before.
  index_t taken = 0;
};

/// Returns the distance of the cells of a state, `lines` of which lie side by side: a little more
/// than these where a cache could hold only few cells otherwise.
[[nodiscard]] index_t distance_of_cells(const scan_kernel& kernel, index_t lines);

/// Returns the bytes of scratch that `run_scans` needs on blocks of at most `num_elements`.
[[nodiscard]] std::size_t scan_scratch_bytes(const strip_program& program, index_t num_elements);

/// Computes each element of a block of `extents` and takes it into the state of its line, in
/// ascending order along the axis that is scanned; what the states are then goes where scans say.
void run_scans(const strip_program& program, std::span<const block_operand> operands,
               std::span<const block_scan> scans, std::span<const index_t> extents,
               const scan_walk& how, std::span<std::byte> scratch);

}  // namespace tessera
