// SPDX-License-Identifier: Apache-2.0
/// \file
/// Chunks: from the store into memory and back.

#include "tessera/core/error.hpp"
#include "tessera/core/strided_copy.hpp"
#include "tessera/core/traffic.hpp"
#include "tessera/zarr/chunk_buffers.hpp"

#include "zarr/array_state.hpp"
#include "zarr/native_bytes.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <new>

namespace tessera {

namespace detail {

namespace {

[[noreturn]] void throw_not_in_grid(const zarr_array_state& array, std::span<const index_t> chunk) {
  throw shape_error(fmt::format("{}: there is no chunk {} in a grid of {} chunks", array.name(),
                                format_shape(chunk), format_shape(array.grid.num_chunks())));
}

[[noreturn]] void throw_with_key(const zarr_array_state& array, std::string_view key,
                                 const codec_error& failure) {
  throw codec_error(fmt::format("{}: chunk \"{}\": {}", array.store->name(), key, failure.what()));
}

}  // namespace

void require_buffer(const zarr_array_state& array, const char* buffer, std::size_t found,
                    std::size_t required) {
  if (found >= required) return;
  throw value_error(fmt::format("{}: the buffer \"{}\" must have at least {} B, found {} B",
                                array.name(), buffer, required, found));
}

chunk_key_buffer::chunk_key_buffer(const zarr_array_state& array, std::span<const index_t> chunk) {
  const index_vector& num_chunks = array.grid.num_chunks();
  if (chunk.size() != num_chunks.size()) throw_not_in_grid(array, chunk);
  if (array.field) {
    const zarr_array_state& records = *array.field->records;
    *this = chunk_key_buffer(records, chunk.first(records.grid.rank()));
    return;
  }
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

/// Reads what is stored of a chunk into the front of `into`; returns its size, nothing if it is
/// missing.
std::optional<std::size_t> zarr_array_state::fetch(std::string_view key,
                                                   std::span<std::byte> into) const {
  try {
    return store->read(key, into);
  } catch (const store_error&) {
    const std::optional<std::size_t> size = store->size(key);
    if (!size || *size <= into.size()) throw;
    throw zarr_error(fmt::format("{}: chunk \"{}\" must have at most {} B, found {} B",
                                 store->name(), key, into.size(), *size));
  }
}

bool zarr_array_state::load(std::span<const index_t> chunk, std::span<std::byte> decoded,
                            std::span<std::byte> encoded) const {
  return load_range(chunk, 0, decoded_bytes, {}, decoded, encoded) != nullptr;
}

const std::byte* zarr_array_state::load_range(std::span<const index_t> chunk, std::size_t first,
                                              std::size_t size, std::span<std::byte> place,
                                              std::span<std::byte> decoded,
                                              std::span<std::byte> encoded) const {
  if (field) return gather_field(chunk, first, size, place, decoded, encoded);
  const chunk_key_buffer key(*this, chunk);
  const bool is_whole = size == decoded_bytes;
  const bool is_direct = is_whole && !place.empty();
  if (!is_direct) require_buffer(*this, "decoded", decoded.size(), decoded_bytes);
  require_buffer(*this, "encoded", encoded.size(), encoded_bound);
  const std::span<std::byte> whole = is_direct ? place : decoded.first(decoded_bytes);
  const std::span<std::byte> wanted = place.empty() ? whole.subspan(first, size) : place;

  const bool is_range = !is_whole && has_ranges();
  const std::span<std::byte> into = codec == nullptr ? whole : encoded.first(encoded_bound);
  const std::optional<std::size_t> found =
      is_range ? store->read_range(key.view(), first, wanted) : fetch(key.view(), into);
  ++traffic_of_thread().requests;
  if (!found) return nullptr;
  traffic_of_thread().read += bytes{is_range ? wanted.size() : decoded_bytes};
  if (*found == 0) {
    // It would be wrong to take it for missing: what was written there is lost.
    throw zarr_error(fmt::format(
        "{}: chunk \"{}\" must have {} B{}, found 0 B, as a power failure leaves it; write it "
        "anew, "
        "or remove it to have it missing",
        store->name(), key.view(), decoded_bytes, codec == nullptr ? "" : " of elements"));
  }
  if (codec == nullptr && *found != decoded_bytes) {
    throw zarr_error(fmt::format("{}: chunk \"{}\" must have {} B, found {} B", store->name(),
                                 key.view(), decoded_bytes, *found));
  }
  bool is_there = is_direct || is_range || place.empty();
  if (codec != nullptr) {
    const std::span<const std::byte> stored = encoded.first(*found);
    try {
      if (is_whole || !codec->decode_range(stored, decoded_bytes, first, wanted)) {
        codec->decode(stored, whole);
      } else {
        is_there = true;
      }
    } catch (const codec_error& failure) {
      throw_with_key(*this, key.view(), failure);
    }
  }
  if (!is_there) std::memcpy(wanted.data(), whole.data() + first, size);
  make_native(wanted, metadata.dtype);
  return wanted.data();
}

void zarr_array_state::store_decoded(std::span<const index_t> chunk, std::span<std::byte> decoded,
                                     std::span<std::byte> encoded) const {
  if (omit(chunk, decoded)) return;
  make_stored(decoded, metadata.dtype);
  save(chunk, decoded, encoded);
}

void zarr_array_state::save(std::span<const index_t> chunk, std::span<const std::byte> decoded,
                            std::span<std::byte> encoded) const {
  const chunk_key_buffer key(*this, chunk);
  ++traffic_of_thread().requests;
  traffic_of_thread().written += bytes{decoded.size()};
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

bool zarr_array_state::omit(std::span<const index_t> chunk, std::span<const std::byte> data) const {
  if (policy.empty == empty_chunks::write || !metadata.fill_value) return false;
  if (std::memcmp(data.data(), fill.data(), itemsize) != 0) return false;
  // All elements are alike if each equals the next.
  const std::size_t rest = data.size() - itemsize;
  if (std::memcmp(data.data(), data.data() + itemsize, rest) != 0) return false;
  store->erase(chunk_key_buffer(*this, chunk).view());
  return true;
}

void zarr_array_state::require_no_missing(std::span<const index_t> chunk) const {
  if (policy.missing == missing_chunks::fill) return;
  if (policy.missing == missing_chunks::automatic && metadata.fill_value) return;
  const chunk_key_buffer key(*this, chunk);
  if (policy.missing == missing_chunks::error) {
    throw zarr_error(fmt::format("{}: chunk \"{}\" is missing, and missing chunks are errors here",
                                 store->name(), key.view()));
  }
  throw zarr_error(fmt::format(
      "{}: chunk \"{}\" is missing, and the array states no fill value (null), so that nothing "
      "says "
      "what it holds; write it, or open the array with .missing = missing_chunks::fill to read "
      "zeros, as zarr-python does",
      store->name(), key.view()));
}

}  // namespace detail

chunk_buffers::chunk_buffers(const zarr_array& array)
    : decoded_size_(array.decoded_bytes()), encoded_size_(array.encoded_bound()) {
  const std::size_t most = std::numeric_limits<std::ptrdiff_t>::max();
  const bool fits = decoded_size_ <= most && encoded_size_ <= most - decoded_size_;
  if (fits) memory_.reset(new (std::nothrow) std::byte[decoded_size_ + encoded_size_]);
  if (memory_ == nullptr) {
    throw memory_error(fmt::format("{}: there is no memory for a chunk of {} B and its encoding",
                                   array.name(), decoded_size_));
  }
}

bool zarr_array::read_chunk(std::span<const index_t> chunk, std::span<std::byte> decoded,
                            std::span<std::byte> encoded) const {
  const bool is_there = state_->load(chunk, decoded, encoded);
  if (!is_there) state_->require_no_missing(chunk);
  return is_there;
}

void zarr_array::write_chunk(std::span<const index_t> chunk, const std::byte* data,
                             std::span<std::byte> encoded, std::span<std::byte> scratch) const {
  const detail::zarr_array_state& array = *state_;
  array.require_writable();
  const std::span<const std::byte> elements(data, array.decoded_bytes);
  if (write_scratch_bytes() == 0) {
    if (!array.omit(chunk, elements)) array.save(chunk, elements, encoded);
    return;
  }
  detail::require_buffer(array, "scratch", scratch.size(), array.decoded_bytes);
  scratch = scratch.first(array.decoded_bytes);
  detail::strided_copy(scratch.data(), array.chunk_strides, data,
                       row_major_strides(array.metadata.chunks), array.metadata.chunks,
                       array.itemsize);
  array.store_decoded(chunk, scratch, encoded);
}

}  // namespace tessera
