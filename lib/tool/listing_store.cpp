// SPDX-License-Identifier: Apache-2.0
#include "tool/listing_store.hpp"

#include "tessera/core/error.hpp"
#include "tessera/zarr/zarr_group.hpp"

#include "core/api/fingerprint.hpp"
#include "tool/array_files.hpp"
#include "zarr/api/hierarchy.hpp"
#include "zarr/api/node_format.hpp"
#include "zarr/api/node_location.hpp"

#include <algorithm>
#include <deque>
#include <fmt/format.h>
#include <limits>
#include <set>
#include <utility>

namespace tessera::tool {

namespace {

/// Calls `f` with each key that has a value, and its size. Several keys are looked for at once.
template <class F>
void for_each_present(const key_value_store& store, const array_description& array,
                      const std::string& path, F f) {
  const auto queue = store.reads();
  const std::size_t most = queue == nullptr ? 0 : store.traits().num_requests;
  std::deque<std::pair<std::size_t, std::string>> asked;
  const auto take_first = [&] {
    auto [ticket, key] = std::move(asked.front());
    asked.pop_front();
    if (const auto part = queue->wait(ticket)) f(std::move(key), part->value_size);
  };
  const detail::chunk_names names = array.names();
  const index_t count = array.grid.size();
  for (index_t i = 0; i < count; ++i) {
    std::string key = detail::node_key(path, names.name_of(array.grid.chunk_at(i)));
    if (queue == nullptr) {
      if (const auto size = store.size(key)) f(std::move(key), *size);
      continue;
    }
    if (asked.size() == most) take_first();
    const std::size_t ticket = queue->submit({key, {0, 0}, {}});
    asked.emplace_back(ticket, std::move(key));
  }
  while (!asked.empty()) take_first();
}

}  // namespace

bool listing_store::is_array(const std::string& path) const {
  {
    const std::lock_guard lock(mutex_);
    if (keys_.contains(path)) return true;
  }
  return detail::has_array_node(*nodes_, path);
}

const listing_store::sized_keys& listing_store::keys_of_array(const std::string& path) const {
  const std::lock_guard lock(mutex_);
  const auto known = keys_.find(path);
  if (known != keys_.end()) return known->second;
  sized_keys keys;
  for (const detail::node_format* format : detail::formats()) {
    for (const std::string_view name : format->keys) {
      std::string key = detail::node_key(path, name);
      if (keys.contains(key)) continue;
      if (const auto size = nodes_->size(key)) keys.emplace(std::move(key), *size);
    }
  }
  for_each_present(
      *nodes_, describe_array(*nodes_, path), path,
      [&](std::string key, std::uint64_t size) { keys.emplace(std::move(key), size); });
  return keys_.emplace(path, std::move(keys)).first->second;
}

/// Returns the array that has `folder`, or the outermost folder if there is none.
std::string listing_store::array_above(std::string_view folder) const {
  std::string array(folder);
  while (!array.empty() && !is_array(array)) array = detail::folder_above(array);
  return array;
}

std::vector<std::string> listing_store::list(std::string_view folder) const {
  const std::string array = array_above(folder);
  if (!is_array(array)) return nodes_->list(folder);
  const std::string prefix = folder.empty() ? "" : fmt::format("{}/", folder);
  std::vector<std::string> keys;
  for (const auto& [key, size] : keys_of_array(array)) {
    if (key.starts_with(prefix)) keys.push_back(key);
  }
  return keys;
}

void listing_store::for_each_size(std::string_view folder,
                                  const detail::size_visitor& visit) const {
  const std::string array = array_above(folder);
  if (!is_array(array)) {
    for (const std::string& key : nodes_->list(folder)) visit(key, nodes_->size(key).value_or(0));
    return;
  }
  const std::string prefix = folder.empty() ? "" : fmt::format("{}/", folder);
  for (const auto& [key, size] : keys_of_array(array)) {
    if (key.starts_with(prefix)) visit(key, size);
  }
}

std::vector<std::string> listing_store::list_folder(std::string_view folder) const {
  if (!is_array(std::string(folder))) return nodes_->list_folder(folder);
  const std::size_t begin = folder.empty() ? 0 : folder.size() + 1;
  std::set<std::string> names;
  for (const auto& [key, size] : keys_of_array(std::string(folder))) {
    const std::size_t slash = key.find('/', begin);
    names.insert(slash == std::string::npos ? key.substr(begin)
                                            : key.substr(begin, slash + 1 - begin));
  }
  return {names.begin(), names.end()};
}

std::string listing_store::state(std::string_view folder) const {
  fingerprint documents;
  const auto add = [&](const std::string& path) {
    for (const detail::node_format* format : detail::formats()) {
      for (const std::string_view name : format->keys) {
        const auto text = detail::read_text(*nodes_, detail::node_key(path, name));
        if (text) documents.add(fmt::format("{} {} {}\n{}", path, name, text->size(), *text));
      }
    }
  };
  add(std::string(folder));
  if (!is_array(std::string(folder))) {
    detail::for_each_node_below(
        *nodes_, std::string(folder),
        [&](const std::string& inner, bool /*is_array*/) { add(detail::node_key(folder, inner)); });
  }
  return documents.digits();
}

std::shared_ptr<key_value_store> with_lists(std::shared_ptr<key_value_store> store,
                                            const std::string& root) {
  if (store->traits().has_lists) return store;
  if (detail::has_array_node(*store, root))
    return std::make_shared<listing_store>(std::move(store));
  bool has_group = false;
  for (const std::string& path : {std::string(), root}) {
    if (!detail::has_group_node(*store, path)) continue;
    has_group = true;
    const zarr_group group = zarr_group::open(store, path);
    if (group.is_consolidated()) return std::make_shared<listing_store>(group.store());
  }
  if (!has_group) {
    throw zarr_error(fmt::format("{} has neither an array nor a group of Zarr; check the path",
                                 detail::name_of_node(*store, root)));
  }
  return store;
}

}  // namespace tessera::tool
