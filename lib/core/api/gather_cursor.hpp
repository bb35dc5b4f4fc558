// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The walk over the chunks of an array that a gather reads, each chunk once.
///
/// Problem: the entries of a table lead to chunks in any order. A chunk must be read and decoded
/// once, whatever the order, in memory that is known before.
///
/// Idea: number the chunks of the factor's hull in row-major order, and sort pairs of 64 bits:
///
///     | number of the chunk (32 bits) | position of the entry in the box (32 bits) |
///
/// Entries of one chunk are then a range. The workspace is one number an entry.
/// A factor without a table (a reshape) is monotonic: the first and the last element of the box
/// bound its hull, and chunks of the hull without an element of the box are skipped.
/// Factors lead to different axes, so that the chunks of the gather are the product of theirs.

#include "tessera/core/index.hpp"
#include "tessera/core/region.hpp"

#include "core/api/gather.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera {

/// Goes through the chunks that hold elements of a box of a gather's domain, each chunk once.
class gather_cursor {
 public:
  /// `chunks` are the lengths of the array's chunks, `order` room for `order_size(map, box)`
  /// numbers. Requires: `box` is not empty.
  ///
  /// Throws: shape_error <- a table has 2^32 entries in the box, or leads to as many chunks.
  gather_cursor(const gather& map, std::span<const index_t> chunks, const region& box,
                std::span<std::uint64_t> order);

  /// Returns how many numbers a walk over a box of `extents` needs to sort tables.
  [[nodiscard]] static std::size_t order_size(const gather& map, const index_vector& extents);

  /// Returns the chunk that it is at, by its place in the grid.
  [[nodiscard]] const index_vector& chunk() const { return chunk_; }
  /// Goes on to the next chunk. Returns false after the last.
  [[nodiscard]] bool next();

  /// Returns how many chunks there are, whichever it is at.
  [[nodiscard]] index_t count();

  /// Copies the chunk's elements of the box from the chunk at `from` to the box at `to`. Strides,
  /// in elements, are the ones of the box and of the chunk.
  void copy(std::byte* to, std::span<const index_t> to_strides, const std::byte* from,
            std::span<const index_t> from_strides, std::size_t itemsize) const;

 private:
  /// An axis of the array that a factor leads to, from the axis `read` of those that it reads.
  struct array_axis {
    std::size_t axis = 0;
    std::size_t read = 0;
    index_t offset = 0;
    index_t step = 0;
  };

  /// A factor, and at which chunks it is, along the axes of the array that it leads to.
  struct cursor {
    const gathered_axes* factor = nullptr;
    /// The first of the axes that are seen.
    std::size_t first_axis = 0;
    /// The box of the factor's domain, and the hull of the elements that it reads.
    region box;
    region hull;
    std::vector<array_axis> axes;
    /// The chunks, along `axes`, of which something may be read.
    region chunks;
    index_vector at;
    /// Of a factor without a table: the part of the hull in the chunk.
    region here;
    /// Of a factor with one: its entries in the box, by chunk, and those of this chunk.
    std::span<std::uint64_t> order;
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  struct copying;

  void find_axes(cursor& factor, const index_map& into, std::size_t first_read) const;
  void find_chunks(cursor& factor) const;
  void sort(cursor& factor) const;
  [[nodiscard]] bool is_here(cursor& factor) const;
  /// Tells whether each chunk of the factor's hull certainly has an element of the box.
  [[nodiscard]] bool meets_all(const cursor& factor) const;
  [[nodiscard]] bool start(cursor& factor) const;
  [[nodiscard]] bool advance(cursor& factor) const;
  void take(const cursor& factor);

  const gather& map_;
  index_vector chunks_;
  std::vector<cursor> factors_;
  index_vector chunk_;
  bool has_begun_ = false;
};

/// Returns a box of the array that holds all elements which a gather reads for `box`, which is not
/// empty. For a table of several axes it is all that the table may lead to.
[[nodiscard]] region gathered_hull(const gather& map, const region& box);

/// Returns the number of chunks that a gather reads for `box` of its domain.
[[nodiscard]] index_t chunks_gathered(const gather& map, std::span<const index_t> chunks,
                                      const region& box);

}  // namespace tessera
