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
  /// Pointers to the state at the block's first position, one for each state field.
  std::vector<std::byte*> state_fields = {};
  /// The distance of the values of a state.
  index_t value_stride = 0;
  /// The program's result that is taken. If `is_seeded`, the state before the block's lines stands
  /// behind it, a result for each state field of it.
  std::size_t result = 0;
  bool is_seeded = false;
  /// The destination of its elements; null: none.
  block_result to = {};
};

/// The lines of a block along which scans go.
struct scan_loops {
  /// The axis of the block along which lines go.
  std::size_t axis = 0;
  /// Walks every state field along the block's axes, in values, 0 along that one.
  std::span<const index_t> state_strides;
  /// The number of elements that each state has taken before.
  index_t num_taken = 0;
};

/// Returns the distance of the values of a state, `lines` of which lie side by side: a little more
/// than these if a cache could hold only few values otherwise.
[[nodiscard]] index_t distance_of_values(const scan_kernel& kernel, index_t lines);

/// Returns the bytes of scratch that `run_scans` needs on blocks of at most `num_elements`.
[[nodiscard]] std::size_t scan_scratch_bytes(const strip_program& program, index_t num_elements);

/// Computes each element of a block of `extents` and takes it into the state of its line, in
/// ascending order along the axis that is scanned. The values of the states go to the destinations
/// of the scans.
void run_scans(const strip_program& program, std::span<const block_operand> operands,
               std::span<const block_scan> scans, std::span<const index_t> extents,
               const scan_loops& order, std::span<std::byte> scratch);

}  // namespace tessera
