// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A store that forwards its calls, as a base of stores for tests.

#include "tessera/store/key_value_store.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::testing {

/// Forwards the calls to another store. It has no conditional writes.
class forwarding_store : public key_value_store {
 public:
  explicit forwarding_store(std::shared_ptr<key_value_store> inner) : inner_(std::move(inner)) {}

  [[nodiscard]] std::string name() const override { return inner_->name(); }
  [[nodiscard]] std::optional<std::size_t> read(std::string_view key,
                                                std::span<std::byte> into) const override {
    return inner_->read(key, into);
  }
  [[nodiscard]] std::optional<std::vector<std::byte>> read_all(std::string_view key,
                                                               std::size_t limit) const override {
    return inner_->read_all(key, limit);
  }
  [[nodiscard]] std::optional<std::size_t> size(std::string_view key) const override {
    return inner_->size(key);
  }
  void write(std::string_view key, std::span<const std::byte> value) override {
    inner_->write(key, value);
  }
  void erase(std::string_view key) override { inner_->erase(key); }
  void erase_all(std::string_view folder) override { inner_->erase_all(folder); }
  [[nodiscard]] std::vector<std::string> list(std::string_view folder) const override {
    return inner_->list(folder);
  }
  [[nodiscard]] std::vector<std::string> list_folder(std::string_view folder) const override {
    return inner_->list_folder(folder);
  }

 protected:
  [[nodiscard]] key_value_store& inner() const { return *inner_; }

 private:
  std::shared_ptr<key_value_store> inner_;
};

}  // namespace tessera::testing
