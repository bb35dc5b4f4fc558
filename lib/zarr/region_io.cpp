// SPDX-License-Identifier: Apache-2.0
/// \file
/// Boxes of elements: gathered from the chunks that they touch, and scattered to them.

#include "tessera/core/error.hpp"
#include "tessera/core/strided_copy.hpp"

#include "zarr/array_state.hpp"
#include "zarr/chunk_locks.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera {

namespace detail {

namespace {

/// Where the elements of one chunk that are in a box lie, in elements.
struct overlap {
  index_vector extents;
  index_vector strides;  // in the chunk
  index_t from = 0;      // in the chunk
  index_t to = 0;        // in the dense array of the box
  bool is_empty = false;

  /// Returns the elements of the chunk from the first to the last of these.
  [[nodiscard]] index_t span() const {
    index_t last = 0;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      last += (extents[axis] - 1) * strides[axis];
    }
    return last + 1;
  }
};

/// A box of an array, whole or by steps, and the dense row-major array of its elements.
class dense_box {
 public:
  dense_box(const zarr_array_state& array, const region& box, std::span<const index_t> steps,
            std::size_t num_bytes, std::span<const index_t> strides = {})
      : array_(array), box_(box), steps_(box.rank(), 1), shape_(box.rank()) {
    if (!steps.empty()) steps_ = index_vector(steps);
    validate();
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
      shape_[axis] = ceil_divide(box.stop[axis] - box.start[axis], steps_[axis]);
    }
    strides_ = strides.empty() ? row_major_strides(shape_) : index_vector(strides);
    const auto size = static_cast<std::size_t>(reach()) * array.itemsize;
    if (strides.empty() ? num_bytes != size : num_bytes < size) {
      throw shape_error(fmt::format("{}: {} elements of {} B are {} B, found a buffer of {} B",
                                    array.name(), format_shape(shape_), array.itemsize, size,
                                    num_bytes));
    }
  }

  [[nodiscard]] const index_vector& strides() const { return strides_; }

  /// Calls `f(chunk, part)` for each chunk that the box has elements of.
  template <class F>
  void for_each_chunk(F f) const {
    if (num_elements(shape_) == 0) return;
    const region chunks = array_.grid.chunks_touching(box_);
    const index_vector num_chunks = chunks.shape();
    index_vector position(num_chunks.size());
    index_vector chunk(num_chunks.size());
    do {
      for (std::size_t axis = 0; axis < chunk.size(); ++axis) {
        chunk[axis] = chunks.start[axis] + position[axis];
      }
      const overlap part = overlap_with(chunk);
      if (!part.is_empty) f(chunk, part);
    } while (next_position(position, num_chunks));
  }

  /// Tells whether the elements of a part lie one behind the other, alike in chunk and box.
  [[nodiscard]] bool lies_alike(const overlap& part) const {
    if (part.span() != num_elements(part.extents)) return false;
    for (std::size_t axis = 0; axis < part.extents.size(); ++axis) {
      if (part.extents[axis] > 1 && part.strides[axis] != strides_[axis]) return false;
    }
    return true;
  }

 private:
  /// Returns how many elements of `into` there are up to the last one of the box.
  [[nodiscard]] index_t reach() const {
    if (num_elements(shape_) == 0) return 0;
    index_t last = 0;
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
      last += (shape_[axis] - 1) * strides_[axis];
    }
    return last + 1;
  }

  void validate() const {
    const auto whole = region::whole(array_.metadata.shape);
    bool fits = box_.rank() == whole.rank() && box_.stop.size() == whole.rank() &&
                steps_.size() == whole.rank();
    for (std::size_t axis = 0; fits && axis < whole.rank(); ++axis) {
      fits = box_.start[axis] >= 0 && box_.start[axis] <= box_.stop[axis] &&
             box_.stop[axis] <= whole.stop[axis] && steps_[axis] > 0;
    }
    if (!fits) {
      throw shape_error(fmt::format(
          "{}: region {} by steps {} must lie in an array of shape {}, "
          "every step at least 1",
          array_.name(), format_region(box_), format_shape(steps_), format_shape(whole.stop)));
    }
  }

  [[nodiscard]] overlap overlap_with(const index_vector& chunk) const {
    const std::size_t rank = chunk.size();
    const region inside = array_.grid.chunk_region(chunk);
    overlap part{index_vector(rank), index_vector(rank)};
    for (std::size_t axis = 0; axis < rank; ++axis) {
      const index_t step = steps_[axis];
      const index_t lower = std::max<index_t>(inside.start[axis] - box_.start[axis], 0);
      const index_t upper = std::min(inside.stop[axis], box_.stop[axis]) - box_.start[axis];
      // The elements kept along the axis are the multiples of step in [lower, upper).
      const index_t first = ceil_divide(lower, step);
      part.extents[axis] = ceil_divide(upper, step) - first;
      part.is_empty = part.is_empty || part.extents[axis] <= 0;
      part.strides[axis] = array_.chunk_strides[axis] * step;
      part.from +=
          (box_.start[axis] + first * step - inside.start[axis]) * array_.chunk_strides[axis];
      part.to += first * strides_[axis];
    }
    return part;
  }

  const zarr_array_state& array_;
  const region& box_;
  index_vector steps_;
  index_vector shape_;
  index_vector strides_;
};

/// The buffers of a call.
struct workspace {
  std::span<std::byte> decoded;
  std::span<std::byte> encoded;
};

/// Returns false if the chunk is missing.
bool read_part(const zarr_array_state& array, const dense_box& box, const index_vector& chunk,
               const overlap& part, std::byte* to, const workspace& buffers) {
  const auto first = static_cast<std::size_t>(part.from) * array.itemsize;
  const auto size = static_cast<std::size_t>(part.span()) * array.itemsize;
  const bool is_direct = box.lies_alike(part);
  const std::span<std::byte> place(to, is_direct ? size : 0);
  const std::byte* const found =
      array.load_range(chunk, first, size, place, buffers.decoded, buffers.encoded);
  if (found == nullptr) {
    array.require_no_missing(chunk);
    strided_fill(to, box.strides(), part.extents, array.fill.data(), array.itemsize);
  } else if (!is_direct) {
    strided_copy(to, box.strides(), found, part.strides, part.extents, array.itemsize);
  }
  return found != nullptr;
}

void write_part(const zarr_array_state& array, const dense_box& box, const index_vector& chunk,
                const overlap& part, const std::byte* from, const workspace& buffers) {
  const bool is_whole = part.extents == array.metadata.chunks;
  const bool is_all_there_is = part.extents == array.grid.chunk_region(chunk).shape();
  const std::lock_guard lock(
      lock_of_chunk(array.store->name(), chunk_key_buffer(array, chunk).view()));
  if (is_whole && array.is_native && box.lies_alike(part)) {
    const std::span<const std::byte> data(from, array.decoded_bytes);
    if (!array.omit(chunk, data)) array.save(chunk, data, buffers.encoded);
    return;
  }
  require_buffer(array, "decoded", buffers.decoded.size(), array.decoded_bytes);
  const std::span<std::byte> decoded = buffers.decoded.first(array.decoded_bytes);
  const bool has_old = !is_all_there_is && array.load(chunk, decoded, buffers.encoded);
  if (!has_old && !is_whole) {
    strided_fill(decoded.data(), array.chunk_strides, array.metadata.chunks, array.fill.data(),
                 array.itemsize);
  }
  strided_copy(decoded.data() + static_cast<std::size_t>(part.from) * array.itemsize, part.strides,
               from, box.strides(), part.extents, array.itemsize);
  array.store_decoded(chunk, decoded, buffers.encoded);
}

}  // namespace
}  // namespace detail

bool zarr_array::read_region(const region& box, std::span<std::byte> into,
                             std::span<std::byte> decoded, std::span<std::byte> encoded,
                             std::span<const index_t> steps,
                             std::span<const index_t> strides) const {
  const detail::zarr_array_state& array = *state_;
  const detail::dense_box dense(array, box, steps, into.size(), strides);
  bool is_any_there = false;
  dense.for_each_chunk([&](const index_vector& chunk, const detail::overlap& part) {
    std::byte* const to = into.data() + static_cast<std::size_t>(part.to) * array.itemsize;
    is_any_there |= detail::read_part(array, dense, chunk, part, to, {decoded, encoded});
  });
  return is_any_there;
}

void zarr_array::write_region(const region& box, std::span<const std::byte> from,
                              std::span<std::byte> decoded, std::span<std::byte> encoded) const {
  const detail::zarr_array_state& array = *state_;
  array.require_writable();
  const detail::dense_box dense(array, box, {}, from.size());
  dense.for_each_chunk([&](const index_vector& chunk, const detail::overlap& part) {
    const std::byte* const first = from.data() + static_cast<std::size_t>(part.to) * array.itemsize;
    detail::write_part(array, dense, chunk, part, first, {decoded, encoded});
  });
}

}  // namespace tessera
