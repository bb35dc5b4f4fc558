// SPDX-License-Identifier: Apache-2.0
#include "zarr/folders.hpp"

#include "zarr/api/hierarchy.hpp"
#include "zarr/document_reader.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace tessera::detail {

namespace {

/// Returns the names of the documents of arrays and groups in `folders`.
std::vector<std::string> documents_in(std::span<const std::string> folders) {
  std::vector<std::string> names;
  for (const std::string& folder : folders) {
    for (const auto& documents : {names_of_array_documents(), names_of_group_documents()}) {
      for (const std::string_view name : documents) names.push_back(node_key(folder, name));
    }
  }
  return names;
}

/// Returns the names of the folders in the folder `path`.
std::vector<std::string> folders_in(const key_value_store& store, const std::string& path) {
  std::vector<std::string> folders = store.list_folder(path);
  std::erase_if(folders, [](const std::string& entry) { return entry.back() != '/'; });
  for (std::string& folder : folders) folder.pop_back();
  return folders;
}

}  // namespace

void for_each_folder(const key_value_store& store, const std::string& path,
                     const folder_visitor& visit) {
  // Documents in flight, of a usual size, take a few megabytes.
  constexpr std::size_t most_at_once = 64;
  constexpr std::size_t usual_size = std::size_t{8} << 10;
  const std::vector<std::string> folders = folders_in(store, path);
  for (std::size_t first = 0; first < folders.size(); first += most_at_once) {
    const std::size_t size = std::min(most_at_once, folders.size() - first);
    const auto batch = std::span(folders).subspan(first, size);
    const std::vector<std::string> names = documents_in(batch);
    document_reader reader(store, path);
    reader.prepare({names.begin(), names.end()}, usual_size);
    for (const std::string& folder : batch) visit(reader, folder);
  }
}

}  // namespace tessera::detail
