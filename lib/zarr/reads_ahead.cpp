// SPDX-License-Identifier: Apache-2.0
#include "zarr/reads_ahead.hpp"

#include "tessera/core/error.hpp"

#include "zarr/read_index.hpp"

#include <cstdint>
#include <fmt/format.h>
#include <utility>

namespace tessera::detail {

namespace {

/// Returns the bytes of the elements of `box` by `steps`.
std::size_t bytes_of(const zarr_array_state& array, const region& box,
                     std::span<const index_t> steps) {
  index_t count = 1;
  for (std::size_t axis = 0; axis < box.rank(); ++axis) {
    count *= ceil_divide(box.stop[axis] - box.start[axis], steps.empty() ? 1 : steps[axis]);
  }
  return static_cast<std::size_t>(count) * array.itemsize;
}

}  // namespace

reads_ahead::open_box::open_box(const zarr_array_state& array, region read,
                                std::span<const index_t> steps)
    : box(std::move(read)),
      chunks(array, array.grid, array.chunk_strides, box, steps, bytes_of(array, box, steps)),
      positions(array.grid.chunks_touching(box)) {}

void reads_ahead::begin(expected_reads expected, std::span<const index_t> steps) {
  give_up();
  expected_ = std::move(expected);
  steps_ = index_vector(steps);
  missing_shard_.reset();
  top_up();
}

std::optional<value_part> reads_ahead::read_part(std::string_view key, const byte_range& range,
                                                 std::span<std::byte> into) const {
  if (!ring_.is_next(key, range)) {
    if (!is_about_shard(range)) give_up();
    return store().read_part(key, range, into);
  }
  const std::optional<value_part> part = ring_.take(into);
  if (array().shards == nullptr) top_up();
  return part;
}

bool reads_ahead::is_about_shard(const byte_range& range) const {
  if (array().shards == nullptr) return false;
  const bool is_index =
      array().shards->index.is_at_start ? !range.from_end && range.first == 0 : range.from_end;
  return is_index || range.count == 0;
}

std::optional<std::size_t> reads_ahead::read(std::string_view key,
                                             std::span<std::byte> into) const {
  if (!ring_.is_next(key, {})) {
    give_up();
    return store().read(key, into);
  }
  const std::optional<value_part> part = read_part(key, {}, into);
  if (!part) return std::nullopt;
  if (part->size < part->value_size) {
    throw store_error(fmt::format("cannot read key \"{}\" ({}): it has {} B, at most {} B fit", key,
                                  store().name(), part->value_size, into.size()),
                      store_failure::too_large, part->value_size);
  }
  return part->size;
}

void reads_ahead::top_up() const {
  while (!ring_.is_full()) {
    const std::optional<chunk_request> request = next();
    if (!request) return;
    const index_vector unit = unit_of_chunk(array(), request->chunk);
    ring_.submit(chunk_key_buffer(array(), unit).view(), request->range);
  }
}

void reads_ahead::top_up_shards() const {
  if (array().shards != nullptr) top_up();
}

std::optional<reads_ahead::chunk_request> reads_ahead::next() const {
  while (true) {
    if (open_) {
      if (auto request = next_in_box()) return request;
      open_.reset();
    }
    std::optional<expected_read> read = expected_ ? expected_() : std::nullopt;
    if (!read) return std::nullopt;
    if (read->is_chunk && array().shards != nullptr) {
      if (auto request = request_in_shard(read->box.start)) return request;
      continue;
    }
    if (read->is_chunk) return chunk_request{std::move(read->box.start), {}};
    if (!read->box.empty()) open_.emplace(array(), std::move(read->box), steps_);
  }
}

std::optional<reads_ahead::chunk_request> reads_ahead::request_in_shard(
    const index_vector& chunk) const {
  const index_vector shard = unit_of_chunk(array(), chunk);
  if (shard == missing_shard_) return std::nullopt;
  std::optional<shard_part> part;
  bool is_kept = true;
  try {
    const chunk_key_buffer key(array(), shard);
    const bool is_there = with_index(array(), key.view(), [&](const read_index& index, bool) {
      is_kept = index.version.is_known();
      part = find_part(array(), index, chunk);
      return true;
    });
    if (!is_there) missing_shard_ = shard;
  } catch (const error&) {
    // The task meets the failure when it reads the chunk.
    is_kept = false;
  }
  if (!is_kept) expected_ = nullptr;
  if (!is_kept || !part) return std::nullopt;
  const std::uint64_t size = array().codec == nullptr ? array().decoded_bytes : part->size;
  return chunk_request{chunk, {part->offset, size}};
}

std::optional<reads_ahead::chunk_request> reads_ahead::next_in_box() const {
  index_vector chunk;
  while (open_->positions.next(chunk)) {
    const overlap part = open_->chunks.overlap_with(chunk);
    if (part.is_empty) continue;
    const auto first = static_cast<std::size_t>(part.from) * array().itemsize;
    const auto size = static_cast<std::size_t>(part.span()) * array().itemsize;
    const bool is_part = size != array().decoded_bytes && array().has_ranges();
    return chunk_request{std::move(chunk), is_part ? byte_range{first, size} : byte_range{}};
  }
  return std::nullopt;
}

void reads_ahead::give_up() const {
  ring_.clear();
  expected_ = nullptr;
  open_.reset();
}

}  // namespace tessera::detail
