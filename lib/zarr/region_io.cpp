// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads and writes boxes of elements, one chunk at a time.
///
/// A box B and a chunk C overlap in a box again, and along each axis a step s keeps the multiples
/// of s. The overlap is therefore a strided block in the decoded chunk and a strided block in the
/// dense array of B, and one strided copy moves it. If both blocks are contiguous and alike, the
/// chunk is decoded into the destination directly.
///
/// Writing a part of a chunk reads, changes and writes it under the lock of the chunk.

#include "tessera/core/error.hpp"
#include "tessera/core/strided_copy.hpp"

#include "core/api/kept_memory.hpp"
#include "zarr/array_state.hpp"
#include "zarr/chunk_locks.hpp"
#include "zarr/near_parts.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <vector>

namespace tessera {

namespace detail {

namespace {

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

/// A box of an array, whole or by steps, and the dense array of its elements, row-major by default.
/// It consists of parts of the chunks of `grid`. `chunk_strides` are the strides of a chunk.
class dense_box {
 public:
  dense_box(const zarr_array_state& array, const chunk_grid& grid,
            const index_vector& chunk_strides, const region& box, std::span<const index_t> steps,
            std::size_t num_bytes, std::span<const index_t> strides = {})
      : array_(array),
        grid_(grid),
        chunk_strides_(chunk_strides),
        box_(box),
        steps_(box.rank(), 1),
        shape_(box.rank()) {
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

  /// Calls `f(chunk, part)` for each chunk with elements in the box.
  template <class F>
  void for_each_chunk(F f) const {
    if (num_elements(shape_) > 0) for_each_chunk_in(box_, f);
  }

  /// As `for_each_chunk`, one shard after the other; calls `end_shard()` behind each shard.
  template <class F, class G>
  void for_each_chunk_by_shard(const chunk_grid& shards, F f, G end_shard) const {
    if (num_elements(shape_) == 0) return;
    for_each_position(shards.chunks_touching(box_), [&](const index_vector& shard) {
      for_each_chunk_in(intersect(shards.chunk_region(shard), box_), f);
      end_shard();
    });
  }

  /// Tells whether a part is contiguous in the chunk and has the same strides in the dense array.
  [[nodiscard]] bool lies_alike(const overlap& part) const {
    if (part.span() != num_elements(part.extents)) return false;
    for (std::size_t axis = 0; axis < part.extents.size(); ++axis) {
      if (part.extents[axis] > 1 && part.strides[axis] != strides_[axis]) return false;
    }
    return true;
  }

 private:
  /// Calls `f` with each position inside `box`, which is not empty.
  template <class F>
  static void for_each_position(const region& box, F f) {
    const index_vector extents = box.shape();
    index_vector offset(extents.size());
    index_vector position(extents.size());
    do {
      for (std::size_t axis = 0; axis < position.size(); ++axis) {
        position[axis] = box.start[axis] + offset[axis];
      }
      f(position);
    } while (next_position(offset, extents));
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
    const region inside = grid_.chunk_region(chunk);
    overlap part{index_vector(rank), index_vector(rank)};
    for (std::size_t axis = 0; axis < rank; ++axis) {
      const index_t step = steps_[axis];
      const index_t lower = std::max<index_t>(inside.start[axis] - box_.start[axis], 0);
      const index_t upper = std::min(inside.stop[axis], box_.stop[axis]) - box_.start[axis];
      // The elements kept along the axis are the multiples of step in [lower, upper).
      const index_t first = ceil_divide(lower, step);
      part.extents[axis] = ceil_divide(upper, step) - first;
      part.is_empty = part.is_empty || part.extents[axis] <= 0;
      part.strides[axis] = chunk_strides_[axis] * step;
      part.from += (box_.start[axis] + first * step - inside.start[axis]) * chunk_strides_[axis];
      part.to += first * strides_[axis];
    }
    return part;
  }

  const zarr_array_state& array_;
  const chunk_grid& grid_;
  const index_vector& chunk_strides_;
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

/// Returns the elements of a chunk that a part of the box at `to` needs.
wanted_part wanted_of(const zarr_array_state& array, const dense_box& box,
                      const index_vector& chunk, const overlap& part, std::byte* to) {
  const auto first = static_cast<std::size_t>(part.from) * array.itemsize;
  const auto size = static_cast<std::size_t>(part.span()) * array.itemsize;
  return {chunk, first, size, {to, box.lies_alike(part) ? size : 0}};
}

/// Puts elements of a chunk to their positions in the box: fill values if `elements` is null.
void put_part(const zarr_array_state& array, const dense_box& box, const wanted_part& wanted,
              const overlap& part, std::byte* to, const std::byte* elements) {
  if (elements == nullptr) {
    array.require_no_missing(wanted.chunk);
    strided_fill(to, box.strides(), part.extents, array.fill.data(), array.itemsize);
  } else if (wanted.destination.empty()) {
    strided_copy(to, box.strides(), elements, part.strides, part.extents, array.itemsize);
  }
}

/// Returns false if the chunk is missing.
bool read_part(const zarr_array_state& array, const dense_box& box, const index_vector& chunk,
               const overlap& part, std::byte* to, const workspace& buffers) {
  const wanted_part wanted = wanted_of(array, box, chunk, part, to);
  const std::byte* const elements = array.load_range(
      chunk, wanted.first, wanted.size, wanted.destination, buffers.decoded, buffers.encoded);
  put_part(array, box, wanted, part, to, elements);
  return elements != nullptr;
}

/// Parts of chunks of one shard, which are read together.
class shard_batch {
 public:
  shard_batch(const zarr_array_state& array, const dense_box& box, const workspace& buffers)
      : array_(array), box_(box), buffers_(buffers) {}

  [[nodiscard]] bool is_any_there() const { return is_any_there_; }

  void add(const index_vector& chunk, const overlap& part, std::byte* to) {
    if (count_ == most_chunks_in_run) read();
    wanted_[count_] = wanted_of(array_, box_, chunk, part, to);
    parts_[count_] = part;
    targets_[count_] = to;
    ++count_;
  }

  void read() {
    if (count_ == 0) return;
    const auto put = [this](std::size_t i, const std::byte* elements) {
      put_part(array_, box_, wanted_[i], parts_[i], targets_[i], elements);
      is_any_there_ |= elements != nullptr;
    };
    load_parts(array_, std::span(wanted_).first(count_), buffers_.decoded, buffers_.encoded, put);
    count_ = 0;
  }

 private:
  const zarr_array_state& array_;
  const dense_box& box_;
  workspace buffers_;
  std::array<wanted_part, most_chunks_in_run> wanted_;
  std::array<overlap, most_chunks_in_run> parts_;
  std::array<std::byte*, most_chunks_in_run> targets_;
  std::size_t count_ = 0;
  bool is_any_there_ = false;
};

/// `chunk` is a unit of keys: a shard, if there are any.
void write_part(const zarr_array_state& array, const dense_box& box, const index_vector& chunk,
                const overlap& part, const std::byte* from, const workspace& buffers) {
  const stored_unit unit = array.unit();
  const bool is_whole = part.extents == unit.grid.chunks();
  const bool is_all_there_is = part.extents == unit.grid.chunk_region(chunk).shape();
  const chunk_key_buffer key(array, chunk);
  unit_lock lock(array, key.view());
  if (is_whole && array.is_native && box.lies_alike(part)) {
    const std::span<const std::byte> data(from, unit.decoded_bytes);
    if (!array.omit(chunk, data)) array.save(chunk, data, buffers.encoded);
    lock.finish();
    return;
  }
  require_buffer(array, "decoded", buffers.decoded.size(), unit.decoded_bytes);
  const std::span<std::byte> decoded = buffers.decoded.first(unit.decoded_bytes);
  const bool has_old = !is_all_there_is && array.load_unit(chunk, decoded, buffers.encoded);
  if (!has_old && !is_whole) {
    strided_fill(decoded.data(), unit.strides, unit.grid.chunks(), array.fill.data(),
                 array.itemsize);
  }
  strided_copy(decoded.data() + static_cast<std::size_t>(part.from) * array.itemsize, part.strides,
               from, box.strides(), part.extents, array.itemsize);
  array.store_decoded(chunk, decoded, buffers.encoded);
  lock.finish();
}

}  // namespace
}  // namespace detail

bool zarr_array::read_region(const region& box, std::span<std::byte> into,
                             std::span<std::byte> decoded, std::span<std::byte> encoded,
                             std::span<const index_t> steps,
                             std::span<const index_t> strides) const {
  const detail::zarr_array_state& array = *state_;
  const detail::dense_box dense(array, array.grid, array.chunk_strides, box, steps, into.size(),
                                strides);
  const kept_memory_scope scope;
  const auto target_of = [&](const detail::overlap& part) {
    return into.data() + static_cast<std::size_t>(part.to) * array.itemsize;
  };
  if (array.shards != nullptr && !array.field) {
    detail::shard_batch batch(array, dense, {decoded, encoded});
    dense.for_each_chunk_by_shard(
        array.shards->grid,
        [&](const index_vector& chunk, const detail::overlap& part) {
          batch.add(chunk, part, target_of(part));
        },
        [&] { batch.read(); });
    return batch.is_any_there();
  }
  bool is_any_there = false;
  dense.for_each_chunk([&](const index_vector& chunk, const detail::overlap& part) {
    is_any_there |=
        detail::read_part(array, dense, chunk, part, target_of(part), {decoded, encoded});
  });
  return is_any_there;
}

void zarr_array::write_region(const region& box, std::span<const std::byte> from,
                              std::span<std::byte> decoded, std::span<std::byte> encoded) const {
  const detail::zarr_array_state& array = *state_;
  array.require_writable();
  const detail::stored_unit unit = array.unit();
  const detail::dense_box dense(array, unit.grid, unit.strides, box, {}, from.size());
  // The buffers of the caller may have the size of a chunk.
  std::vector<std::byte> memory;
  if (array.shards != nullptr &&
      (decoded.size() < unit.decoded_bytes || encoded.size() < unit.encoded_bound)) {
    memory.resize(unit.decoded_bytes + unit.encoded_bound);
    decoded = std::span(memory).first(unit.decoded_bytes);
    encoded = std::span(memory).subspan(unit.decoded_bytes);
  }
  dense.for_each_chunk([&](const index_vector& chunk, const detail::overlap& part) {
    const std::byte* const first = from.data() + static_cast<std::size_t>(part.to) * array.itemsize;
    detail::write_part(array, dense, chunk, part, first, {decoded, encoded});
  });
}

}  // namespace tessera
