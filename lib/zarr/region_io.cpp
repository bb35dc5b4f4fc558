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

#include "zarr/region_io.hpp"

#include "tessera/core/error.hpp"
#include "tessera/core/strided_copy.hpp"

#include "core/api/kept_memory.hpp"
#include "zarr/array_state.hpp"
#include "zarr/chunk_locks.hpp"
#include "zarr/dense_box.hpp"
#include "zarr/near_parts.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <vector>

namespace tessera {

namespace detail {

namespace {

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

bool read_region(const zarr_array_state& array, const region& box, std::span<std::byte> into,
                 const workspace& buffers, std::span<const index_t> steps,
                 std::span<const index_t> strides) {
  const dense_box dense(array, array.grid, array.chunk_strides, box, steps, into.size(), strides);
  const kept_memory_scope scope;
  const auto target_of = [&](const overlap& part) {
    return into.data() + static_cast<std::size_t>(part.to) * array.itemsize;
  };
  if (array.shards != nullptr && !array.field) {
    shard_batch batch(array, dense, buffers);
    dense.for_each_chunk_by_shard(
        array.shards->grid,
        [&](const index_vector& chunk, const overlap& part) {
          batch.add(chunk, part, target_of(part));
        },
        [&] { batch.read(); });
    return batch.is_any_there();
  }
  bool is_any_there = false;
  dense.for_each_chunk([&](const index_vector& chunk, const overlap& part) {
    is_any_there |= read_part(array, dense, chunk, part, target_of(part), buffers);
  });
  return is_any_there;
}

}  // namespace detail

bool zarr_array::read_region(const region& box, std::span<std::byte> into,
                             std::span<std::byte> decoded, std::span<std::byte> encoded,
                             std::span<const index_t> steps,
                             std::span<const index_t> strides) const {
  return detail::read_region(*state_, box, into, {decoded, encoded}, steps, strides);
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
