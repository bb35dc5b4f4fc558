// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A store whose metadata below one group are known from the consolidated metadata.

#include "tessera/store/key_value_store.hpp"

#include "zarr/api/node_format.hpp"

#include <memory>
#include <shared_mutex>

namespace tessera::detail {

/// A decorator of a store: metadata files below the group at `path` are read and listed from
/// memory. A write goes to the underlying store and into the memory.
class consolidated_store final : public key_value_store {
 public:
  consolidated_store(std::shared_ptr<key_value_store> store, std::string path,
                     const node_format& format, metadata_files files);

  [[nodiscard]] std::string name() const override { return store_->name(); }
  [[nodiscard]] std::optional<store_recipe> recipe() const override { return store_->recipe(); }
  [[nodiscard]] store_traits traits() const override { return store_->traits(); }
  [[nodiscard]] std::string state(std::string_view folder) const override {
    return store_->state(folder);
  }
  [[nodiscard]] std::optional<std::size_t> read(std::string_view key,
                                                std::span<std::byte> into) const override;
  /// The versions of metadata that are known from memory are unknown.
  [[nodiscard]] std::optional<value_part> read_part(std::string_view key, const byte_range& range,
                                                    std::span<std::byte> into) const override;
  /// Its reads see the stored files, not the metadata in memory.
  [[nodiscard]] std::unique_ptr<read_queue> reads() const override { return store_->reads(); }
  [[nodiscard]] std::optional<std::vector<std::byte>> read_all(std::string_view key,
                                                               std::size_t limit) const override;
  [[nodiscard]] std::optional<std::size_t> size(std::string_view key) const override;
  void write(std::string_view key, std::span<const std::byte> value) override;
  bool write_if(std::string_view key, std::span<const std::byte> value,
                const value_version& expected) override;
  /// Its writes go to the store alone: metadata are written by `write`.
  [[nodiscard]] std::unique_ptr<write_queue> writes() override { return store_->writes(); }
  /// A null pointer for metadata, which are written by `write`.
  [[nodiscard]] std::unique_ptr<value_writer> writer(std::string_view key) override;
  void erase(std::string_view key) override;
  void erase_many(std::span<const std::string> keys) override;
  void erase_all(std::string_view folder) override;
  [[nodiscard]] std::vector<std::string> list(std::string_view folder) const override;
  [[nodiscard]] std::vector<std::string> list_folder(std::string_view folder) const override;
  void list_pages(std::string_view folder, const page_visitor& visit) const override {
    store_->list_pages(folder, visit);
  }
  [[nodiscard]] std::unique_ptr<store_lock> lock(std::string_view key,
                                                 std::string_view intent) override {
    return store_->lock(key, intent);
  }
  [[nodiscard]] std::unique_ptr<store_claim> claim(std::string_view key, std::string_view text,
                                                   const claim_judge& admit) override {
    return store_->claim(key, text, admit);
  }

  /// Returns the decorated store, which sees the writes of other processes.
  [[nodiscard]] const std::shared_ptr<key_value_store>& underlying() const { return store_; }

 private:
  /// Returns a key or folder relative to the group, or nullopt if it is not below the group.
  [[nodiscard]] std::optional<std::string_view> inside(std::string_view key) const;
  /// Returns the relative key of a file that is known from memory, or nullopt.
  [[nodiscard]] std::optional<std::string_view> known(std::string_view key) const;
  void remember(std::string_view key, std::span<const std::byte> value);
  void forget(std::string_view key);
  [[nodiscard]] std::vector<std::string> names_in(std::string_view folder) const;

  std::shared_ptr<key_value_store> store_;
  std::string path_;
  const node_format* format_;
  mutable std::shared_mutex mutex_;
  metadata_files files_;
};

/// Returns the store that a consolidated store decorates, or `store` itself for any other.
[[nodiscard]] std::shared_ptr<key_value_store> underlying(
    const std::shared_ptr<key_value_store>& store);

/// The same as a reference.
[[nodiscard]] key_value_store& truth_of(key_value_store& store);

}  // namespace tessera::detail
