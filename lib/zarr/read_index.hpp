// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The indexes of shards that a thread has read.

#include "tessera/core/error.hpp"

#include "zarr/array_state.hpp"

#include <fmt/format.h>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

/// Calls `f`, and names the key in its errors of codecs.
template <class F>
auto with_shard_key(const zarr_array_state& array, std::string_view key, F f) {
  try {
    return f();
  } catch (const codec_error& failure) {
    throw codec_error(
        fmt::format("{}: shard \"{}\": {}", array.store->name(), key, failure.what()));
  }
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

/// Returns the bytes of a chunk in its shard, or nullopt if it is missing.
[[nodiscard]] std::optional<shard_part> find_part(const zarr_array_state& array,
                                                  const read_index& shard,
                                                  std::span<const index_t> chunk);

/// Reads by an index, which is new or kept. Returns false if the shard was replaced meanwhile.
using index_reader = std::function<bool(const read_index& shard, bool is_new)>;

/// Calls `read` with the index of the shard at `key`, and again with a new index while it returns
/// false. Returns false if the shard is missing.
///
/// Throws: zarr_error <- the shard was replaced several times.
bool with_index(const zarr_array_state& array, std::string_view key, const index_reader& read);

}  // namespace tessera::detail
