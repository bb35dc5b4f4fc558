// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A regular grid of chunks over an array: which chunk holds which elements.

#include "tessera/core/index.hpp"
#include "tessera/core/region.hpp"

#include <cstddef>
#include <span>

namespace tessera {

/// A regular grid: chunk `c` covers `[c * chunk, min((c + 1) * chunk, extent))` along each axis.
///
/// An axis of extent zero has no chunks. Everything here is arithmetic: nothing is stored per
/// chunk.
class chunk_grid {
 public:
  chunk_grid() = default;

  /// Throws: shape_error <- the ranks differ, an extent is negative, or a chunk is not positive.
  chunk_grid(index_vector shape, index_vector chunks);

  [[nodiscard]] std::size_t rank() const { return shape_.size(); }
  [[nodiscard]] const index_vector& shape() const { return shape_; }
  /// Returns the extents of a whole chunk.
  [[nodiscard]] const index_vector& chunks() const { return chunks_; }
  /// Returns the number of chunks along each axis.
  [[nodiscard]] const index_vector& num_chunks() const { return num_chunks_; }
  /// Returns the number of chunks of the grid. Throws: shape_error <- above 2^63 - 1.
  [[nodiscard]] index_t size() const { return num_elements(num_chunks_); }

  /// Returns the elements of chunk `chunk` that lie inside the array.
  [[nodiscard]] region chunk_region(std::span<const index_t> chunk) const;

  /// Returns the chunk that stands at `position` in row-major order of the grid.
  [[nodiscard]] index_vector chunk_at(index_t position) const;

  /// Returns the box of chunks that `box`, a region of the array, touches.
  [[nodiscard]] region chunks_touching(const region& box) const;

  [[nodiscard]] bool operator==(const chunk_grid&) const = default;

 private:
  index_vector shape_;
  index_vector chunks_;
  index_vector num_chunks_;
};

}  // namespace tessera
