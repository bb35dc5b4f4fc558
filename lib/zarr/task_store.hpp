// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The store of an array as one task sees it.

#include "tessera/store/key_value_store.hpp"

#include "zarr/array_state.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::detail {

/// Hands all calls on to the store of an array. Derived stores have requests in flight.
class task_store : public key_value_store {
 public:
  explicit task_store(std::shared_ptr<const zarr_array_state> array) : array_(std::move(array)) {}

  [[nodiscard]] std::string name() const override { return store().name(); }
  [[nodiscard]] store_traits traits() const override { return store().traits(); }
  [[nodiscard]] std::optional<std::size_t> read(std::string_view key,
                                                std::span<std::byte> into) const override {
    return store().read(key, into);
  }
  [[nodiscard]] std::optional<value_part> read_part(std::string_view key, const byte_range& range,
                                                    std::span<std::byte> into) const override {
    return store().read_part(key, range, into);
  }
  [[nodiscard]] std::optional<std::vector<std::byte>> read_all(std::string_view key,
                                                               std::size_t limit) const override {
    return store().read_all(key, limit);
  }
  [[nodiscard]] std::optional<std::size_t> size(std::string_view key) const override {
    return store().size(key);
  }
  void write(std::string_view key, std::span<const std::byte> value) override {
    store().write(key, value);
  }
  void erase(std::string_view key) override { store().erase(key); }
  void erase_all(std::string_view folder) override { store().erase_all(folder); }
  [[nodiscard]] std::vector<std::string> list(std::string_view folder) const override {
    return store().list(folder);
  }
  [[nodiscard]] std::vector<std::string> list_folder(std::string_view folder) const override {
    return store().list_folder(folder);
  }

 protected:
  [[nodiscard]] const zarr_array_state& array() const { return *array_; }
  [[nodiscard]] key_value_store& store() const { return *array_->store; }

 private:
  std::shared_ptr<const zarr_array_state> array_;
};

}  // namespace tessera::detail
