// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"

#include "zarr/array_state.hpp"
#include "zarr/strided_copy.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace tessera {

namespace detail {

namespace {

[[noreturn]] void throw_not_in_grid(const zarr_array_state& array, std::span<const index_t> chunk) {
  throw shape_error(fmt::format("{}: there is no chunk {} in a grid of {} chunks", array.name(),
                                format_shape(chunk), format_shape(array.grid.num_chunks())));
}

void require_buffer(const zarr_array_state& array, const char* buffer, std::size_t found,
                    std::size_t required) {
  if (found >= required) return;
  throw value_error(fmt::format("{}: the buffer \"{}\" must have at least {} B, found {} B",
                                array.name(), buffer, required, found));
}

[[noreturn]] void throw_with_key(const zarr_array_state& array, std::string_view key,
                                 const codec_error& failure) {
  throw codec_error(fmt::format("{}: chunk \"{}\": {}", array.store->name(), key, failure.what()));
}

/// Makes elements, as they are stored, values of this machine's types.
void make_native(const zarr_array_state& array, std::span<std::byte> decoded) {
  if (array.metadata.byte_order != std::endian::native && array.itemsize > 1) {
    swap_bytes(decoded, array.itemsize);
  }
  if (array.metadata.dtype == dtype::boolean) {
    // A bool of another value than 0 and 1 is undefined behaviour in whoever reads it.
    for (std::byte& value : decoded) value = std::byte{value != std::byte{0}};
  }
}

}  // namespace

chunk_key_buffer::chunk_key_buffer(const zarr_array_state& array, std::span<const index_t> chunk) {
  const index_vector& num_chunks = array.grid.num_chunks();
  if (chunk.size() != num_chunks.size()) throw_not_in_grid(array, chunk);
  char* end = std::copy(array.path.begin(), array.path.end(), text_);
  if (end != text_) *end++ = '/';
  // The key of an array of rank 0 is "0".
  if (chunk.empty()) *end++ = '0';
  for (std::size_t axis = 0; axis < chunk.size(); ++axis) {
    if (chunk[axis] < 0 || chunk[axis] >= num_chunks[axis]) throw_not_in_grid(array, chunk);
    if (axis > 0) *end++ = array.metadata.dimension_separator;
    end = std::to_chars(end, text_ + sizeof text_, chunk[axis]).ptr;
  }
  size_ = static_cast<std::size_t>(end - text_);
}

bool zarr_array_state::load(std::span<const index_t> chunk, std::span<std::byte> decoded,
                            std::span<std::byte> encoded) const {
  const chunk_key_buffer key(*this, chunk);
  require_buffer(*this, "decoded", decoded.size(), decoded_bytes);
  require_buffer(*this, "encoded", encoded.size(), encoded_bound);
  decoded = decoded.first(decoded_bytes);
  const std::span<std::byte> into = codec == nullptr ? decoded : encoded.first(encoded_bound);
  const std::optional<std::size_t> size = store->read(key.view(), into);
  if (!size) return false;
  if (codec != nullptr) {
    try {
      codec->decode(encoded.first(*size), decoded);
    } catch (const codec_error& failure) {
      throw_with_key(*this, key.view(), failure);
    }
  } else if (*size != decoded_bytes) {
    throw zarr_error(fmt::format("{}: chunk \"{}\" must have {} B, found {} B", store->name(),
                                 key.view(), decoded_bytes, *size));
  }
  make_native(*this, decoded);
  return true;
}

void zarr_array_state::save(std::span<const index_t> chunk, std::span<const std::byte> decoded,
                            std::span<std::byte> encoded) const {
  const chunk_key_buffer key(*this, chunk);
  if (codec == nullptr) return store->write(key.view(), decoded);
  require_buffer(*this, "encoded", encoded.size(), encoded_bound);
  std::size_t size = 0;
  try {
    size = codec->encode(decoded, encoded.first(encoded_bound));
  } catch (const codec_error& failure) {
    throw_with_key(*this, key.view(), failure);
  }
  store->write(key.view(), encoded.first(size));
}

namespace {

/// Gathers a box, whole or by steps, chunk by chunk.
class region_reader {
 public:
  region_reader(const zarr_array_state& array, const region& box, std::span<const index_t> steps,
                std::span<std::byte> into)
      : array_(array), box_(box), into_(into), steps_(box.rank(), 1), shape_(box.rank()) {
    if (!steps.empty()) steps_ = index_vector(steps);
    validate();
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
      shape_[axis] = ceil_divide(box.stop[axis] - box.start[axis], steps_[axis]);
    }
    strides_ = row_major_strides(shape_);
    const auto size = static_cast<std::size_t>(num_elements(shape_)) * array.itemsize;
    if (into.size() != size) {
      throw shape_error(fmt::format("{}: {} elements of {} B are read into {} B, {} B are required",
                                    array.name(), format_shape(shape_), array.itemsize, into.size(),
                                    size));
    }
  }

  void read(std::span<std::byte> decoded, std::span<std::byte> encoded) const {
    if (into_.empty()) return;
    const region chunks = array_.grid.chunks_touching(box_);
    const index_vector num_chunks = chunks.shape();
    index_vector position(num_chunks.size());
    index_vector chunk(num_chunks.size());
    do {
      for (std::size_t axis = 0; axis < chunk.size(); ++axis) {
        chunk[axis] = chunks.start[axis] + position[axis];
      }
      read_chunk(chunk, decoded, encoded);
    } while (next_position(position, num_chunks));
  }

 private:
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

  /// Where the elements of one chunk that are wanted lie, in elements.
  struct overlap {
    index_vector extents;
    index_vector strides;  // in the chunk
    index_t from = 0;      // in the chunk
    index_t to = 0;        // in `into`
    bool is_empty = false;
  };

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

  /// Tells whether all of the chunk, overhang included, lies in `into` as it does when decoded.
  [[nodiscard]] bool lies_in_place(const overlap& part) const {
    for (std::size_t axis = 0; axis < part.extents.size(); ++axis) {
      if (part.extents[axis] != array_.metadata.chunks[axis]) return false;
      if (part.extents[axis] > 1 && part.strides[axis] != strides_[axis]) return false;
    }
    return true;
  }

  void read_chunk(const index_vector& chunk, std::span<std::byte> decoded,
                  std::span<std::byte> encoded) const {
    const overlap part = overlap_with(chunk);
    if (part.is_empty) return;
    const std::size_t itemsize = array_.itemsize;
    const std::span<std::byte> place = into_.subspan(static_cast<std::size_t>(part.to) * itemsize);
    const bool is_direct = lies_in_place(part);
    if (!array_.load(chunk, is_direct ? place : decoded, encoded)) {
      strided_fill(place.data(), strides_, part.extents, array_.fill.data(), itemsize);
    } else if (!is_direct) {
      strided_copy(place.data(), strides_,
                   decoded.data() + static_cast<std::size_t>(part.from) * itemsize, part.strides,
                   part.extents, itemsize);
    }
  }

  const zarr_array_state& array_;
  const region& box_;
  std::span<std::byte> into_;
  index_vector steps_;
  index_vector shape_;
  index_vector strides_;
};

}  // namespace
}  // namespace detail

bool zarr_array::read_chunk(std::span<const index_t> chunk, std::span<std::byte> decoded,
                            std::span<std::byte> encoded) const {
  return state_->load(chunk, decoded, encoded);
}

void zarr_array::read_region(const region& box, std::span<std::byte> into,
                             std::span<std::byte> decoded, std::span<std::byte> encoded,
                             std::span<const index_t> steps) const {
  detail::region_reader(*state_, box, steps, into).read(decoded, encoded);
}

void zarr_array::write_chunk(std::span<const index_t> chunk, const std::byte* data,
                             std::span<std::byte> encoded, std::span<std::byte> scratch) const {
  const detail::zarr_array_state& array = *state_;
  if (array.metadata.byte_order != std::endian::native && array.itemsize > 1) {
    throw zarr_error(fmt::format("{}: big-endian arrays can be read but not written", name()));
  }
  std::span<const std::byte> laid_out(data, array.decoded_bytes);
  if (!array.is_row_major) {
    detail::require_buffer(array, "scratch", scratch.size(), array.decoded_bytes);
    detail::strided_copy(scratch.data(), array.chunk_strides, data,
                         row_major_strides(array.metadata.chunks), array.metadata.chunks,
                         array.itemsize);
    laid_out = scratch.first(array.decoded_bytes);
  }
  array.save(chunk, laid_out, encoded);
}

}  // namespace tessera
