// SPDX-License-Identifier: Apache-2.0
#include "tessera/store/memory_store.hpp"

#include "tessera/core/error.hpp"

#include "store/api/front_writer.hpp"

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
  stored_value(std::size_t num_bytes, std::uint64_t count)
      : size(num_bytes), number(count), bytes(new std::byte[num_bytes]) {}
  stored_value(std::span<const std::byte> value, std::uint64_t count)
      : stored_value(value.size(), count) {
    if (size > 0) std::memcpy(bytes.get(), value.data(), size);
  }
  [[nodiscard]] value_version version() const {
    return value_version(fmt::format_int(number).c_str());
  }
  std::size_t size;
  /// The position of the write among all writes into the store.
  std::uint64_t number;
  std::unique_ptr<std::byte[]> bytes;
};

/// Values in ascending order of keys: the keys in and below a folder are consecutive.
using ordered_values = std::map<std::string, std::shared_ptr<const stored_value>, std::less<>>;

/// Returns the range of the keys in and below `folder`.
template <class Values>
auto range_of(Values& values, std::string_view folder) {
  if (folder.empty()) return std::pair(values.begin(), values.end());
  const std::string first = std::string(folder) + '/';
  const std::string end = std::string(folder) + static_cast<char>('/' + 1);
  return std::pair(values.lower_bound(first), values.lower_bound(end));
}

}  // namespace

// Aligned to cache lines: threads that read keys of different shards share no line.
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
      const auto entry = values.find(key);
      if (entry == values.end()) return nullptr;
      value = entry->second;
    }
    if (value->size > limit) {
      throw store_error(fmt::format("memory: key \"{}\" has {} B, at most {} B are expected", key,
                                    value->size, limit),
                        store_failure::too_large, value->size);
    }
    return value;
  }

  /// Stores the value of `key`. The mutex is held.
  void replace(std::string_view key, std::shared_ptr<const stored_value> value) {
    const auto entry = values.find(key);
    if (entry == values.end()) {
      values.emplace(std::string(key), std::move(value));
    } else {
      entry->second = std::move(value);
    }
  }
};

memory_store::memory_store() : shards_(new shard[num_shards]) {}
memory_store::~memory_store() = default;

memory_store::shard& memory_store::shard_of(std::string_view key) const {
  return shards_[std::hash<std::string_view>{}(key) % num_shards];
}

std::optional<std::size_t> memory_store::read(std::string_view key,
                                              std::span<std::byte> into) const {
  // The copy needs no lock: a value never changes, and writing replaces it.
  const std::shared_ptr<const stored_value> value = shard_of(key).find(key, into.size());
  if (value == nullptr) return std::nullopt;
  if (value->size > 0) std::memcpy(into.data(), value->bytes.get(), value->size);
  return value->size;
}

std::optional<value_part> memory_store::read_part(std::string_view key, const byte_range& range,
                                                  std::span<std::byte> into) const {
  constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();
  const std::shared_ptr<const stored_value> value = shard_of(key).find(key, no_limit);
  if (value == nullptr) return std::nullopt;
  const byte_range clipped = clip_range(range, value->size);
  const std::size_t size = std::min<std::size_t>(clipped.count, into.size());
  if (size > 0) std::memcpy(into.data(), value->bytes.get() + clipped.first, size);
  return value_part{clipped.first, size, value->size, value->version()};
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
  auto stored = std::make_shared<const stored_value>(value, ++num_writes_);
  shard& home = shard_of(key);
  const std::unique_lock lock(home.mutex);
  home.replace(key, std::move(stored));
}

bool memory_store::write_if(std::string_view key, std::span<const std::byte> value,
                            const value_version& expected) {
  validate_key(key);
  auto stored = std::make_shared<const stored_value>(value, ++num_writes_);
  shard& home = shard_of(key);
  const std::unique_lock lock(home.mutex);
  const auto entry = home.values.find(key);
  const bool is_there = entry != home.values.end();
  if (is_there != expected.is_known()) return false;
  if (is_there && entry->second->version() != expected) return false;
  home.replace(key, std::move(stored));
  return true;
}

namespace {

/// Pieces are kept one by one, and each is released as it is copied into the value: the memory of a
/// growing value is that of its pieces.
class memory_writer final : public value_writer, public detail::front_writer {
 public:
  /// Stores the value of `size` bytes that the function writes to an address.
  using store_function =
      std::function<void(std::size_t size, const std::function<void(std::byte*)>& copy)>;

  explicit memory_writer(store_function store) : store_(std::move(store)) {}

  void append(std::span<const std::byte> piece) override {
    pieces_.emplace_back(piece.begin(), piece.end());
    size_ += piece.size();
  }
  void write_front(std::span<const std::byte> front) override {
    for (std::vector<std::byte>& piece : pieces_) {
      const std::size_t count = std::min(front.size(), piece.size());
      std::copy_n(front.begin(), count, piece.begin());
      front = front.subspan(count);
    }
  }
  void finish() override {
    store_(size_, [this](std::byte* to) {
      for (std::vector<std::byte>& piece : pieces_) {
        to = std::copy(piece.begin(), piece.end(), to);
        std::vector<std::byte>().swap(piece);
      }
    });
  }

 private:
  store_function store_;
  std::vector<std::vector<std::byte>> pieces_;
  std::size_t size_ = 0;
};

}  // namespace

std::unique_ptr<value_writer> memory_store::writer(std::string_view key) {
  validate_key(key);
  return std::make_unique<memory_writer>(
      [this, name = std::string(key)](std::size_t size,
                                      const std::function<void(std::byte*)>& copy) {
        auto stored = std::make_shared<stored_value>(size, ++num_writes_);
        copy(stored->bytes.get());
        shard& home = shard_of(name);
        const std::unique_lock lock(home.mutex);
        home.replace(name, std::move(stored));
      });
}

void memory_store::erase(std::string_view key) {
  validate_key(key);
  shard& home = shard_of(key);
  const std::unique_lock lock(home.mutex);
  if (const auto entry = home.values.find(key); entry != home.values.end()) {
    home.values.erase(entry);
  }
}

void memory_store::erase_all(std::string_view folder) {
  validate_folder(folder);
  for (std::size_t i = 0; i < num_shards; ++i) {
    const std::unique_lock lock(shards_[i].mutex);
    const auto [first, end] = range_of(shards_[i].values, folder);
    shards_[i].values.erase(first, end);
  }
}

std::vector<std::string> memory_store::list(std::string_view folder) const {
  validate_folder(folder);
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < num_shards; ++i) {
    const std::shared_lock lock(shards_[i].mutex);
    const auto [first, end] = range_of(std::as_const(shards_[i].values), folder);
    for (auto value = first; value != end; ++value) keys.push_back(value->first);
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
