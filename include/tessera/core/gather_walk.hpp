// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Goes through the chunks of an array of which a gather shows something, and copies that.

#include "tessera/core/gather.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/region.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera {

/// Goes through the chunks of an array of which a gather shows some element in a box of what is
/// seen, each once.
///
/// Factors of a gather lead to different axes of the array: a chunk is met where each of them meets
/// its coordinates. A factor without a table goes through the chunks around what it reads, and
/// leaves out those of which it shows nothing; one with a table has its entries sorted by chunk.
class gather_walk {
 public:
  /// `chunks` are the lengths of the array's chunks, `order` room for `order_size(what, box)`
  /// numbers. Requires: `box` is not empty.
  ///
  /// Throws: shape_error <- a table has 2^32 entries in the box, or leads to as many chunks.
  gather_walk(const gather& what, std::span<const index_t> chunks, const region& box,
              std::span<std::uint64_t> order);

  /// Returns how many numbers a walk over a box of `extents` needs to sort tables.
  [[nodiscard]] static std::size_t order_size(const gather& what, const index_vector& extents);

  /// Returns the chunk that it is at, by its place in the grid.
  [[nodiscard]] const index_vector& chunk() const { return chunk_; }
  /// Goes on to the next chunk. Returns false after the last.
  [[nodiscard]] bool next();

  /// Returns how many chunks there are, whichever it is at.
  [[nodiscard]] index_t count();

  /// Copies what is seen of its chunk, which lies at `from`, to where the box lies, at `to`;
  /// strides, in elements, are those of the box and of the chunk.
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
    std::size_t first_seen = 0;
    /// What is seen, and what around it is read.
    region box;
    region hull;
    std::vector<array_axis> axes;
    /// The chunks, along `axes`, of which something may be read.
    region chunks;
    index_vector at;
    /// Of a factor without a table: what of the hull lies in the chunk.
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
  /// Tells whether it is clear that something of each chunk around what is read is seen.
  [[nodiscard]] bool meets_all(const cursor& factor) const;
  [[nodiscard]] bool start(cursor& factor) const;
  [[nodiscard]] bool advance(cursor& factor) const;
  void take(const cursor& factor);

  const gather& what_;
  index_vector chunks_;
  std::vector<cursor> factors_;
  index_vector chunk_;
  bool has_begun_ = false;
};

/// Returns a box of the array that holds all elements which a gather shows in `box`, which is not
/// empty; where a table has several axes, all that it may lead to.
[[nodiscard]] region gathered_hull(const gather& what, const region& box);

/// Returns how many chunks are read for `box` of what a gather shows.
[[nodiscard]] index_t chunks_gathered(const gather& what, std::span<const index_t> chunks,
                                      const region& box);

}  // namespace tessera
