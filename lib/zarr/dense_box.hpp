// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A box of an array and its parts in chunks.

#include "tessera/core/chunk_grid.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/region.hpp"

#include "zarr/array_state.hpp"

#include <cstddef>
#include <span>

namespace tessera::detail {

/// The part of a chunk that lies in a box. Offsets and strides count elements.
struct overlap {
  index_vector extents;
  index_vector strides;  // in the chunk
  index_t from = 0;      // in the chunk
  index_t to = 0;        // in the dense array of the box
  bool is_empty = false;

  /// Returns the count of elements of the chunk from the first to the last element of the part.
  [[nodiscard]] index_t span() const {
    index_t last = 0;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      last += (extents[axis] - 1) * strides[axis];
    }
    return last + 1;
  }
};

/// Goes through the positions inside a box that is not empty, in row-major order.
class position_cursor {
 public:
  explicit position_cursor(const region& box)
      : start_(box.start), extents_(box.shape()), offset_(extents_.size()) {}

  /// Goes on to the next position. Returns false behind the last one.
  [[nodiscard]] bool next(index_vector& position) {
    if (is_over_) return false;
    position = start_;
    for (std::size_t axis = 0; axis < position.size(); ++axis) position[axis] += offset_[axis];
    is_over_ = !next_position(offset_, extents_);
    return true;
  }

 private:
  index_vector start_;
  index_vector extents_;
  index_vector offset_;
  bool is_over_ = false;
};

/// A box of an array, whole or by steps, and the dense array of its elements, row-major by default.
/// It consists of parts of the chunks of `grid`. `chunk_strides` are the strides of a chunk.
class dense_box {
 public:
  /// Throws: shape_error <- the box does not lie in the array, or a step is below 1, or the dense
  ///         array does not have `num_bytes`.
  dense_box(const zarr_array_state& array, const chunk_grid& grid,
            const index_vector& chunk_strides, const region& box, std::span<const index_t> steps,
            std::size_t num_bytes, std::span<const index_t> strides = {});

  [[nodiscard]] const index_vector& strides() const { return strides_; }
  [[nodiscard]] bool is_empty() const { return is_empty_; }

  /// Calls `f(chunk, part)` for each chunk with elements in the box.
  template <class F>
  void for_each_chunk(F f) const {
    if (!is_empty()) for_each_chunk_in(box_, f);
  }

  /// As `for_each_chunk`, one shard after the other; calls `end_shard()` behind each shard.
  template <class F, class G>
  void for_each_chunk_by_shard(const chunk_grid& shards, F f, G end_shard) const {
    if (is_empty()) return;
    for_each_position(shards.chunks_touching(box_), [&](const index_vector& shard) {
      for_each_chunk_in(intersect(shards.chunk_region(shard), box_), f);
      end_shard();
    });
  }

  /// Tells whether a part is contiguous in the chunk and has the same strides in the dense array.
  [[nodiscard]] bool lies_alike(const overlap& part) const;

  /// Returns the part of a chunk that touches the box.
  [[nodiscard]] overlap overlap_with(const index_vector& chunk) const;

 private:
  /// Calls `f` with each position inside `box`, which is not empty.
  template <class F>
  static void for_each_position(const region& box, F f) {
    position_cursor cursor(box);
    index_vector position;
    while (cursor.next(position)) f(position);
  }

  /// Calls `f(chunk, part)` for each chunk that meets `box`, a part of the box.
  template <class F>
  void for_each_chunk_in(const region& box, F f) const {
    for_each_position(grid_.chunks_touching(box), [&](const index_vector& chunk) {
      const overlap part = overlap_with(chunk);
      if (!part.is_empty) f(chunk, part);
    });
  }

  /// Returns the count of elements of the dense array up to the last element of the box.
  [[nodiscard]] index_t reach() const;
  void validate() const;

  const zarr_array_state& array_;
  const chunk_grid& grid_;
  const index_vector& chunk_strides_;
  const region& box_;
  index_vector steps_;
  index_vector shape_;
  index_vector strides_;
  bool is_empty_ = false;
};

}  // namespace tessera::detail
