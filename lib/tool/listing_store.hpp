// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Lists of stores that have none.
///
/// Commands walk through folders. A server by HTTP has no folders: the nodes of a group come from
/// its consolidated metadata, and the chunks of an array from its grid. Each chunk of the grid is
/// looked for, several at once.

#include "tessera/store/key_value_store.hpp"

#include "store/api/folder_sizes.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::tool {

/// A read-only view with lists of a store without them. The answer that a chunk is there tells its
/// size.
class listing_store final : public key_value_store, public detail::lists_of_sizes {
 public:
  /// `nodes` has lists of groups alone, from memory.
  explicit listing_store(std::shared_ptr<key_value_store> nodes) : nodes_(std::move(nodes)) {}

  [[nodiscard]] std::string name() const override { return nodes_->name(); }
  [[nodiscard]] std::optional<store_recipe> recipe() const override { return nodes_->recipe(); }
  [[nodiscard]] store_traits traits() const override { return nodes_->traits(); }
  /// A hash of the documents.
  [[nodiscard]] std::string state(std::string_view folder) const override;
  [[nodiscard]] std::optional<std::size_t> read(std::string_view key,
                                                std::span<std::byte> into) const override {
    return nodes_->read(key, into);
  }
  [[nodiscard]] std::optional<value_part> read_part(std::string_view key, const byte_range& range,
                                                    std::span<std::byte> into) const override {
    return nodes_->read_part(key, range, into);
  }
  [[nodiscard]] std::unique_ptr<read_queue> reads() const override { return nodes_->reads(); }
  [[nodiscard]] std::optional<std::vector<std::byte>> read_all(std::string_view key,
                                                               std::size_t limit) const override {
    return nodes_->read_all(key, limit);
  }
  [[nodiscard]] std::optional<std::size_t> size(std::string_view key) const override {
    return nodes_->size(key);
  }
  void write(std::string_view key, std::span<const std::byte> value) override {
    nodes_->write(key, value);
  }
  void erase(std::string_view key) override { nodes_->erase(key); }
  void erase_all(std::string_view folder) override { nodes_->erase_all(folder); }
  [[nodiscard]] std::vector<std::string> list(std::string_view folder) const override;
  [[nodiscard]] std::vector<std::string> list_folder(std::string_view folder) const override;
  void for_each_size(std::string_view folder, const detail::size_visitor& visit) const override;

 private:
  /// The keys of documents and chunks of an array, and the sizes of the values.
  using sized_keys = std::map<std::string, std::uint64_t, std::less<>>;

  [[nodiscard]] std::string array_above(std::string_view folder) const;
  [[nodiscard]] bool is_array(const std::string& path) const;
  [[nodiscard]] const sized_keys& keys_of_array(const std::string& path) const;

  std::shared_ptr<key_value_store> nodes_;
  mutable std::mutex mutex_;
  /// By the paths of arrays.
  mutable std::map<std::string, sized_keys> keys_;
};

/// Returns `store` with lists of the node at `root`: the store itself if it has lists.
///
/// Throws: zarr_error <- it has no lists, and neither an array nor a group is there.
[[nodiscard]] std::shared_ptr<key_value_store> with_lists(std::shared_ptr<key_value_store> store,
                                                          const std::string& root);

}  // namespace tessera::tool
