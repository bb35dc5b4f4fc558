// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A store that calls hooks before writes and erasures, and after reads.

#include "tessera/core/error.hpp"
#include "tessera/store/key_value_store.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::testing::zarr {

class watched_store final : public key_value_store {
 public:
  using hook = std::function<void(std::string_view key)>;

  explicit watched_store(std::shared_ptr<key_value_store> inner) : inner_(std::move(inner)) {}

  hook before_write = [](std::string_view) {};
  hook before_erase = [](std::string_view) {};
  hook after_read = [](std::string_view) {};

  /// Whether the store gives locks, and whether it has conditional writes.
  bool has_locks = true;
  bool has_conditions = false;
  /// Whether the server of the store turns out to ignore conditions.
  bool ignores_conditions = false;
  std::optional<store_recipe> given_recipe = {};
  /// The number of calls of `erase_many`. Any number of threads count.
  std::atomic<int> num_erase_many = 0;
  /// The number of calls of `size` and of `list`.
  mutable std::atomic<int> num_sizes = 0;
  mutable std::atomic<int> num_lists = 0;
  /// The bytes of parts that were read.
  mutable std::atomic<std::size_t> num_part_bytes = 0;

  std::string name() const override { return inner_->name(); }
  std::optional<store_recipe> recipe() const override { return given_recipe; }
  store_traits traits() const override {
    return {.has_creation = has_conditions, .has_conditions = has_conditions};
  }
  std::optional<std::size_t> read(std::string_view key, std::span<std::byte> into) const override {
    return inner_->read(key, into);
  }
  std::optional<std::vector<std::byte>> read_all(std::string_view key,
                                                 std::size_t limit) const override {
    auto value = inner_->read_all(key, limit);
    after_read(key);
    return value;
  }
  std::optional<value_part> read_part(std::string_view key, const byte_range& range,
                                      std::span<std::byte> into) const override {
    const auto part = inner_->read_part(key, range, into);
    if (part) num_part_bytes += part->size;
    after_read(key);
    return part;
  }
  std::optional<std::size_t> size(std::string_view key) const override {
    ++num_sizes;
    return inner_->size(key);
  }
  void write(std::string_view key, std::span<const std::byte> value) override {
    before_write(key);
    inner_->write(key, value);
  }
  bool write_if(std::string_view key, std::span<const std::byte> value,
                const value_version& expected) override {
    if (ignores_conditions) throw store_error("no conditions", store_failure::unsupported);
    before_write(key);
    return inner_->write_if(key, value, expected);
  }
  void erase(std::string_view key) override {
    before_erase(key);
    inner_->erase(key);
  }
  void erase_many(std::span<const std::string> keys) override {
    ++num_erase_many;
    for (const std::string& key : keys) erase(key);
  }
  void erase_all(std::string_view folder) override {
    before_erase(folder);
    inner_->erase_all(folder);
  }
  std::vector<std::string> list(std::string_view folder) const override {
    ++num_lists;
    return inner_->list(folder);
  }
  std::vector<std::string> list_folder(std::string_view folder) const override {
    return inner_->list_folder(folder);
  }
  std::unique_ptr<store_lock> lock(std::string_view key, std::string_view intent) override {
    return has_locks ? inner_->lock(key, intent) : nullptr;
  }

 private:
  std::shared_ptr<key_value_store> inner_;
};

}  // namespace tessera::testing::zarr
