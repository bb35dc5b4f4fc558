// SPDX-License-Identifier: Apache-2.0
#include "zarr/document_reader.hpp"

#include "tessera/core/error.hpp"

#include "zarr/api/hierarchy.hpp"
#include "zarr/api/node_format.hpp"
#include "zarr/consolidated_store.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace tessera::detail {

namespace {

/// The greatest document that stays in memory: consolidated metadata of some thousand arrays.
constexpr std::size_t largest_kept = std::size_t{4} << 20;

/// Returns the keys of the documents `names` of a node and the nodes above.
std::vector<std::string> keys_at_and_above(std::string_view path,
                                           const std::vector<std::string_view>& names) {
  std::vector<std::string> keys;
  for (std::string_view node = path;; node = folder_above(node)) {
    for (const std::string_view name : names) keys.push_back(node_key(node, name));
    if (node.empty()) return keys;
  }
}

}  // namespace

document_reader::document_reader(const key_value_store& store, std::string_view path,
                                 const std::vector<std::string_view>& names, with_nodes_above_t)
    : document_reader(store, path) {
  prepare_keys(keys_at_and_above(path, names), usual_document);
}

document_reader::document_reader(const key_value_store& store, std::string_view path,
                                 const std::vector<std::string_view>& names, with_nodes_above_t,
                                 with_folder_t)
    : document_reader(store, path) {
  prepare_keys(keys_at_and_above(path, names), usual_document,
               [&] { static_cast<void>(list_folder(path_)); });
}

void document_reader::prepare(const std::vector<std::string_view>& names, std::size_t usual_size) {
  std::vector<std::string> keys;
  for (const std::string_view name : names) keys.push_back(node_key(path_, name));
  prepare_keys(std::move(keys), usual_size);
}

void document_reader::prepare_keys(std::vector<std::string> keys, std::size_t usual_size,
                                   const std::function<void()>& meanwhile) {
  std::erase_if(keys, [&](const std::string& key) { return !documents_.try_emplace(key).second; });
  // Consolidated metadata are in memory.
  if (keys.empty() || dynamic_cast<const consolidated_store*>(&store_) != nullptr) return;
  read_at_once(keys, usual_size, meanwhile);
}

/// Reads documents, and calls `meanwhile`, if any, while they are in flight. One that cannot be
/// read, or is large, is read again when it is asked for: it may not be.
void document_reader::read_at_once(const std::vector<std::string>& keys, std::size_t usual_size,
                                   const std::function<void()>& meanwhile) {
  std::vector<std::vector<std::byte>> buffers(keys.size(), std::vector<std::byte>(usual_size));
  // It ends before the buffers of its reads, also by an exception.
  const std::unique_ptr<read_queue> queue = store_.reads();
  if (queue == nullptr) return;
  std::vector<std::size_t> tickets;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    tickets.push_back(queue->submit({keys[i], {}, buffers[i]}));
  }
  if (meanwhile) meanwhile();
  for (std::size_t i = 0; i < keys.size(); ++i) {
    try {
      const std::optional<value_part> part = queue->wait(tickets[i]);
      if (part && part->size < part->value_size) continue;
      if (part) buffers[i].resize(part->size);
      documents_[keys[i]] = part ? value(std::move(buffers[i])) : value();
    } catch (const store_error&) {
      continue;
    }
  }
}

std::optional<std::vector<std::byte>> document_reader::read_all(std::string_view key,
                                                                std::size_t limit) const {
  const auto document = documents_.find(key);
  if (document == documents_.end()) return store_.read_all(key, limit);
  if (!document->second) {
    value read = store_.read_all(key, limit);
    // A large document would be in memory twice.
    if (read && read->size() > largest_kept) return read;
    document->second = std::move(read);
  }
  const value& stored = *document->second;
  if (stored && stored->size() > limit) {
    throw store_error(fmt::format("{}: key \"{}\" has {} B, at most {} B are read", name(), key,
                                  stored->size(), limit),
                      store_failure::too_large, stored->size());
  }
  return stored;
}

std::optional<std::size_t> document_reader::read(std::string_view key,
                                                 std::span<std::byte> into) const {
  const auto stored = read_all(key, into.size());
  if (!stored) return std::nullopt;
  std::ranges::copy(*stored, into.begin());
  return stored->size();
}

std::optional<std::size_t> document_reader::size(std::string_view key) const {
  const auto document = documents_.find(key);
  if (document == documents_.end() || !document->second) return store_.size(key);
  const value& stored = *document->second;
  return stored ? std::optional(stored->size()) : std::nullopt;
}

std::vector<std::string> document_reader::list_folder(std::string_view folder) const {
  const auto [entries, is_new] = folders_.try_emplace(std::string(folder));
  if (is_new) entries->second = store_.list_folder(folder);
  return entries->second;
}

void document_reader::refuse_write(std::string_view key) const {
  throw store_error(fmt::format("cannot write key \"{}\" ({}) while a node is opened", key, name()),
                    store_failure::unsupported);
}

void document_reader::write(std::string_view key, std::span<const std::byte> /*value*/) {
  refuse_write(key);
}
void document_reader::erase(std::string_view key) { refuse_write(key); }
void document_reader::erase_all(std::string_view folder) { refuse_write(folder); }

namespace {

void add(std::vector<std::string_view>& names, std::span<const std::string_view> added) {
  for (const std::string_view name : added) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
}

}  // namespace

std::vector<std::string_view> names_of_nodes() {
  std::vector<std::string_view> names;
  for (const node_format* format : formats()) {
    add(names, {&format->array_key, 1});
    add(names, {&format->group_key, 1});
  }
  return names;
}

std::vector<std::string_view> names_of_array_documents() {
  std::vector<std::string_view> names;
  for (const node_format* format : formats()) add(names, format->array_keys);
  return names;
}

std::vector<std::string_view> names_of_group_documents() {
  std::vector<std::string_view> names;
  for (const node_format* format : formats()) add(names, format->group_keys);
  return names;
}

std::vector<std::string_view> names_of_consolidated_documents() {
  std::vector<std::string_view> names;
  for (const node_format* format : formats()) add(names, {&format->consolidated_key, 1});
  return names;
}

}  // namespace tessera::detail
