// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The stores "memory://name/folder" of a process.

#include "tessera/store/key_value_store.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace tessera::detail {

inline constexpr std::string_view memory_scheme = "memory";

/// A folder of a store in memory that has a name in this process.
///
/// It has no recipe: no other process finds it.
class memory_folder final : public key_value_store {
 public:
  /// `folder` is the folder of `root` that the keys are in, "" for the outermost one.
  memory_folder(std::shared_ptr<key_value_store> root, std::string root_name, std::string folder);

  /// Returns the store that all folders of one name share.
  [[nodiscard]] const std::shared_ptr<key_value_store>& root() const { return root_; }
  [[nodiscard]] const std::string& folder() const { return folder_; }
  /// Returns the outermost folder, "memory://name".
  [[nodiscard]] std::shared_ptr<key_value_store> outermost() const {
    return std::make_shared<memory_folder>(root_, root_name_, "");
  }

  [[nodiscard]] std::string name() const override;
  [[nodiscard]] store_traits traits() const override { return root_->traits(); }
  [[nodiscard]] std::string state(std::string_view folder) const override {
    return root_->state(inside_folder(folder));
  }
  [[nodiscard]] std::optional<std::size_t> read(std::string_view key,
                                                std::span<std::byte> into) const override {
    return root_->read(inside(key), into);
  }
  [[nodiscard]] std::optional<value_part> read_part(std::string_view key, const byte_range& range,
                                                    std::span<std::byte> into) const override {
    return root_->read_part(inside(key), range, into);
  }
  [[nodiscard]] std::optional<std::vector<std::byte>> read_all(std::string_view key,
                                                               std::size_t limit) const override {
    return root_->read_all(inside(key), limit);
  }
  [[nodiscard]] std::optional<std::size_t> size(std::string_view key) const override {
    return root_->size(inside(key));
  }
  void write(std::string_view key, std::span<const std::byte> value) override {
    root_->write(inside(key), value);
  }
  bool write_if(std::string_view key, std::span<const std::byte> value,
                const value_version& expected) override {
    return root_->write_if(inside(key), value, expected);
  }
  [[nodiscard]] std::unique_ptr<value_writer> writer(std::string_view key) override {
    return root_->writer(inside(key));
  }
  void erase(std::string_view key) override { root_->erase(inside(key)); }
  void erase_all(std::string_view folder) override { root_->erase_all(inside_folder(folder)); }
  [[nodiscard]] std::vector<std::string> list(std::string_view folder) const override;
  [[nodiscard]] std::vector<std::string> list_folder(std::string_view folder) const override {
    return root_->list_folder(inside_folder(folder));
  }
  [[nodiscard]] std::unique_ptr<store_lock> lock(std::string_view key,
                                                 std::string_view intent) override {
    return root_->lock(inside(key), intent);
  }
  [[nodiscard]] std::unique_ptr<store_claim> claim(std::string_view key, std::string_view text,
                                                   const claim_judge& admit) override {
    return root_->claim(inside(key), text, admit);
  }

 private:
  /// Returns the key of the root for a key of the folder.
  [[nodiscard]] std::string inside(std::string_view key) const;
  [[nodiscard]] std::string inside_folder(std::string_view folder) const;

  std::shared_ptr<key_value_store> root_;
  std::string root_name_;
  std::string folder_;
};

/// Returns the folder of a recipe "memory://name/folder". The store of a name begins empty, and
/// lasts as long as the process.
///
/// Throws: value_error <- the place has no name, or is not of names joined by "/".
[[nodiscard]] std::shared_ptr<key_value_store> open_memory(const store_recipe& recipe);

}  // namespace tessera::detail
