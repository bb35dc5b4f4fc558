// SPDX-License-Identifier: Apache-2.0
#include "zarr/create_array.hpp"

#include "tessera/core/error.hpp"

#include "zarr/api/hierarchy.hpp"
#include "zarr/api/node_format.hpp"
#include "zarr/api/node_location.hpp"
#include "zarr/array_state.hpp"
#include "zarr/consolidated_store.hpp"
#include "zarr/document_reader.hpp"
#include "zarr/key_eraser.hpp"
#include "zarr/overwriting_note.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

namespace {

void complete_filters_of(zarr_metadata& metadata, const std::string& location) {
  try {
    metadata.complete_filters();
  } catch (const codec_error& failure) {
    throw zarr_error(fmt::format("{}: {}", location, failure.what()));
  }
}

/// Tells whether `name` consists of numbers joined by `separator`.
bool consists_of_numbers(std::string_view name, char separator) {
  char before = separator;
  for (const char c : name) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit && (c != separator || before == separator)) return false;
    before = c;
  }
  return before != separator;
}

/// Tells whether `name` is a chunk's key, or the first part of one: "0", "0.1", "c", "c.0.1".
bool is_part_of_key(std::string_view name) {
  if (name == "c") return true;
  if (name.starts_with("c.")) name.remove_prefix(2);
  return consists_of_numbers(name, '.');
}

/// Tells whether a Zarr writer puts a file or a folder of this name into the folder of an array.
/// Chunks of any rank count: readers would take a chunk of the old array for one of the new array.
bool is_of_array(std::string_view entry) {
  if (entry.back() == '/') return is_part_of_key(entry.substr(0, entry.size() - 1));
  const bool is_beside_array = std::ranges::any_of(formats(), [entry](const node_format* format) {
    return entry != format->array_key &&
           (entry == format->attributes_key || entry == format->consolidated_key);
  });
  return is_beside_array || entry.starts_with(".tessera-run") || is_part_of_key(entry);
}

/// Removes the chunks in a folder that is named as a part of a chunk key, and the folder if it is
/// empty then.
void erase_chunk_folder(key_value_store& store, const std::string& folder) {
  bool has_others = false;
  const std::vector<std::string> keys = store.list(folder);
  const auto is_chunk = [&](std::string_view key) {
    return consists_of_numbers(key.substr(folder.size() + 1), '/');
  };
  for (const std::string& key : keys) has_others = has_others || !is_chunk(key);
  if (!has_others) return store.erase_all(folder);
  key_eraser chunks(store);
  for (const std::string& key : keys) {
    if (is_chunk(key)) chunks.add(key);
  }
  chunks.finish();
}

/// Removes the array at `path`: its metadata last, so that an interrupted call can be repeated.
/// Files that are no part of a Zarr array stay.
void erase_array(key_value_store& store, const std::string& path) {
  key_eraser files(store);
  for (const std::string& entry : store.list_folder(path)) {
    if (!is_of_array(entry)) continue;
    const std::string key = node_key(path, entry);
    if (key.back() == '/') {
      erase_chunk_folder(store, key.substr(0, key.size() - 1));
    } else {
      files.add(key);
    }
  }
  files.finish();
  for (const node_format* format : formats()) store.erase(node_key(path, format->array_key));
}

/// Tells whether an interrupted copy has left chunks or its mark at `path`. A mark without chunks
/// may be of this process, which creates the array for a copy.
bool has_unfinished_copy(const key_value_store& store, const std::string& path) {
  const std::vector<std::string> names = store.list_folder(path);
  const bool has_files = std::ranges::any_of(
      names, [](const std::string& name) { return !name.starts_with(".tessera-"); });
  return has_mark(store, path) && (has_files || !is_copied_here(store, path));
}

/// Removes the array at `path`, or refuses if `policy` keeps it.
void clear_location(key_value_store& store, const std::string& path, existing policy) {
  // The metadata that a handle remembers may be older than the stored ones.
  const document_reader truth(truth_of(store), path, names_of_nodes());
  require_replaceable(truth, path, policy);
  if (has_array_node(truth, path) || has_unfinished_copy(truth, path)) {
    erase_array(store, path);
  }
}

}  // namespace

std::shared_ptr<const zarr_array_state> create_array(const std::shared_ptr<key_value_store>& store,
                                                     const std::string& path,
                                                     const zarr_metadata& metadata,
                                                     const attributes& values, existing policy) {
  // All refusals come before the first write.
  const node_format& format = format_of(metadata.format);
  zarr_metadata complete = metadata;
  complete_filters_of(complete, name_of_node(*store, path));
  const std::string description = complete.to_json();
  const std::string attribute_text = values.to_json();
  // The handle has the metadata that a reader of the document has.
  if (format.number != default_format().number) complete = zarr_metadata::parse(description);
  auto state = make_state(store, path, complete, values);
  require_room(underlying(store), path, format);
  const auto old = policy == existing::replace ? old_node::goes : old_node::stays;
  change_metadata(*store, path, old, [&] {
    clear_location(*store, path, policy);
    make_room(*store, path, format);
    format.write_array(*store, path, description, attribute_text);
  });
  return state;
}

}  // namespace tessera::detail
