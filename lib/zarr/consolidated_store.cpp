// SPDX-License-Identifier: Apache-2.0
#include "zarr/consolidated_store.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <mutex>

namespace tessera::detail {

consolidated_store::consolidated_store(std::shared_ptr<key_value_store> store, std::string path,
                                       const node_format& format, metadata_files files)
    : store_(std::move(store)),
      path_(std::move(path)),
      format_(&format),
      files_(std::move(files)) {}

std::optional<std::string_view> consolidated_store::inside(std::string_view key) const {
  if (path_.empty()) return key;
  if (!key.starts_with(path_)) return std::nullopt;
  if (key.size() == path_.size()) return std::string_view();
  if (key[path_.size()] != '/') return std::nullopt;
  return key.substr(path_.size() + 1);
}

std::optional<std::string_view> consolidated_store::known(std::string_view key) const {
  // The nodes of a group have its format: documents of other formats are not there.
  return is_node_document(key.substr(key.rfind('/') + 1)) ? inside(key) : std::nullopt;
}

std::optional<std::vector<std::byte>> consolidated_store::read_all(std::string_view key,
                                                                   std::size_t limit) const {
  const auto file = known(key);
  if (!file) return store_->read_all(key, limit);
  const std::shared_lock lock(mutex_);
  const auto entry = files_.find(*file);
  if (entry == files_.end()) return std::nullopt;
  const auto bytes = std::as_bytes(std::span(entry->second));
  if (bytes.size() > limit) {
    throw store_error(fmt::format("{}: \"{}\" in {} has {} B, at most {} B are read", name(), key,
                                  format_->consolidated_key, bytes.size(), limit),
                      store_failure::too_large, bytes.size());
  }
  return std::vector<std::byte>(bytes.begin(), bytes.end());
}

std::optional<std::size_t> consolidated_store::read(std::string_view key,
                                                    std::span<std::byte> into) const {
  if (!known(key)) return store_->read(key, into);
  const auto value = read_all(key, into.size());
  if (!value) return std::nullopt;
  std::copy(value->begin(), value->end(), into.begin());
  return value->size();
}

std::optional<value_part> consolidated_store::read_part(std::string_view key,
                                                        const byte_range& range,
                                                        std::span<std::byte> into) const {
  return known(key) ? key_value_store::read_part(key, range, into)
                    : store_->read_part(key, range, into);
}

std::optional<std::size_t> consolidated_store::size(std::string_view key) const {
  const auto file = known(key);
  if (!file) return store_->size(key);
  const std::shared_lock lock(mutex_);
  const auto entry = files_.find(*file);
  return entry == files_.end() ? std::nullopt : std::optional(entry->second.size());
}

/// Stores a written value in the memory, if it is of a metadata file.
void consolidated_store::remember(std::string_view key, std::span<const std::byte> value) {
  const auto file = known(key);
  if (!file) return;
  const std::unique_lock lock(mutex_);
  files_.insert_or_assign(std::string(*file),
                          std::string(reinterpret_cast<const char*>(value.data()), value.size()));
}

/// Removes an erased metadata file from the memory.
void consolidated_store::forget(std::string_view key) {
  const auto file = known(key);
  if (!file) return;
  const std::unique_lock lock(mutex_);
  if (const auto entry = files_.find(*file); entry != files_.end()) files_.erase(entry);
}

void consolidated_store::write(std::string_view key, std::span<const std::byte> value) {
  store_->write(key, value);
  remember(key, value);
}

bool consolidated_store::write_if(std::string_view key, std::span<const std::byte> value,
                                  const value_version& expected) {
  if (!store_->write_if(key, value, expected)) return false;
  remember(key, value);
  return true;
}

std::unique_ptr<value_writer> consolidated_store::writer(std::string_view key) {
  return known(key) ? nullptr : store_->writer(key);
}

void consolidated_store::erase(std::string_view key) {
  store_->erase(key);
  forget(key);
}

void consolidated_store::erase_many(std::span<const std::string> keys) {
  store_->erase_many(keys);
  for (const std::string& key : keys) forget(key);
}

void consolidated_store::erase_all(std::string_view folder) {
  store_->erase_all(folder);
  const std::unique_lock lock(mutex_);
  std::erase_if(files_, [&](const auto& file) {
    const std::string key = path_.empty() ? file.first : fmt::format("{}/{}", path_, file.first);
    return folder.empty() || key.starts_with(fmt::format("{}/", folder));
  });
}

std::vector<std::string> consolidated_store::list(std::string_view folder) const {
  return store_->list(folder);
}

std::vector<std::string> consolidated_store::names_in(std::string_view folder) const {
  const std::string prefix = folder.empty() ? "" : fmt::format("{}/", folder);
  std::vector<std::string> names;
  const std::shared_lock lock(mutex_);
  for (auto file = files_.lower_bound(prefix);
       file != files_.end() && file->first.starts_with(prefix); ++file) {
    const std::string_view rest = std::string_view(file->first).substr(prefix.size());
    const std::size_t slash = rest.find('/');
    names.emplace_back(rest.substr(0, slash == std::string_view::npos ? slash : slash + 1));
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<std::string> consolidated_store::list_folder(std::string_view folder) const {
  // The nodes of a group are known from memory; an array has chunks as well.
  const auto inner_folder = inside(folder);
  const bool is_group = inner_folder && format_->has(*this, folder, node_kind::group);
  return is_group ? names_in(*inner_folder) : store_->list_folder(folder);
}

std::shared_ptr<key_value_store> underlying(const std::shared_ptr<key_value_store>& store) {
  const auto* consolidated = dynamic_cast<const consolidated_store*>(store.get());
  return consolidated == nullptr ? store : consolidated->underlying();
}

key_value_store& truth_of(key_value_store& store) {
  const auto* consolidated = dynamic_cast<const consolidated_store*>(&store);
  return consolidated == nullptr ? store : *consolidated->underlying();
}

}  // namespace tessera::detail
