// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A store that calls back before and after what is asked of it.

#include "tessera/store/key_value_store.hpp"

#include <functional>
#include <memory>
#include <optional>
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

  std::string name() const override { return inner_->name(); }
  std::optional<std::size_t> read(std::string_view key, std::span<std::byte> into) const override {
    return inner_->read(key, into);
  }
  std::optional<std::vector<std::byte>> read_all(std::string_view key,
                                                 std::size_t limit) const override {
    auto value = inner_->read_all(key, limit);
    after_read(key);
    return value;
  }
  std::optional<std::size_t> size(std::string_view key) const override { return inner_->size(key); }
  void write(std::string_view key, std::span<const std::byte> value) override {
    before_write(key);
    inner_->write(key, value);
  }
  void erase(std::string_view key) override {
    before_erase(key);
    inner_->erase(key);
  }
  void erase_all(std::string_view folder) override {
    before_erase(folder);
    inner_->erase_all(folder);
  }
  std::vector<std::string> list(std::string_view folder) const override {
    return inner_->list(folder);
  }
  std::vector<std::string> list_folder(std::string_view folder) const override {
    return inner_->list_folder(folder);
  }
  std::unique_ptr<store_lock> lock(std::string_view key, std::string_view intent) override {
    return inner_->lock(key, intent);
  }

 private:
  std::shared_ptr<key_value_store> inner_;
};

}  // namespace tessera::testing::zarr
