// SPDX-License-Identifier: Apache-2.0
#include "tessera/store/memory_store.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <unordered_map>

namespace tessera {

namespace {

constexpr std::size_t num_shards = 64;

struct key_hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view key) const { return std::hash<std::string_view>{}(key); }
};

struct stored_value {
  explicit stored_value(std::span<const std::byte> value)
      : size(value.size()), bytes(new std::byte[value.size()]) {
    if (size > 0) std::memcpy(bytes.get(), value.data(), size);
  }
  std::size_t size;
  std::unique_ptr<std::byte[]> bytes;
};

/// Tells whether `key` is in `folder` or below it.
bool is_in(std::string_view key, std::string_view folder) {
  return folder.empty() ||
         (key.size() > folder.size() && key.starts_with(folder) && key[folder.size()] == '/');
}

}  // namespace

// A shard to itself on its cache lines: threads that read differing keys do not meet.
struct alignas(128) memory_store::shard {
  mutable std::shared_mutex mutex;
  std::unordered_map<std::string, std::shared_ptr<const stored_value>, key_hash, std::equal_to<>>
      values;

  /// Returns the value of `key`. Throws: store_error <- it is larger than `limit`.
  [[nodiscard]] std::shared_ptr<const stored_value> find(std::string_view key,
                                                         std::size_t limit) const {
    validate_key(key);
    std::shared_ptr<const stored_value> value;
    {
      const std::shared_lock lock(mutex);
      const auto found = values.find(key);
      if (found == values.end()) return nullptr;
      value = found->second;
    }
    if (value->size > limit) {
      throw store_error(fmt::format("memory: key \"{}\" has {} B, at most {} B are expected", key,
                                    value->size, limit));
    }
    return value;
  }
};

memory_store::memory_store() : shards_(new shard[num_shards]) {}
memory_store::~memory_store() = default;

memory_store::shard& memory_store::shard_of(std::string_view key) const {
  // The upper bits: the map inside a shard uses the lower ones.
  return shards_[(key_hash{}(key) >> 48) % num_shards];
}

std::optional<std::size_t> memory_store::read(std::string_view key,
                                              std::span<std::byte> into) const {
  // The copy is made outside of the lock: a value never changes, writing replaces it.
  const std::shared_ptr<const stored_value> value = shard_of(key).find(key, into.size());
  if (value == nullptr) return std::nullopt;
  if (value->size > 0) std::memcpy(into.data(), value->bytes.get(), value->size);
  return value->size;
}

std::optional<std::vector<std::byte>> memory_store::read_all(std::string_view key,
                                                             std::size_t limit) const {
  const std::shared_ptr<const stored_value> value = shard_of(key).find(key, limit);
  if (value == nullptr) return std::nullopt;
  return std::vector<std::byte>(value->bytes.get(), value->bytes.get() + value->size);
}

std::optional<std::size_t> memory_store::size(std::string_view key) const {
  constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();
  const std::shared_ptr<const stored_value> value = shard_of(key).find(key, no_limit);
  return value == nullptr ? std::nullopt : std::optional(value->size);
}

void memory_store::write(std::string_view key, std::span<const std::byte> value) {
  validate_key(key);
  std::shared_ptr<const stored_value> stored = std::make_shared<stored_value>(value);
  shard& home = shard_of(key);
  const std::unique_lock lock(home.mutex);
  const auto found = home.values.find(key);
  if (found == home.values.end()) {
    home.values.emplace(std::string(key), std::move(stored));
  } else {
    found->second = std::move(stored);
  }
}

void memory_store::erase(std::string_view key) {
  validate_key(key);
  shard& home = shard_of(key);
  const std::unique_lock lock(home.mutex);
  if (const auto found = home.values.find(key); found != home.values.end()) {
    home.values.erase(found);
  }
}

void memory_store::erase_all(std::string_view folder) {
  validate_folder(folder);
  for (std::size_t i = 0; i < num_shards; ++i) {
    const std::unique_lock lock(shards_[i].mutex);
    std::erase_if(shards_[i].values, [&](const auto& item) { return is_in(item.first, folder); });
  }
}

std::vector<std::string> memory_store::list(std::string_view folder) const {
  validate_folder(folder);
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < num_shards; ++i) {
    const std::shared_lock lock(shards_[i].mutex);
    for (const auto& [key, value] : shards_[i].values) {
      if (is_in(key, folder)) keys.push_back(key);
    }
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::vector<std::string> memory_store::list_folder(std::string_view folder) const {
  const std::size_t begin = folder.empty() ? 0 : folder.size() + 1;
  std::set<std::string> names;
  for (const std::string& key : list(folder)) {
    const std::size_t slash = key.find('/', begin);
    names.insert(slash == std::string::npos ? key.substr(begin)
                                            : key.substr(begin, slash + 1 - begin));
  }
  return {names.begin(), names.end()};
}

}  // namespace tessera
