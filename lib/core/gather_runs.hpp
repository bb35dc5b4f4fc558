// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Runs of a reshape, and copies of boxes along them.
///
/// A factor without a table shows the elements of an array of shape R (read) as an array of shape S
/// (shown), in row-major order. Boxes of S and of R are both sequences of rows: intervals of
/// element numbers, with a constant stride inside. A run is the intersection of a row of S with a
/// row of R:
///
///     S   |---row---|   |---row---|
///     R      |-----row------|
///     run    |------|   |---|

#include "tessera/core/index.hpp"
#include "tessera/core/region.hpp"

#include "core/api/gather.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

namespace tessera::detail {

/// Elements with a constant stride on both sides. Offsets and strides are in bytes.
struct gathered_run {
  index_t to = 0;
  index_t from = 0;
  index_t size = 0;
  index_t to_stride = 0;
  index_t from_stride = 0;
};

/// A box as rows in row-major order. A row spans the longest tail of axes with a constant stride.
class box_rows {
 public:
  /// Without `strides`, all axes count as evenly spaced.
  box_rows(const index_vector& extents, const region& box, std::span<const index_t> strides);

  /// The elements of a row in the box are [first(), last()) of a row of `length()` elements.
  [[nodiscard]] index_t first() const { return first_; }
  [[nodiscard]] index_t last() const { return last_; }
  [[nodiscard]] index_t length() const { return length_; }
  [[nodiscard]] index_t stride() const { return stride_; }

  /// `start` goes to the first row of the box, `start_at` to the first row of at least the number
  /// `row`. `start_at` and `next` return false at the end of the box.
  void start() { at_ = from_; }
  [[nodiscard]] bool start_at(index_t row);
  [[nodiscard]] bool next();

  /// Returns the number of the row in the array, and the offset of its element 0 from the array's
  /// element of index 0, or from the first element of the box.
  [[nodiscard]] index_t number() const;
  [[nodiscard]] index_t offset() const { return offset_of(at_, strides_); }
  [[nodiscard]] index_t offset_in_box() const {
    return offset() - offset_of(from_, strides_) - first_ * stride_;
  }

 private:
  /// The axes before the axes of a row.
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

/// Calls `f` with each run of `domain_box` and `read_box`, while it returns true. Returns false if
/// `f` did. Offsets `to` are relative to the first element of `domain_box`, offsets `from` to the
/// element of index 0.
///
/// Requires: `factor` has no table. Strides are in bytes; empty if `f` ignores the offsets.
template <class F>
bool for_each_run(const gathered_axes& factor, const region& domain_box, const region& read_box,
                  std::span<const index_t> domain_strides, std::span<const index_t> read_strides,
                  F f) {
  box_rows shown(factor.domain, domain_box, domain_strides);
  box_rows read(factor.read, read_box, read_strides);
  read.start();
  do {
    const index_t row = read.number() * read.length();
    const index_t begin = row + read.first();
    const index_t end = row + read.last();
    bool is_there = shown.start_at(begin / shown.length());
    for (; is_there; is_there = shown.next()) {
      const index_t start = shown.number() * shown.length();
      if (start >= end) break;
      const index_t first = std::max(begin, start + shown.first());
      const index_t last = std::min(end, start + shown.last());
      if (first >= last) continue;
      const gathered_run run{shown.offset_in_box() + (first - start) * shown.stride(),
                             read.offset() + (first - row) * read.stride(), last - first,
                             shown.stride(), read.stride()};
      if (!f(run)) return false;
    }
  } while (read.next());
  return true;
}

/// A box of elements, which is copied for many pairs of offsets. Strides are in bytes.
class copied_box {
 public:
  std::size_t itemsize = 1;

  void add(index_t extent, index_t to_stride, index_t from_stride);
  /// Removes the last axis.
  void drop();

  void copy(std::byte* to, const std::byte* from) const;
  /// Copies the box for each pair of offsets.
  void copy_each(std::byte* to, std::span<const index_t> to_offsets, const std::byte* from,
                 std::span<const index_t> from_offsets) const;

 private:
  index_vector extents_;
  /// Strides of the target, in elements.
  index_vector to_;
  index_vector from_;
};

}  // namespace tessera::detail
