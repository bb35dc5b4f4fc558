// SPDX-License-Identifier: Apache-2.0
#include "zarr/read_index.hpp"

#include "tessera/core/traffic.hpp"

#include "core/api/added_time.hpp"
#include "core/api/kept_memory.hpp"
#include "zarr/kept_index.hpp"

#include <algorithm>
#include <utility>

namespace tessera::detail {

index_vector in_index(const stored_shards& shards, const index_vector& extents) {
  index_vector result = extents;
  for (std::size_t i = 0; i < shards.index_order.size(); ++i) {
    result[i] = extents[static_cast<std::size_t>(shards.index_order[i])];
  }
  return result;
}

namespace {

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
  with_shard_key(array, key, [&] {
    into.index.emplace(shards.index, in_index(shards, shards.parts), into.bytes);
  });
  return true;
}

}  // namespace

std::optional<shard_part> find_part(const zarr_array_state& array, const read_index& shard,
                                    std::span<const index_t> chunk) {
  const stored_shards& shards = *array.shards;
  index_vector inside(chunk);
  for (std::size_t axis = 0; axis < inside.size(); ++axis) inside[axis] %= shards.parts[axis];
  const std::size_t number = part_number(in_index(shards, inside), in_index(shards, shards.parts));
  const std::size_t bound = array.codec == nullptr ? array.decoded_bytes : array.encoded_bound;
  return with_shard_key(array, shard.key, [&] {
    return shard.index->part(number, shard.shard_size, bound,
                             array.codec == nullptr || shards.is_fixed_size);
  });
}

bool with_index(const zarr_array_state& array, std::string_view key, const index_reader& read) {
  kept_indexes& indexes = indexes_of_thread();
  if (const read_index* const kept = indexes.find(array, key)) {
    try {
      if (read(*kept, false)) return true;
    } catch (const codec_error&) {
      // The index may be of an older shard.
    }
    indexes.drop_last();
  }
  indexes.make_room(num_elements(array.shards->parts));
  constexpr int attempts = 3;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    read_index shard;
    if (!read_shard_index(array, key, shard)) return false;
    if (!read(shard, true)) continue;
    keep_index(std::move(shard));
    return true;
  }
  throw zarr_error(fmt::format("{}: shard \"{}\" was replaced while it was read; read it again",
                               array.store->name(), key));
}

/// The most bytes that a request for neighbouring chunks reads.
constexpr std::size_t largest_run = std::size_t{1} << 20;

indexed_shards indexed_shards_of(const zarr_metadata& metadata, std::size_t bound) {
  if (metadata.shards.empty()) return {};
  index_t num_entries = 1;
  index_t num_shards = 1;
  for (std::size_t axis = 0; axis < metadata.shape.size(); ++axis) {
    num_entries *= metadata.shards[axis] / metadata.chunks[axis];
    const index_t along = ceil_divide(metadata.shape[axis], metadata.shards[axis]);
    num_shards = std::min(most_kept_indexes, num_shards * std::min(most_kept_indexes, along));
  }
  const index_t most_kept = std::min(num_shards, most_kept_entries / num_entries);
  const std::size_t num_in_run = std::min(static_cast<std::size_t>(num_entries),
                                          largest_run / std::max<std::size_t>(1, bound));
  return {metadata.shards, std::max<index_t>(1, most_kept),
          num_in_run < 2 ? 0 : num_in_run * bound};
}

bool keeps_two_indexes(const zarr_metadata& metadata) {
  index_t num_entries = 1;
  for (std::size_t axis = 0; axis < metadata.shards.size(); ++axis) {
    num_entries *= metadata.shards[axis] / metadata.chunks[axis];
  }
  return 2 * num_entries <= most_kept_entries;
}

void release_large_index() { indexes_of_thread().release_large(); }

}  // namespace tessera::detail
