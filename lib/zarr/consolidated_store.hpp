// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A store whose metadata below one group are known from its `.zmetadata`.

#include "tessera/store/key_value_store.hpp"

#include "zarr/consolidated_metadata.hpp"

#include <memory>
#include <shared_mutex>

namespace tessera::detail {

/// Another store, of which metadata files below the group at `path` are read and listed from
/// memory. What is written through it is written to the other store and remembered.
class consolidated_store final : public key_value_store {
 public:
  consolidated_store(std::shared_ptr<key_value_store> store, std::string path,
                     metadata_files files);

  [[nodiscard]] std::string name() const override { return store_->name(); }
  [[nodiscard]] std::optional<store_recipe> recipe() const override { return store_->recipe(); }
  [[nodiscard]] std::string state(std::string_view folder) const override {
    return store_->state(folder);
  }
  [[nodiscard]] std::optional<std::size_t> read(std::string_view key,
                                                std::span<std::byte> into) const override;
  [[nodiscard]] std::optional<std::size_t> read_range(std::string_view key, std::size_t first,
                                                      std::span<std::byte> into) const override;
  [[nodiscard]] bool has_ranges() const override { return store_->has_ranges(); }
  [[nodiscard]] std::optional<std::vector<std::byte>> read_all(std::string_view key,
                                                               std::size_t limit) const override;
  [[nodiscard]] std::optional<std::size_t> size(std::string_view key) const override;
  void write(std::string_view key, std::span<const std::byte> value) override;
  void erase(std::string_view key) override;
  void erase_all(std::string_view folder) override;
  [[nodiscard]] std::vector<std::string> list(std::string_view folder) const override;
  [[nodiscard]] std::vector<std::string> list_folder(std::string_view folder) const override;
  [[nodiscard]] std::unique_ptr<store_lock> lock(std::string_view key,
                                                 std::string_view intent) override {
    return store_->lock(key, intent);
  }
  [[nodiscard]] std::unique_ptr<store_claim> claim(std::string_view key, std::string_view text,
                                                   const claim_judge& admit) override {
    return store_->claim(key, text, admit);
  }

  /// Returns the other store, which knows what others wrote since.
  [[nodiscard]] const std::shared_ptr<key_value_store>& underlying() const { return store_; }

 private:
  /// Returns a key or folder relative to the group; nothing if it is not below it.
  [[nodiscard]] std::optional<std::string_view> inside(std::string_view key) const;
  /// Returns the relative key of a file that is known from memory.
  [[nodiscard]] std::optional<std::string_view> known(std::string_view key) const;
  [[nodiscard]] std::vector<std::string> names_in(std::string_view folder) const;

  std::shared_ptr<key_value_store> store_;
  std::string path_;
  mutable std::shared_mutex mutex_;
  metadata_files files_;
};

/// Returns the store that a consolidated one stands before, and any other as it is.
[[nodiscard]] std::shared_ptr<key_value_store> underlying(
    const std::shared_ptr<key_value_store>& store);

/// The same as a reference.
[[nodiscard]] key_value_store& truth_of(key_value_store& store);

}  // namespace tessera::detail
