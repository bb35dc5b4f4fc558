// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"

#include "zarr/consolidated_metadata.hpp"
#include "zarr/hierarchy.hpp"

#include <exception>
#include <mutex>
#include <vector>

namespace tessera::detail {

namespace {

/// The consolidated metadata of one group.
struct document {
  std::string group;
  std::string text;
};

/// Removes the consolidated metadata of `path` and of all groups above it, and returns them.
std::vector<document> take_documents(key_value_store& store, std::string_view path) {
  std::vector<document> documents;
  for (std::string_view group = path;; group = folder_above(group)) {
    const std::string key = node_key(group, ".zmetadata");
    if (auto text = read_text(store, key)) {
      documents.push_back({std::string(group), *std::move(text)});
      store.erase(key);
    }
    if (group.empty()) return documents;
  }
}

/// Makes the files of the node at `path` what the store has now. `path` is relative to the group.
void update_node(metadata_files& files, const key_value_store& store, const std::string& group,
                 std::string_view path) {
  for (const char* name : {".zarray", ".zattrs", ".zgroup"}) {
    const std::string file = node_key(path, name);
    if (auto text = read_text(store, node_key(group, file))) {
      files.insert_or_assign(file, *std::move(text));
    } else {
      files.erase(file);
    }
  }
}

void write_document(key_value_store& store, const document& old, std::string_view path) {
  const std::string key = node_key(old.group, ".zmetadata");
  metadata_files files = parse_consolidated(old.text, key);
  const std::size_t above = old.group.empty() ? 0 : old.group.size() + 1;
  const std::string_view node = path.size() > above ? path.substr(above) : std::string_view();
  for (std::string_view changed = node;; changed = folder_above(changed)) {
    update_node(files, store, old.group, changed);
    if (changed.empty()) break;
  }
  if (!files.contains(node_key(node, ".zgroup"))) {
    // Only groups have nodes below them.
    std::erase_if(files, [&](const auto& file) {
      return file.first.starts_with(node_key(node, "")) && folder_above(file.first) != node;
    });
  }
  write_text(store, key, format_consolidated(files));
}

}  // namespace

void change_metadata(key_value_store& store, std::string_view path,
                     const std::function<void()>& change) {
  static std::mutex turns;
  std::unique_lock lock(turns);
  const std::vector<document> documents = take_documents(store, path);
  // Most hierarchies have none, and a change may take long.
  if (documents.empty()) lock.unlock();
  std::exception_ptr failure;
  try {
    change();
  } catch (...) {
    failure = std::current_exception();
  }
  for (const document& old : documents) {
    try {
      write_document(store, old, path);
    } catch (const error&) {
      // What cannot be kept true stays removed: readers then find each file by itself.
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace tessera::detail
