// SPDX-License-Identifier: Apache-2.0
#include "zarr/create_array.hpp"

#include "tessera/core/error.hpp"
#include "tessera/zarr/hierarchy.hpp"
#include "tessera/zarr/place.hpp"

#include "zarr/array_state.hpp"
#include "zarr/consolidated_store.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

namespace {

void complete_filters_of(zarr_metadata& metadata, const std::string& place) {
  try {
    metadata.complete_filters();
  } catch (const codec_error& failure) {
    throw zarr_error(fmt::format("{}: {}", place, failure.what()));
  }
}

/// Tells whether `name` consists of numbers that are joined by `separator`.
bool consists_of_numbers(std::string_view name, char separator) {
  char before = separator;
  for (const char c : name) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit && (c != separator || before == separator)) return false;
    before = c;
  }
  return before != separator;
}

/// Tells whether a Zarr writer puts a file or a folder of this name into the folder of an array.
/// The rank does not count: a chunk of another array would be taken for one of the next array.
bool is_of_array(std::string_view entry) {
  if (entry.back() == '/') return consists_of_numbers(entry.substr(0, entry.size() - 1), '.');
  return entry == ".zattrs" || entry == ".zmetadata" || entry.starts_with(".tessera-run") ||
         consists_of_numbers(entry, '.');
}

/// Removes the chunks in a folder whose name is that of chunks, and the folder if it holds no other
/// files.
void erase_chunk_folder(key_value_store& store, const std::string& folder) {
  bool has_others = false;
  const std::vector<std::string> keys = store.list(folder);
  const auto is_chunk = [&](std::string_view key) {
    return consists_of_numbers(key.substr(folder.size() + 1), '/');
  };
  for (const std::string& key : keys) has_others = has_others || !is_chunk(key);
  if (!has_others) return store.erase_all(folder);
  for (const std::string& key : keys) {
    if (is_chunk(key)) store.erase(key);
  }
}

/// Removes the array at `path`: its metadata last, so that an interrupted call can be repeated.
/// Files that no Zarr writer has made stay.
void erase_array(key_value_store& store, const std::string& path) {
  for (const std::string& entry : store.list_folder(path)) {
    if (!is_of_array(entry)) continue;
    const std::string key = node_key(path, entry);
    if (key.back() == '/') {
      erase_chunk_folder(store, key.substr(0, key.size() - 1));
    } else {
      store.erase(key);
    }
  }
  store.erase(node_key(path, ".zarray"));
}

/// Tells whether a copy that did not end left chunks at `path`. The mark alone is that of a copy
/// which creates the array now.
bool has_unfinished_copy(const key_value_store& store, const std::string& path) {
  const std::vector<std::string> names = store.list_folder(path);
  return has_mark(store, path) && std::ranges::any_of(names, [](const std::string& name) {
           return !name.starts_with(".tessera-");
         });
}

/// Makes sure that nothing is at `path`.
void clear_place(key_value_store& store, const std::string& path, existing policy) {
  // What a handle remembers may be older than what the store has.
  const key_value_store& truth = truth_of(store);
  require_replaceable(truth, path, policy);
  if (truth.exists(node_key(path, ".zarray")) || has_unfinished_copy(truth, path)) {
    erase_array(store, path);
  }
}

}  // namespace

std::shared_ptr<const zarr_array_state> create_array(const std::shared_ptr<key_value_store>& store,
                                                     const std::string& path,
                                                     const zarr_metadata& metadata,
                                                     const attributes& values, existing policy) {
  // Everything that can be refused is refused before the first byte is written.
  zarr_metadata complete = metadata;
  complete_filters_of(complete, name_of_node(*store, path));
  const std::string description = complete.to_json();
  const std::string attribute_text = values.to_json();
  auto state = make_state(store, path, complete, values);
  require_room(underlying(store), path);
  const auto old = policy == existing::replace ? old_node::goes : old_node::stays;
  change_metadata(*store, path, old, [&] {
    clear_place(*store, path, policy);
    make_room(*store, path);
    if (!values.empty()) write_text(*store, node_key(path, ".zattrs"), attribute_text);
    write_text(*store, node_key(path, ".zarray"), description);
  });
  return state;
}

}  // namespace tessera::detail
