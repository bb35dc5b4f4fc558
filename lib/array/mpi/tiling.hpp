// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Checks that the parts of ranks tile an array, and whether they form a grid of chunks.

#include "tessera/core/chunk_grid.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/region.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tessera::mpi {

/// The offset of a rank's part, and its extents if the rank states them.
struct stated_part {
  index_vector offset;
  std::optional<index_vector> extents;
};

/// Returns the boxes of the ranks. A box without extents ends, along each axis, at the least
/// greater offset of another rank.
[[nodiscard]] std::vector<region> boxes_of(const index_vector& shape,
                                           const std::vector<stated_part>& parts);

/// Returns the reason for which `boxes` do not tile an array of `shape`, or "".
///
/// They tile it if none reaches beyond it, no pair overlaps, and the totals of elements agree.
[[nodiscard]] std::string problem_of(const index_vector& shape, const std::vector<region>& boxes);

/// A grid of chunks that are held by ranks.
struct rank_grid {
  chunk_grid grid;
  /// The rank that holds each chunk, in row-major order.
  std::vector<std::size_t> holders;
};

/// Returns the grid with `boxes` as chunks, or nullopt if there is none. Requires: `boxes` tile the
/// array.
[[nodiscard]] std::optional<rank_grid> regular_grid(const index_vector& shape,
                                                    const std::vector<region>& boxes);

/// Returns a grid of at most as many chunks as ranks; the first ranks hold a chunk each.
/// `divisions` are the wanted numbers of chunks along each axis.
[[nodiscard]] rank_grid even_grid(const index_vector& shape, const std::vector<int>& divisions);

}  // namespace tessera::mpi
