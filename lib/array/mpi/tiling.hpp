// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Whether the parts that ranks hold make up an array, and whether they are a grid of chunks.

#include "tessera/core/chunk_grid.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/region.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tessera::mpi {

/// Where the part of a rank begins, and its extents where it says so.
struct stated_part {
  index_vector offset;
  std::optional<index_vector> extents;
};

/// Returns the boxes that the ranks hold; one without extents goes on, along each axis, to the
/// least offset of another that is greater than its own.
[[nodiscard]] std::vector<region> boxes_of(const index_vector& shape,
                                           const std::vector<stated_part>& parts);

/// Returns why `boxes` do not make up an array of `shape`; empty where they do.
///
/// They do if none reaches beyond, no two overlap, and together they hold as many elements.
[[nodiscard]] std::string problem_of(const index_vector& shape, const std::vector<region>& boxes);

/// A grid whose chunks are held by ranks.
struct held_grid {
  chunk_grid grid;
  /// The rank that holds each chunk, in row-major order.
  std::vector<std::size_t> holders;
};

/// Returns the grid whose chunks are `boxes`, which make up the array; nothing if there is none.
[[nodiscard]] std::optional<held_grid> regular_grid(const index_vector& shape,
                                                    const std::vector<region>& boxes);

/// Returns a grid of at most as many chunks as there are ranks, the first of which hold one each;
/// `divisions` are the numbers of chunks that are wanted along each axis.
[[nodiscard]] held_grid even_grid(const index_vector& shape, const std::vector<int>& divisions);

}  // namespace tessera::mpi
