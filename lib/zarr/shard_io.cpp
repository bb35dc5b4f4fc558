// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reads single chunks of shards, and whole shards.

#include "tessera/core/error.hpp"
#include "tessera/core/traffic.hpp"

#include "core/api/added_time.hpp"
#include "core/api/kept_memory.hpp"
#include "zarr/array_state.hpp"
#include "zarr/kept_index.hpp"
#include "zarr/native_bytes.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <utility>
#include <vector>

namespace tessera::detail {

namespace {

/// Calls `f`, and names the key in its errors of codecs.
template <class F>
auto with_key(const zarr_array_state& array, std::string_view key, F f) {
  try {
    return f();
  } catch (const codec_error& failure) {
    throw codec_error(
        fmt::format("{}: shard \"{}\": {}", array.store->name(), key, failure.what()));
  }
}

/// Returns the axes of the array as the axes of the index.
index_vector in_index(const stored_shards& shards, const index_vector& extents) {
  index_vector result = extents;
  for (std::size_t i = 0; i < shards.index_order.size(); ++i) {
    result[i] = extents[static_cast<std::size_t>(shards.index_order[i])];
  }
  return result;
}

/// Indexes with more entries are kept for one task alone.
constexpr index_t most_kept_entries = 16'384;
constexpr std::size_t largest_kept_index = 16 * static_cast<std::size_t>(most_kept_entries);
constexpr index_t most_kept_indexes = 64;

[[noreturn]] void throw_too_short(const zarr_array_state& array, std::string_view key,
                                  std::uint64_t size) {
  throw zarr_error(
      fmt::format("{}: shard \"{}\" must have at least the {} B of its index, found {} B",
                  array.store->name(), key, array.shards->index_bytes, size));
}

/// The index of a shard that a thread has read.
///
/// The parts of a shard are read one after the other, each with the version of the shard: a part of
/// another version is found again in a new index. An index of an unknown version is not used again.
/// A large one belongs to the memory of one task, and is released at its end.
struct read_index {
  std::shared_ptr<const stored_shards> shards;
  std::string key;
  value_version version;
  std::uint64_t shard_size = 0;
  std::vector<std::byte> bytes;
  std::optional<shard_index> index;

  [[nodiscard]] index_t num_entries() const { return num_elements(shards->parts); }
  [[nodiscard]] bool is_of(const zarr_array_state& array, std::string_view name) const {
    return index && shards == array.shards && key == name && version.is_known();
  }
  /// Tells whether `part` belongs to the same value of the shard.
  [[nodiscard]] bool has(const value_part& part) const {
    return part.version == version && part.value_size == shard_size;
  }
};

/// The indexes that a thread keeps, the last one used behind the others.
class kept_indexes {
 public:
  /// Returns the index of the shard at `key`, or null.
  [[nodiscard]] read_index* find(const zarr_array_state& array, std::string_view key) {
    const auto match = std::ranges::find_if(
        indexes_, [&](const read_index& kept) { return kept.is_of(array, key); });
    if (match == indexes_.end()) return nullptr;
    std::rotate(match, match + 1, indexes_.end());
    return &indexes_.back();
  }

  /// Drops the index that was found last.
  void drop_last() { indexes_.pop_back(); }

  /// Drops the least recently used ones until there is room for `num_entries` more.
  void make_room(index_t num_entries) {
    index_t kept = num_entries;
    auto first = indexes_.end();
    while (first != indexes_.begin() && indexes_.end() - first + 1 < most_kept_indexes) {
      kept += (first - 1)->num_entries();
      if (kept > most_kept_entries) break;
      --first;
    }
    indexes_.erase(indexes_.begin(), first);
  }

  void keep(read_index&& shard) { indexes_.push_back(std::move(shard)); }

  void release_large() {
    std::erase_if(indexes_,
                  [](const read_index& kept) { return kept.num_entries() > most_kept_entries; });
  }

 private:
  std::vector<read_index> indexes_;
};

kept_indexes& indexes_of_thread() {
  static thread_local kept_indexes kept;
  return kept;
}

/// Keeps an index for the next chunk of the shard.
void keep_index(read_index&& shard) {
  if (!shard.version.is_known()) return;
  const bool is_large = shard.num_entries() > most_kept_entries;
  indexes_of_thread().keep(std::move(shard));
  if (is_large) release_with_scope(&release_large_index);
}

/// Reads the index of the shard at `key`. Returns false if the shard is missing.
bool read_shard_index(const zarr_array_state& array, std::string_view key, read_index& into) {
  const stored_shards& shards = *array.shards;
  into.shards = array.shards;
  into.key = key;
  // A document may claim any number of parts.
  if (shards.index_bytes > largest_kept_index) {
    const auto size = array.store->size(key);
    ++traffic_of_thread().requests;
    if (!size) return false;
    if (*size < shards.index_bytes) throw_too_short(array, key, *size);
  }
  into.bytes.resize(shards.index_bytes);
  const auto part = [&] {
    const added_time timed(traffic_of_thread().storage_time);
    return array.store->read_part(
        key, {.count = shards.index_bytes, .from_end = !shards.index.is_at_start}, into.bytes);
  }();
  ++traffic_of_thread().requests;
  if (!part) return false;
  if (part->size < shards.index_bytes) throw_too_short(array, key, part->value_size);
  into.version = part->version;
  into.shard_size = part->value_size;
  with_key(array, key,
           [&] { into.index.emplace(shards.index, in_index(shards, shards.parts), into.bytes); });
  return true;
}

/// Returns the bytes of a chunk in its shard, or nullopt if it is missing.
std::optional<shard_part> find_part(const zarr_array_state& array, const read_index& shard,
                                    std::span<const index_t> chunk) {
  const stored_shards& shards = *array.shards;
  index_vector inside(chunk);
  for (std::size_t axis = 0; axis < inside.size(); ++axis) inside[axis] %= shards.parts[axis];
  const std::size_t number = part_number(in_index(shards, inside), in_index(shards, shards.parts));
  const std::size_t bound = array.codec == nullptr ? array.decoded_bytes : array.encoded_bound;
  return with_key(array, shard.key, [&] {
    return shard.index->part(number, shard.shard_size, bound,
                             array.codec == nullptr || shards.is_fixed_size);
  });
}

/// Reads bytes of a chunk in a shard: all that is stored, or `size` bytes from `first` on of a
/// chunk without codec. Returns nullopt if they belong to another version of the shard than the
/// index.
std::optional<std::span<std::byte>> read_stored_part(const zarr_array_state& array,
                                                     const read_index& shard,
                                                     const shard_part& part, std::size_t first,
                                                     std::span<std::byte> wanted,
                                                     std::span<std::byte> encoded) {
  const bool is_plain = array.codec == nullptr;
  const std::span<std::byte> into = is_plain ? wanted : encoded.first(part.size);
  const std::uint64_t begin = part.offset + (is_plain ? first : 0);
  const auto stored = [&] {
    const added_time timed(traffic_of_thread().storage_time);
    return array.store->read_part(shard.key, {begin, into.size()}, into);
  }();
  ++traffic_of_thread().requests;
  if (!stored || stored->size < into.size() || !shard.has(*stored)) return std::nullopt;
  traffic_of_thread().encoded_read += bytes{into.size()};
  return into;
}

/// Returns the stored bytes of a chunk, or nullopt if it is missing.
std::optional<std::span<std::byte>> fetch_part(const zarr_array_state& array, std::string_view key,
                                               std::span<const index_t> chunk, std::size_t first,
                                               std::span<std::byte> wanted,
                                               std::span<std::byte> encoded) {
  kept_indexes& indexes = indexes_of_thread();
  if (const read_index* const kept = indexes.find(array, key)) {
    try {
      const auto part = find_part(array, *kept, chunk);
      if (!part) {
        // No byte of the shard is needed, but its version: the part is missing in this one.
        const auto now = array.store->read_part(kept->key, {0, 0}, {});
        ++traffic_of_thread().requests;
        if (now && kept->has(*now)) return std::nullopt;
      } else if (const auto bytes = read_stored_part(array, *kept, *part, first, wanted, encoded)) {
        return bytes;
      }
    } catch (const codec_error&) {
      // The index may be of an older shard.
    }
    indexes.drop_last();
  }
  indexes.make_room(num_elements(array.shards->parts));
  constexpr int attempts = 3;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    read_index shard;
    if (!read_shard_index(array, key, shard)) return std::nullopt;
    const auto part = find_part(array, shard, chunk);
    std::optional<std::span<std::byte>> bytes;
    if (part) {
      bytes = read_stored_part(array, shard, *part, first, wanted, encoded);
      if (!bytes) continue;  // the shard was replaced meanwhile
    }
    keep_index(std::move(shard));
    return bytes;
  }
  throw zarr_error(fmt::format("{}: shard \"{}\" was replaced while it was read; read it again",
                               array.store->name(), key));
}

}  // namespace

indexed_shards indexed_shards_of(const zarr_metadata& metadata) {
  if (metadata.shards.empty()) return {};
  index_t num_entries = 1;
  index_t num_shards = 1;
  for (std::size_t axis = 0; axis < metadata.shape.size(); ++axis) {
    num_entries *= metadata.shards[axis] / metadata.chunks[axis];
    const index_t along = ceil_divide(metadata.shape[axis], metadata.shards[axis]);
    num_shards = std::min(most_kept_indexes, num_shards * std::min(most_kept_indexes, along));
  }
  const index_t most_kept = std::min(num_shards, most_kept_entries / num_entries);
  return {metadata.shards, std::max<index_t>(1, most_kept)};
}

void release_large_index() { indexes_of_thread().release_large(); }

const std::byte* zarr_array_state::load_part(std::span<const index_t> chunk, std::size_t first,
                                             std::size_t size, std::span<std::byte> destination,
                                             std::span<std::byte> decoded,
                                             std::span<std::byte> encoded) const {
  const chunk_key_buffer key(*this, unit_of_chunk(*this, chunk));
  const bool is_whole = size == decoded_bytes;
  const bool is_direct = is_whole && !destination.empty();
  if (!is_direct) require_buffer(*this, "decoded", decoded.size(), decoded_bytes);
  require_buffer(*this, "encoded", encoded.size(), encoded_bound);
  const std::span<std::byte> whole = is_direct ? destination : decoded.first(decoded_bytes);
  const std::span<std::byte> wanted =
      destination.empty() ? whole.subspan(first, size) : destination;
  const auto stored = fetch_part(*this, key.view(), chunk, first, wanted, encoded);
  if (!stored) return nullptr;
  traffic_of_thread().read += bytes{codec == nullptr ? size : decoded_bytes};
  if (codec != nullptr) {
    with_key(*this, key.view(), [&] {
      const added_time timed(traffic_of_thread().codec_time);
      if (!is_whole && codec->decode_range(*stored, decoded_bytes, first, wanted)) return;
      codec->decode(*stored, whole);
      if (wanted.data() != whole.data() + first) {
        std::memcpy(wanted.data(), whole.data() + first, size);
      }
    });
  }
  make_native(wanted, metadata.dtype);
  return wanted.data();
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
  with_key(*this, key.view(), [&] {
    const added_time timed(traffic_of_thread().codec_time);
    shards->codec->decode(value, whole);
  });
  traffic_of_thread().read += bytes{whole.size()};
  traffic_of_thread().encoded_read += bytes{value.size()};
  make_native(whole, metadata.dtype);
  return true;
}

}  // namespace tessera::detail
