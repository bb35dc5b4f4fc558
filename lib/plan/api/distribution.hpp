// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Arrays that lie in the memory of several processes: the holder of each chunk.

#include "tessera/core/chunk_grid.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/region.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tessera {

/// The holder of each chunk of an array, if several processes run one program together and each has
/// a part of the array in memory.
///
/// All members but `here` are equal in all processes.
struct distribution {
  /// The chunks; each lies in one process's memory whole.
  chunk_grid grid;
  /// The worker that holds each chunk, in row-major order of the grid.
  std::vector<std::size_t> holders;
  std::size_t num_workers = 1;
  /// The elements that this process holds.
  region here;
  /// Distinguishes the elements of this array from elements of another array.
  std::string identity;

  /// Returns the worker that holds the element at `index`.
  [[nodiscard]] std::size_t holder_of(const index_vector& index) const;
};

/// Tells whether both have the same holder for each chunk.
[[nodiscard]] bool lie_alike(const distribution& a, const distribution& b);

}  // namespace tessera
