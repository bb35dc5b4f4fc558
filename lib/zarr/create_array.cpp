// SPDX-License-Identifier: Apache-2.0
#include "zarr/create_array.hpp"

#include "tessera/core/error.hpp"

#include "zarr/api/array_files.hpp"
#include "zarr/api/hierarchy.hpp"
#include "zarr/api/node_format.hpp"
#include "zarr/api/node_location.hpp"
#include "zarr/array_state.hpp"
#include "zarr/consolidated_store.hpp"
#include "zarr/document_reader.hpp"
#include "zarr/key_eraser.hpp"
#include "zarr/overwriting_note.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <set>
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

/// Tells whether a file in the folder of an array belongs to the array and is neither a chunk nor
/// the document that makes the folder an array.
bool is_beside_chunks(std::string_view entry) {
  return entry.starts_with(".tessera-run") ||
         std::ranges::any_of(formats(), [entry](const node_format* format) {
           return entry != format->array_key &&
                  (entry == format->attributes_key || entry == format->consolidated_key);
         });
}

/// Returns the files in the folder of the array at `path`.
array_files stored_files(const key_value_store& store, const std::string& path) {
  const auto names = stored_chunk_names(store, path);
  return names ? files_of_array(store, path, *names) : files_of_unknown(store, path);
}

/// Removes chunks of the array at `path`, and folders of chunks without other files.
void erase_chunks(key_value_store& store, const std::string& path, const array_files& files) {
  const auto folder_of = [](std::string_view name) {
    const std::size_t end = name.find('/');
    return end == std::string_view::npos ? std::string_view() : name.substr(0, end);
  };
  std::set<std::string_view> kept;
  for (const std::string& name : files.outside) kept.insert(folder_of(name));
  for (const std::string& name : files.stray) kept.insert(folder_of(name));
  std::set<std::string_view> folders;
  key_eraser chunks(store);
  for (const std::string& name : files.chunks) {
    const std::string_view folder = folder_of(name);
    if (folder.empty() || kept.contains(folder)) {
      chunks.add(node_key(path, name));
    } else {
      folders.insert(folder);
    }
  }
  chunks.finish();
  for (const std::string_view folder : folders) store.erase_all(node_key(path, folder));
}

/// Removes the array at `path`: its metadata last, so that an interrupted call can be repeated.
/// Files that are no part of a Zarr array stay.
void erase_array(key_value_store& store, const std::string& path) {
  const document_reader truth(truth_of(store), path, names_of_nodes());
  erase_chunks(store, path, stored_files(truth, path));
  key_eraser files(store);
  for (const std::string& entry : truth.list_folder(path)) {
    if (is_beside_chunks(entry)) files.add(node_key(path, entry));
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

/// Tells whether files of an array are at `path`.
bool has_old_array(const key_value_store& store, const std::string& path) {
  return has_array_node(store, path) || has_unfinished_copy(store, path);
}

/// Throws zarr_error if one of the files that stay is in the way of a chunk of a new array.
void refuse_kept_files(const key_value_store& store, const std::string& path,
                       const zarr_metadata& metadata) {
  const chunk_names fresh = chunk_names_of(metadata);
  const auto old = stored_chunk_names(store, path);
  if (old && old->contains(fresh)) return;
  const array_files files = stored_files(store, path);
  for (const auto* names : {&files.outside, &files.stray}) {
    const auto met = std::ranges::find_if(
        *names, [&](const std::string& name) { return name.front() != '.' && fresh.meets(name); });
    if (met == names->end()) continue;
    throw zarr_error(fmt::format(
        "cannot create an array at {}: '{}' is there, which is no chunk of the array that it "
        "replaces, and readers would take it for a chunk of the new one; move it away or choose "
        "another path",
        name_of_node(store, path), *met));
  }
}

}  // namespace

bool require_replaceable(key_value_store& store, const std::string& path,
                         const zarr_metadata& metadata, existing policy) {
  // The metadata that a handle remembers may be older than the stored ones.
  const document_reader truth(truth_of(store), path, names_of_nodes());
  require_replaceable(truth, path, policy);
  if (!has_old_array(truth, path)) return false;
  refuse_kept_files(truth, path, metadata);
  return true;
}

bool is_far(const key_value_store& store) {
  const store_traits traits = store.traits();
  return traits.latency > std::chrono::seconds::zero() && traits.has_lists;
}

std::unique_ptr<document_reader> far_documents(const key_value_store& store,
                                               const std::string& path) {
  std::vector<std::string_view> names = names_of_nodes();
  for (const std::string_view name : names_of_consolidated_documents()) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return std::make_unique<document_reader>(store, path, names, with_nodes_above, with_folder);
}

std::shared_ptr<const zarr_array_state> create_array(const std::shared_ptr<key_value_store>& store,
                                                     const std::string& path,
                                                     const zarr_metadata& metadata,
                                                     const attributes& values, existing policy,
                                                     document_reader* checked) {
  // All refusals come before the first write.
  const node_format& format = format_of(metadata.format);
  zarr_metadata complete = metadata;
  complete_filters_of(complete, name_of_node(*store, path));
  const std::string description = complete.to_json();
  const std::string attribute_text = values.to_json();
  // The handle has the metadata that a reader of the document has.
  if (format.number != default_format().number) complete = zarr_metadata::parse(description);
  auto state = make_state(store, path, complete, values);
  if (checked == nullptr) require_room(underlying(store), path, format);
  key_value_store& around = checked == nullptr ? truth_of(*store) : *checked;
  const bool is_replaced = require_replaceable(around, path, metadata, policy);
  const auto old = policy == existing::replace ? old_node::goes : old_node::stays;
  change_metadata(*store, checked, path, old, [&] {
    if (is_replaced) erase_array(*store, path);
    make_room(*store, around, path, format);
    format.write_array(*store, path, description, attribute_text);
  });
  return state;
}

}  // namespace tessera::detail
