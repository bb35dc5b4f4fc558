// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads chunks of shards, neighbours by one request, and whole shards.

#include "tessera/core/traffic.hpp"

#include "core/api/added_time.hpp"
#include "zarr/kept_index.hpp"
#include "zarr/native_bytes.hpp"
#include "zarr/near_parts.hpp"
#include "zarr/read_index.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstring>
#include <vector>

namespace tessera::detail {

namespace {

/// Reads bytes of a shard. Returns false if they belong to another version of the shard than the
/// index.
bool read_bytes(const zarr_array_state& array, const read_index& shard, std::uint64_t begin,
                std::span<std::byte> into) {
  const auto stored = [&] {
    const added_time timed(traffic_of_thread().storage_time);
    return array.store->read_part(shard.key, {begin, into.size()}, into);
  }();
  ++traffic_of_thread().requests;
  if (!stored || stored->size < into.size() || !shard.has(*stored)) return false;
  traffic_of_thread().encoded_read += bytes{into.size()};
  return true;
}

/// Tells whether the shard has the version of its index.
bool is_current(const zarr_array_state& array, const read_index& shard) {
  const auto now = array.store->read_part(shard.key, {0, 0}, {});
  ++traffic_of_thread().requests;
  return now && shard.has(*now);
}

/// The bytes of a shard that a wanted part takes.
struct stored_range {
  std::uint64_t begin = 0;
  std::size_t size = 0;
  /// The number of the wanted part.
  std::size_t number = 0;

  [[nodiscard]] std::uint64_t end() const { return begin + size; }
};

/// Reads wanted parts of one shard, of which `decoded` and `encoded` hold some at a time.
class part_reader {
 public:
  part_reader(const zarr_array_state& array, std::span<const wanted_part> wanted,
              std::span<std::byte> decoded, std::span<std::byte> encoded, const part_visitor& visit)
      : array_(array), wanted_(wanted), decoded_(decoded), encoded_(encoded), visit_(visit) {}

  /// Returns false if the shard was replaced.
  bool read(const read_index& shard, bool is_new) {
    find_ranges(shard);
    if (ranges().empty() && !is_new && !is_current(array_, shard)) return false;
    for (std::span<const stored_range> rest = ranges(); !rest.empty();) {
      const std::size_t count = count_neighbours(rest);
      if (!read_run(shard, rest.first(count))) return false;
      rest = rest.subspan(count);
    }
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      if (is_missing_[i]) visit_(i, nullptr);
    }
    return true;
  }

 private:
  [[nodiscard]] bool is_plain() const { return array_.codec == nullptr; }
  [[nodiscard]] std::span<const stored_range> ranges() const {
    return std::span(ranges_).first(num_ranges_);
  }

  /// Finds the stored parts, in the order of their bytes.
  void find_ranges(const read_index& shard) {
    num_ranges_ = 0;
    is_missing_.reset();
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      const auto part = find_part(array_, shard, wanted_[i].chunk);
      if (!part) {
        is_missing_.set(i);
      } else if (is_plain()) {
        ranges_[num_ranges_++] = {part->offset + wanted_[i].first, wanted_[i].size, i};
      } else {
        ranges_[num_ranges_++] = {part->offset, static_cast<std::size_t>(part->size), i};
      }
    }
    std::sort(ranges_.begin(), ranges_.begin() + static_cast<std::ptrdiff_t>(num_ranges_),
              [](const stored_range& a, const stored_range& b) { return a.begin < b.begin; });
  }

  /// Returns the number of first ranges that one request reads.
  [[nodiscard]] std::size_t count_neighbours(std::span<const stored_range> rest) const {
    std::uint64_t end = rest.front().end();
    std::size_t count = 1;
    for (; count < rest.size(); ++count) {
      const std::uint64_t farther = std::max(end, rest[count].end());
      const bool is_near =
          rest[count].begin <= end || rest[count].begin - end <= largest_gap_in_run;
      if (!is_near || farther - rest.front().begin > encoded_.size()) break;
      end = farther;
    }
    return count;
  }

  /// Reads the bytes of neighbours by one request, and visits their parts.
  bool read_run(const read_index& shard, std::span<const stored_range> run) {
    const std::uint64_t begin = run.front().begin;
    if (run.size() == 1 && is_plain()) {
      const wanted_part& part = wanted_[run.front().number];
      const std::span<std::byte> target = target_of(part);
      if (!read_bytes(array_, shard, begin, target)) return false;
      visit_(run.front().number, decode(shard, part, target));
      return true;
    }
    std::uint64_t end = begin;
    for (const stored_range& range : run) end = std::max(end, range.end());
    const std::span<std::byte> stored = encoded_.first(static_cast<std::size_t>(end - begin));
    if (!read_bytes(array_, shard, begin, stored)) return false;
    for (const stored_range& range : run) {
      const auto from = static_cast<std::size_t>(range.begin - begin);
      visit_(range.number, decode(shard, wanted_[range.number], stored.subspan(from, range.size)));
    }
    return true;
  }

  /// Returns the memory of all elements of a chunk that is decoded.
  [[nodiscard]] std::span<std::byte> memory_of_chunk(const wanted_part& part) const {
    const bool is_direct = part.size == array_.decoded_bytes && !part.destination.empty();
    return is_direct ? part.destination : decoded_.first(array_.decoded_bytes);
  }
  [[nodiscard]] std::span<std::byte> target_of(const wanted_part& part) const {
    return part.destination.empty() ? memory_of_chunk(part).subspan(part.first, part.size)
                                    : part.destination;
  }

  /// Returns the wanted elements, at their destination or in a buffer.
  const std::byte* decode(const read_index& shard, const wanted_part& part,
                          std::span<const std::byte> stored) const {
    const std::span<std::byte> target = target_of(part);
    traffic_of_thread().read += bytes{is_plain() ? part.size : array_.decoded_bytes};
    if (is_plain()) {
      if (target.data() != stored.data()) std::memcpy(target.data(), stored.data(), part.size);
    } else {
      with_shard_key(array_, shard.key, [&] { decode_chunk(part, stored, target); });
    }
    make_native(target, array_.metadata.dtype);
    return target.data();
  }

  void decode_chunk(const wanted_part& part, std::span<const std::byte> stored,
                    std::span<std::byte> target) const {
    const added_time timed(traffic_of_thread().codec_time);
    const bool is_whole = part.size == array_.decoded_bytes;
    const byte_codec& codec = *array_.codec;
    if (!is_whole && codec.decode_range(stored, array_.decoded_bytes, part.first, target)) return;
    const std::span<std::byte> whole = memory_of_chunk(part);
    codec.decode(stored, whole);
    if (target.data() == whole.data() + part.first) return;
    std::memcpy(target.data(), whole.data() + part.first, part.size);
  }

  const zarr_array_state& array_;
  std::span<const wanted_part> wanted_;
  std::span<std::byte> decoded_;
  std::span<std::byte> encoded_;
  const part_visitor& visit_;
  std::array<stored_range, most_chunks_in_run> ranges_ = {};
  std::size_t num_ranges_ = 0;
  std::bitset<most_chunks_in_run> is_missing_;
};

}  // namespace

void load_parts(const zarr_array_state& array, std::span<const wanted_part> wanted,
                std::span<std::byte> decoded, std::span<std::byte> encoded,
                const part_visitor& visit) {
  const chunk_key_buffer key(array, unit_of_chunk(array, wanted.front().chunk));
  for (const wanted_part& part : wanted) {
    if (part.size == array.decoded_bytes && !part.destination.empty()) continue;
    require_buffer(array, "decoded", decoded.size(), array.decoded_bytes);
  }
  require_buffer(array, "encoded", encoded.size(), array.encoded_bound);
  part_reader reader(array, wanted, decoded, encoded, visit);
  const bool is_there = with_index(array, key.view(), [&](const read_index& shard, bool is_new) {
    return reader.read(shard, is_new);
  });
  if (is_there) return;
  for (std::size_t i = 0; i < wanted.size(); ++i) visit(i, nullptr);
}

const std::byte* zarr_array_state::load_part(std::span<const index_t> chunk, std::size_t first,
                                             std::size_t size, std::span<std::byte> destination,
                                             std::span<std::byte> decoded,
                                             std::span<std::byte> encoded) const {
  const wanted_part part{index_vector(chunk), first, size, destination};
  const std::byte* loaded = nullptr;
  load_parts(*this, std::span(&part, 1), decoded, encoded,
             [&](std::size_t, const std::byte* elements) { loaded = elements; });
  return loaded;
}

bool zarr_array_state::load_unit(std::span<const index_t> unit, std::span<std::byte> decoded,
                                 std::span<std::byte> encoded) const {
  if (shards == nullptr) return load(unit, decoded, encoded);
  require_buffer(*this, "decoded", decoded.size(), shards->decoded_bytes);
  require_buffer(*this, "encoded", encoded.size(), shards->encoded_bound);
  const chunk_key_buffer key(*this, unit);
  release_large_index();
  const std::span<std::byte> whole = decoded.first(shards->decoded_bytes);
  ++traffic_of_thread().requests;
  std::span<const std::byte> value = encoded;
  std::optional<std::vector<std::byte>> longer;
  if (store->size(key.view()).value_or(0) <= encoded.size()) {
    const std::optional<std::size_t> size = fetch(key.view(), encoded);
    if (!size) return false;
    value = value.first(*size);
  } else {
    // Shards of other writers may have gaps.
    const added_time timed(traffic_of_thread().storage_time);
    longer = store->read_all(key.view(), 4 * shards->encoded_bound);
    if (!longer) return false;
    value = *longer;
  }
  with_shard_key(*this, key.view(), [&] {
    const added_time timed(traffic_of_thread().codec_time);
    shards->codec->decode(value, whole);
  });
  traffic_of_thread().read += bytes{whole.size()};
  traffic_of_thread().encoded_read += bytes{value.size()};
  make_native(whole, metadata.dtype);
  return true;
}

}  // namespace tessera::detail
