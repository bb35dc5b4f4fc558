// SPDX-License-Identifier: Apache-2.0
#include "zarr/consolidated_store.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <mutex>

namespace tessera::detail {

consolidated_store::consolidated_store(std::shared_ptr<key_value_store> store, std::string path,
                                       metadata_files files)
    : store_(std::move(store)), path_(std::move(path)), files_(std::move(files)) {}

std::optional<std::string_view> consolidated_store::inside(std::string_view key) const {
  if (path_.empty()) return key;
  if (!key.starts_with(path_)) return std::nullopt;
  if (key.size() == path_.size()) return std::string_view();
  if (key[path_.size()] != '/') return std::nullopt;
  return key.substr(path_.size() + 1);
}

std::optional<std::string_view> consolidated_store::known(std::string_view key) const {
  return is_metadata_key(key) ? inside(key) : std::nullopt;
}

std::optional<std::vector<std::byte>> consolidated_store::read_all(std::string_view key,
                                                                   std::size_t limit) const {
  const auto file = known(key);
  if (!file) return store_->read_all(key, limit);
  const std::shared_lock lock(mutex_);
  const auto found = files_.find(*file);
  if (found == files_.end()) return std::nullopt;
  const auto bytes = std::as_bytes(std::span(found->second));
  if (bytes.size() > limit) {
    throw store_error(fmt::format("{}: \"{}\" in .zmetadata has {} B, at most {} B are read",
                                  name(), key, bytes.size(), limit));
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

std::optional<std::size_t> consolidated_store::read_range(std::string_view key, std::size_t first,
                                                          std::span<std::byte> into) const {
  return known(key) ? key_value_store::read_range(key, first, into)
                    : store_->read_range(key, first, into);
}

std::optional<std::size_t> consolidated_store::size(std::string_view key) const {
  const auto file = known(key);
  if (!file) return store_->size(key);
  const std::shared_lock lock(mutex_);
  const auto found = files_.find(*file);
  return found == files_.end() ? std::nullopt : std::optional(found->second.size());
}

void consolidated_store::write(std::string_view key, std::span<const std::byte> value) {
  store_->write(key, value);
  const auto file = known(key);
  if (!file) return;
  const std::unique_lock lock(mutex_);
  files_.insert_or_assign(std::string(*file),
                          std::string(reinterpret_cast<const char*>(value.data()), value.size()));
}

void consolidated_store::erase(std::string_view key) {
  store_->erase(key);
  const auto file = known(key);
  if (!file) return;
  const std::unique_lock lock(mutex_);
  if (const auto found = files_.find(*file); found != files_.end()) files_.erase(found);
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
  // A group holds nothing that counts but nodes; in an array there are chunks besides.
  const auto place = inside(folder);
  const bool is_group =
      place && size(folder.empty() ? ".zgroup" : fmt::format("{}/.zgroup", folder)).has_value();
  return is_group ? names_in(*place) : store_->list_folder(folder);
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
