// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Documents of nodes that are read once, and at the same time from a store that is far away.

#include "tessera/store/key_value_store.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

/// The size in bytes that documents of nodes rarely exceed.
constexpr std::size_t usual_document = std::size_t{64} << 10;

/// Chooses the documents of the nodes above a node, too.
struct with_nodes_above_t {};
constexpr with_nodes_above_t with_nodes_above{};

/// Lists the folder of the node, too.
struct with_folder_t {};
constexpr with_folder_t with_folder{};

/// A view of a store that has read a few documents.
///
/// A node is opened by two to four documents, some of which tell that it is of another format. A
/// store with a queue reads all of them in the time of one. Any other store reads a document when
/// it is asked for, and once. Documents of more than 4 MiB are read anew each time, as they would
/// be in memory twice.
///
/// Thread safety: an object is of one thread.
class document_reader final : public key_value_store {
 public:
  /// The view of the node at `path`. The store outlives it.
  document_reader(const key_value_store& store, std::string_view path)
      : store_(store), path_(path) {}
  document_reader(const key_value_store& store, std::string_view path,
                  const std::vector<std::string_view>& names)
      : document_reader(store, path) {
    prepare(names);
  }
  document_reader(const key_value_store& store, std::string_view path,
                  const std::vector<std::string_view>& names, with_nodes_above_t);
  /// Lists the folder of the node while it reads.
  document_reader(const key_value_store& store, std::string_view path,
                  const std::vector<std::string_view>& names, with_nodes_above_t, with_folder_t);

  /// Reads the documents `names` of the node if the store has a queue. Each document is read once
  /// from now on; at once with the rest, unless it has more than `usual_size` bytes.
  void prepare(const std::vector<std::string_view>& names, std::size_t usual_size = usual_document);

  [[nodiscard]] std::string name() const override { return store_.name(); }
  [[nodiscard]] std::optional<store_recipe> recipe() const override { return store_.recipe(); }
  [[nodiscard]] store_traits traits() const override { return store_.traits(); }
  [[nodiscard]] std::optional<std::size_t> read(std::string_view key,
                                                std::span<std::byte> into) const override;
  [[nodiscard]] std::optional<std::vector<std::byte>> read_all(std::string_view key,
                                                               std::size_t limit) const override;
  [[nodiscard]] std::optional<std::size_t> size(std::string_view key) const override;
  void write(std::string_view key, std::span<const std::byte> value) override;
  void erase(std::string_view key) override;
  void erase_all(std::string_view folder) override;
  [[nodiscard]] std::vector<std::string> list(std::string_view folder) const override {
    return store_.list(folder);
  }
  /// Each folder is listed once.
  [[nodiscard]] std::vector<std::string> list_folder(std::string_view folder) const override;

 private:
  using value = std::optional<std::vector<std::byte>>;

  void prepare_keys(std::vector<std::string> keys, std::size_t usual_size,
                    const std::function<void()>& meanwhile = {});
  void read_at_once(const std::vector<std::string>& keys, std::size_t usual_size,
                    const std::function<void()>& meanwhile);
  [[noreturn]] void refuse_write(std::string_view key) const;

  const key_value_store& store_;
  std::string path_;
  /// The values by their keys; nullopt of a document that has not been read.
  mutable std::map<std::string, std::optional<value>, std::less<>> documents_;
  mutable std::map<std::string, std::vector<std::string>, std::less<>> folders_;
};

/// Returns the names of the documents of arrays, of groups and of consolidated metadata, in all
/// formats. `names_of_nodes` leaves attributes out: nodes are found without them.
[[nodiscard]] std::vector<std::string_view> names_of_nodes();
[[nodiscard]] std::vector<std::string_view> names_of_array_documents();
[[nodiscard]] std::vector<std::string_view> names_of_group_documents();
[[nodiscard]] std::vector<std::string_view> names_of_consolidated_documents();

}  // namespace tessera::detail
