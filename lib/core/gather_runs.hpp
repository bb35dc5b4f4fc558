// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Runs of elements that follow each other both where they are seen and where they are read, and
/// copies of boxes along them.

#include "tessera/core/gather.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/region.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

namespace tessera::detail {

/// Elements that lie evenly on both sides. Offsets and strides are in bytes.
struct gathered_run {
  index_t to = 0;
  index_t from = 0;
  index_t size = 0;
  index_t to_stride = 0;
  index_t from_stride = 0;
};

/// A box of the elements of some axes, as rows of them in row-major order: as many of the last axes
/// as lie evenly make a row.
class box_rows {
 public:
  /// `strides` may be empty: then all lie evenly.
  box_rows(const index_vector& extents, const region& box, std::span<const index_t> strides);

  /// The first and last element of a row of the box, and what is behind, in a row of `length()`.
  [[nodiscard]] index_t first() const { return first_; }
  [[nodiscard]] index_t last() const { return last_; }
  [[nodiscard]] index_t length() const { return length_; }
  [[nodiscard]] index_t stride() const { return stride_; }

  /// Goes to the first row of the box; to the first that is `row`, by number, or behind it. Returns
  /// false where there is none.
  void start() { at_ = from_; }
  [[nodiscard]] bool start_at(index_t row);
  [[nodiscard]] bool next();

  /// Returns the number of the row among all, and how far its element 0 is from that of index 0, or
  /// from where the box begins.
  [[nodiscard]] index_t number() const;
  [[nodiscard]] index_t offset() const { return offset_of(at_, strides_); }
  [[nodiscard]] index_t offset_in_box() const {
    return offset() - offset_of(from_, strides_) - first_ * stride_;
  }

 private:
  /// Of the axes before those of a row.
  index_vector extents_;
  index_vector from_;
  index_vector to_;
  index_vector strides_;
  index_vector at_;
  index_t first_ = 0;
  index_t last_ = 1;
  index_t length_ = 1;
  index_t stride_ = 0;
};

/// Calls `f` with each run of what is seen in `seen_box` that is read in `read_box`, as long as it
/// returns true; tells whether it always did. Where it is seen, offsets are from where the box
/// begins, and where it is read from the element of index 0.
///
/// Requires: `factor` has no table. Strides are in bytes; empty where nobody asks for them.
template <class F>
bool for_each_run(const gathered_axes& factor, const region& seen_box, const region& read_box,
                  std::span<const index_t> seen_strides, std::span<const index_t> read_strides,
                  F f) {
  box_rows seen(factor.seen, seen_box, seen_strides);
  box_rows read(factor.read, read_box, read_strides);
  read.start();
  do {
    const index_t row = read.number() * read.length();
    const index_t begin = row + read.first();
    const index_t end = row + read.last();
    bool is_there = seen.start_at(begin / seen.length());
    for (; is_there; is_there = seen.next()) {
      const index_t start = seen.number() * seen.length();
      if (start >= end) break;
      const index_t first = std::max(begin, start + seen.first());
      const index_t last = std::min(end, start + seen.last());
      if (first >= last) continue;
      const gathered_run run{seen.offset_in_box() + (first - start) * seen.stride(),
                             read.offset() + (first - row) * read.stride(), last - first,
                             seen.stride(), read.stride()};
      if (!f(run)) return false;
    }
  } while (read.next());
  return true;
}

/// A box of elements, copied from many places to many. Strides are in bytes.
class copied_box {
 public:
  std::size_t itemsize = 1;

  void add(index_t extent, index_t to_stride, index_t from_stride);
  /// Takes the axis out that was added last.
  void drop();

  void copy(std::byte* to, const std::byte* from) const;
  /// Copies it once for each pair of offsets.
  void copy_each(std::byte* to, std::span<const index_t> to_offsets, const std::byte* from,
                 std::span<const index_t> from_offsets) const;

 private:
  index_vector extents_;
  /// In elements.
  index_vector to_;
  index_vector from_;
};

}  // namespace tessera::detail
