// SPDX-License-Identifier: Apache-2.0
#include "tessera/store/memory_store.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <utility>

namespace tessera {

namespace {

constexpr std::size_t num_shards = 64;

struct stored_value {
  explicit stored_value(std::span<const std::byte> value)
      : size(value.size()), bytes(new std::byte[value.size()]) {
    if (size > 0) std::memcpy(bytes.get(), value.data(), size);
  }
  std::size_t size;
  std::unique_ptr<std::byte[]> bytes;
};

/// In ascending order: what is in a folder, or below it, lies together.
using ordered_values = std::map<std::string, std::shared_ptr<const stored_value>, std::less<>>;

/// Returns the first key in `folder` and that behind its last one.
template <class Values>
auto range_of(Values& values, std::string_view folder) {
  if (folder.empty()) return std::pair(values.begin(), values.end());
  const std::string first = std::string(folder) + '/';
  const std::string behind = std::string(folder) + static_cast<char>('/' + 1);
  return std::pair(values.lower_bound(first), values.lower_bound(behind));
}

}  // namespace

// A shard to itself on its cache lines: threads that read differing keys do not meet.
struct alignas(128) memory_store::shard {
  mutable std::shared_mutex mutex;
  ordered_values values;

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
  return shards_[std::hash<std::string_view>{}(key) % num_shards];
}

std::optional<std::size_t> memory_store::read(std::string_view key,
                                              std::span<std::byte> into) const {
  // The copy is made outside of the lock: a value never changes, writing replaces it.
  const std::shared_ptr<const stored_value> value = shard_of(key).find(key, into.size());
  if (value == nullptr) return std::nullopt;
  if (value->size > 0) std::memcpy(into.data(), value->bytes.get(), value->size);
  return value->size;
}

std::optional<std::size_t> memory_store::read_range(std::string_view key, std::size_t first,
                                                    std::span<std::byte> into) const {
  constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();
  const std::shared_ptr<const stored_value> value = shard_of(key).find(key, no_limit);
  if (value == nullptr) return std::nullopt;
  const std::size_t behind = value->size - std::min(first, value->size);
  const std::size_t size = std::min(behind, into.size());
  if (size > 0) std::memcpy(into.data(), value->bytes.get() + first, size);
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
    const auto [first, behind] = range_of(shards_[i].values, folder);
    shards_[i].values.erase(first, behind);
  }
}

std::vector<std::string> memory_store::list(std::string_view folder) const {
  validate_folder(folder);
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < num_shards; ++i) {
    const std::shared_lock lock(shards_[i].mutex);
    const auto [first, behind] = range_of(std::as_const(shards_[i].values), folder);
    for (auto each = first; each != behind; ++each) keys.push_back(each->first);
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
