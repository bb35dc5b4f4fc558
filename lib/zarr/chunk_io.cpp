// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads, decodes, encodes and writes single chunks.

#include "tessera/core/error.hpp"
#include "tessera/core/strided_copy.hpp"
#include "tessera/core/traffic.hpp"

#include "core/api/added_time.hpp"
#include "core/api/kept_memory.hpp"
#include "zarr/api/node_location.hpp"
#include "zarr/array_state.hpp"
#include "zarr/kept_index.hpp"
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
  const std::string_view unit = array.shards == nullptr ? "chunk" : "shard";
  throw shape_error(fmt::format("{}: there is no {} {} in a grid of {} {}s", array.name(), unit,
                                format_shape(chunk), format_shape(array.unit().grid.num_chunks()),
                                unit));
}

[[noreturn]] void throw_with_key(const zarr_array_state& array, std::string_view key,
                                 const codec_error& failure) {
  throw codec_error(fmt::format("{}: chunk \"{}\": {}", array.store->name(), key, failure.what()));
}

/// Throws zarr_error unless a chunk of `stored_size` bytes may be a chunk of `array`.
void require_stored_size(const zarr_array_state& array, std::string_view key,
                         std::size_t stored_size) {
  if (stored_size == 0) {
    // The file of a chunk that a power failure emptied. Fill values would hide the loss.
    throw zarr_error(fmt::format(
        "{}: chunk \"{}\" must have {} B{}, found 0 B, as a power failure leaves it; write it "
        "anew, or remove it to have it missing",
        array.store->name(), key, array.decoded_bytes,
        array.codec == nullptr ? "" : " of elements"));
  }
  if (array.codec == nullptr && stored_size != array.decoded_bytes) {
    throw zarr_error(fmt::format("{}: chunk \"{}\" must have {} B, found {} B", array.store->name(),
                                 key, array.decoded_bytes, stored_size));
  }
}

}  // namespace

void require_buffer(const zarr_array_state& array, const char* buffer, std::size_t size,
                    std::size_t required) {
  if (size >= required) return;
  throw value_error(fmt::format("{}: the buffer \"{}\" must have at least {} B, found {} B",
                                array.name(), buffer, required, size));
}

index_vector unit_of_chunk(const zarr_array_state& array, std::span<const index_t> chunk) {
  index_vector unit(chunk);
  if (array.shards == nullptr) return unit;
  for (std::size_t axis = 0; axis < unit.size(); ++axis) unit[axis] /= array.shards->parts[axis];
  return unit;
}

chunk_key_buffer::chunk_key_buffer(const zarr_array_state& array, std::span<const index_t> chunk) {
  const index_vector& num_chunks = array.unit().grid.num_chunks();
  if (chunk.size() != num_chunks.size()) throw_not_in_grid(array, chunk);
  if (array.field) {
    const zarr_array_state& records = *array.field->records;
    *this = chunk_key_buffer(records, unit_of_chunk(records, chunk.first(records.grid.rank())));
    return;
  }
  char* end = std::copy(array.path.begin(), array.path.end(), text_);
  if (end != text_) *end++ = '/';
  const bool has_prefix = array.metadata.key_style == chunk_key_style::prefixed;
  // The key of an array of rank 0 is "0", or "c".
  if (has_prefix || chunk.empty()) *end++ = has_prefix ? 'c' : '0';
  for (std::size_t axis = 0; axis < chunk.size(); ++axis) {
    if (chunk[axis] < 0 || chunk[axis] >= num_chunks[axis]) throw_not_in_grid(array, chunk);
    if (has_prefix || axis > 0) *end++ = array.metadata.dimension_separator;
    end = std::to_chars(end, text_ + sizeof text_, chunk[axis]).ptr;
  }
  size_ = static_cast<std::size_t>(end - text_);
}

/// Reads the encoded chunk into the front of `into`. Returns its size, or nullopt if it is missing.
std::optional<std::size_t> zarr_array_state::fetch(std::string_view key,
                                                   std::span<std::byte> into) const {
  const added_time timed(traffic_of_thread().storage_time);
  try {
    return store->read(key, into);
  } catch (const store_error& failure) {
    if (failure.kind() != store_failure::too_large) throw;
    throw zarr_error(fmt::format("{}: chunk \"{}\" must have at most {} B, found {} B",
                                 store->name(), key, into.size(),
                                 failure.value_size().value_or(into.size() + 1)));
  }
}

/// Reads the bytes of the chunk from `first` on into all of `into`. Returns the size of the chunk,
/// or nullopt if it is missing.
std::optional<std::size_t> zarr_array_state::fetch_range(std::string_view key, std::size_t first,
                                                         std::span<std::byte> into) const {
  const added_time timed(traffic_of_thread().storage_time);
  const std::optional<value_part> part = store->read_part(key, {first, into.size()}, into);
  return part ? std::optional<std::size_t>(part->value_size) : std::nullopt;
}

bool zarr_array_state::load(std::span<const index_t> chunk, std::span<std::byte> decoded,
                            std::span<std::byte> encoded) const {
  return load_range(chunk, 0, decoded_bytes, {}, decoded, encoded) != nullptr;
}

const std::byte* zarr_array_state::load_range(std::span<const index_t> chunk, std::size_t first,
                                              std::size_t size, std::span<std::byte> destination,
                                              std::span<std::byte> decoded,
                                              std::span<std::byte> encoded) const {
  if (field) return gather_field(chunk, first, size, destination, decoded, encoded);
  if (shards != nullptr) return load_part(chunk, first, size, destination, decoded, encoded);
  release_large_index();
  const chunk_key_buffer key(*this, chunk);
  const bool is_whole = size == decoded_bytes;
  const bool is_direct = is_whole && !destination.empty();
  if (!is_direct) require_buffer(*this, "decoded", decoded.size(), decoded_bytes);
  require_buffer(*this, "encoded", encoded.size(), encoded_bound);
  const std::span<std::byte> whole = is_direct ? destination : decoded.first(decoded_bytes);
  const std::span<std::byte> wanted =
      destination.empty() ? whole.subspan(first, size) : destination;

  const bool is_range = !is_whole && has_ranges();
  const std::span<std::byte> into = codec == nullptr ? whole : encoded.first(encoded_bound);
  const std::optional<std::size_t> stored_size =
      is_range ? fetch_range(key.view(), first, wanted) : fetch(key.view(), into);
  ++traffic_of_thread().requests;
  if (!stored_size) return nullptr;
  traffic_of_thread().read += bytes{is_range ? wanted.size() : decoded_bytes};
  traffic_of_thread().encoded_read += bytes{is_range ? wanted.size() : *stored_size};
  require_stored_size(*this, key.view(), *stored_size);
  bool is_there = is_direct || is_range || destination.empty();
  if (codec != nullptr) {
    const std::span<const std::byte> stored = encoded.first(*stored_size);
    const added_time timed(traffic_of_thread().codec_time);
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
  if (!is_read_as_stored) make_native(wanted, metadata.dtype);
  return wanted.data();
}

void zarr_array_state::store_decoded(std::span<const index_t> chunk, std::span<std::byte> decoded,
                                     std::span<std::byte> encoded) const {
  if (omit(chunk, decoded)) return;
  make_stored(decoded, metadata.dtype);
  save(chunk, decoded, encoded);
}

void zarr_array_state::write_unit(std::span<const index_t> chunk, const std::byte* data,
                                  std::span<std::byte> encoded,
                                  std::span<std::byte> scratch) const {
  const stored_unit stored = unit();
  const std::span<const std::byte> elements(data, stored.decoded_bytes);
  const index_vector& extents = stored.grid.chunks();
  if (write_scratch_bytes() == 0) {
    if (!omit(chunk, elements)) save(chunk, elements, encoded);
    return;
  }
  require_buffer(*this, "scratch", scratch.size(), stored.decoded_bytes);
  scratch = scratch.first(stored.decoded_bytes);
  strided_copy(scratch.data(), stored.strides, data, row_major_strides(extents), extents, itemsize);
  store_decoded(chunk, scratch, encoded);
}

void zarr_array_state::save(std::span<const index_t> chunk, std::span<const std::byte> decoded,
                            std::span<std::byte> encoded) const {
  if (save_in_pieces(chunk, decoded, encoded)) return;
  const stored_unit stored = unit();
  release_large_index();
  const chunk_key_buffer key(*this, chunk);
  ++traffic_of_thread().requests;
  traffic_of_thread().written += bytes{decoded.size()};
  if (stored.codec == nullptr) return put(key.view(), decoded);
  require_buffer(*this, "encoded", encoded.size(), stored.encoded_bound);
  std::size_t size = 0;
  try {
    const added_time timed(traffic_of_thread().codec_time);
    size = stored.codec->encode(decoded, encoded.first(stored.encoded_bound));
  } catch (const codec_error& failure) {
    throw_with_key(*this, key.view(), failure);
  }
  put(key.view(), encoded.first(size));
}

/// Writes the encoded chunk.
void zarr_array_state::put(std::string_view key, std::span<const std::byte> value) const {
  const added_time timed(traffic_of_thread().storage_time);
  store->write(key, value);
  traffic_of_thread().encoded_written += bytes{value.size()};
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
  const chunk_key_buffer key(*this, unit_of_chunk(*this, chunk));
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

bool zarr_array::read_chunk(std::span<const index_t> chunk, std::span<std::byte> decoded,
                            std::span<std::byte> encoded) const {
  const kept_memory_scope scope;
  const bool is_there = state_->load(chunk, decoded, encoded);
  if (!is_there) state_->require_no_missing(chunk);
  return is_there;
}

void zarr_array::write_chunk(std::span<const index_t> chunk, const std::byte* data,
                             std::span<std::byte> encoded, std::span<std::byte> scratch) const {
  state_->require_writable();
  state_->write_unit(chunk, data, encoded, scratch);
}

}  // namespace tessera
