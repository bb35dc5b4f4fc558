// SPDX-License-Identifier: Apache-2.0
#include "zarr/api/node_location.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/filesystem_store.hpp"
#include "tessera/store/open_store.hpp"

#include "core/api/file_names.hpp"
#include "store/api/memory_folder.hpp"
#include "zarr/api/hierarchy.hpp"
#include "zarr/api/node_format.hpp"
#include "zarr/array_ports.hpp"
#include "zarr/consolidated_store.hpp"
#include "zarr/create_array.hpp"
#include "zarr/document_reader.hpp"
#include "zarr/store_above.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>

namespace tessera::detail {

namespace {

namespace fs = std::filesystem;

/// Returns the path of a directory without symbolic links, as far as they resolve.
std::string canonical(const std::string& path) {
  const fs::path location = absolute_name(path);
  std::error_code unreadable;
  const fs::path resolved = fs::weakly_canonical(location, unreadable);
  return (unreadable ? location : resolved).string();
}

/// Returns the name of the node at `path` below `root`.
std::string node_below(const std::string& root, std::string_view path) {
  return path.empty() ? root : fmt::format("{}/{}", root, path);
}

constexpr std::string_view text_of_array_above =
    "cannot create {}: {} is an array, which holds nothing but its chunks; choose another path";

/// Throws zarr_error if an array is above `path` in the store of `documents`.
void refuse_array_above(const key_value_store& documents, const std::string& path) {
  for (std::string_view above = path; !above.empty();) {
    above = folder_above(above);
    if (!has_array_node(documents, above)) continue;
    throw zarr_error(fmt::format(text_of_array_above, name_of_node(documents, path),
                                 name_of_node(documents, above)));
  }
}

/// Throws zarr_error if an array is above `path` in the store or in the folders that hold it.
/// `documents` has the documents of the store.
void refuse_array_above(const std::shared_ptr<key_value_store>& store,
                        const key_value_store& documents, const std::string& path) {
  refuse_array_above(documents, path);
  refuse_array_around(store, path);
}

}  // namespace

void refuse_array_around(const std::shared_ptr<key_value_store>& store, const std::string& path) {
  const auto stored = underlying(store);
  const auto* const folder = dynamic_cast<const memory_folder*>(stored.get());
  if (folder != nullptr && !folder->folder().empty()) {
    require_no_array_above(folder->outermost(), folder->folder());
    return;
  }
  std::optional<store_recipe> above = store->recipe();
  if (const auto directory = directory_of(*store)) above->place = canonical(*directory);
  while (above && (above = store_above(*above))) {
    if (!holds(*above, node_kind::array)) continue;
    throw zarr_error(
        fmt::format(text_of_array_above, name_of_node(*store, path), open_store(*above)->name()));
  }
}

namespace {

/// Throws zarr_error if the folder `path`, which is no array, holds nodes or files. Hidden files,
/// with names that begin with a dot, are allowed: no reader takes them for chunks.
void require_nothing_below(const key_value_store& store, const std::string& path) {
  for (std::string entry : store.list_folder(path)) {
    if (entry.front() == '.') continue;
    const bool is_folder = entry.back() == '/';
    if (is_folder) entry.pop_back();
    const std::string below = node_key(path, entry);
    if (is_folder && kind_of_node(store, below) != node_kind::none) {
      throw zarr_error(
          fmt::format("cannot create an array at {}: {} is in it, and an array holds nothing but "
                      "its chunks; choose another path",
                      name_of_node(store, path), name_of_node(store, below)));
    }
    throw zarr_error(
        fmt::format("cannot create an array at {}: the {} '{}' is in it, which is not of an array "
                    "there; choose another path, or move that away",
                    name_of_node(store, path), is_folder ? "folder" : "file", entry));
  }
}

}  // namespace

void require_no_array_above(const std::shared_ptr<key_value_store>& store,
                            const std::string& path) {
  refuse_array_above(store, document_reader(*store, path, names_of_nodes(), with_nodes_above),
                     path);
}

node_location location_of_node(const std::shared_ptr<key_value_store>& store,
                               std::string_view path) {
  std::string inner = normalised_path(path);
  const std::optional<store_recipe> recipe = store->recipe();
  if (!recipe) {
    const std::shared_ptr<key_value_store> stored = underlying(store);
    if (const auto* const folder = dynamic_cast<const memory_folder*>(stored.get())) {
      if (folder->folder().empty()) return {folder->root().get(), std::move(inner)};
      return {folder->root().get(), node_below(folder->folder(), inner)};
    }
    return {stored.get(), std::move(inner)};
  }
  if (const auto directory = directory_of(*store)) {
    return location_of_directory(node_below(*directory, inner));
  }
  return {nullptr, node_below(fmt::format("{}://{}", recipe->scheme, recipe->place), inner)};
}

std::string options_of_values(const key_value_store& store) {
  const std::optional<store_recipe> recipe = store.recipe();
  return recipe && recipe->scheme != filesystem_store::scheme ? recipe->options : std::string();
}

std::optional<std::string> directory_of(const key_value_store& store) {
  std::optional<store_recipe> recipe = store.recipe();
  if (!recipe || recipe->scheme != filesystem_store::scheme) return std::nullopt;
  return std::move(recipe->place);
}

node_location location_of_directory(const std::string& path) { return {nullptr, canonical(path)}; }

bool lies_below(const node_location& inner, const node_location& outer) {
  if (inner.store != outer.store || inner.path.size() <= outer.path.size()) return false;
  return outer.path.empty() || inner.path.starts_with(node_key(outer.path, ""));
}

std::string name_of_node(const key_value_store& store, std::string_view path) {
  return node_below(store.name(), path);
}

bool has_mark(const key_value_store& store, const std::string& path) {
  return std::ranges::any_of(store.list_folder(path), [](const std::string& name) {
    return name.starts_with(".tessera-run");
  });
}

namespace {

void refuse_group(const key_value_store& documents, const std::string& path) {
  if (!has_group_node(documents, path)) return;
  throw zarr_error(
      fmt::format("cannot create an array at {}: a group is there, remove it or choose another "
                  "path",
                  name_of_node(documents, path)));
}

/// Throws zarr_error if a folder that is no array holds nodes or files, and value_error if the
/// group above is of another format.
void require_free_folder(const key_value_store& documents, const std::string& path,
                         const node_format& format) {
  const bool is_array = has_array_node(documents, path) || has_mark(documents, path);
  if (!is_array) require_nothing_below(documents, path);
  require_format_above(documents, path, format);
}

}  // namespace

void require_room(const std::shared_ptr<key_value_store>& store, std::string_view path,
                  const node_format& format) {
  const std::string location = normalised_path(path);
  const document_reader documents(*store, location, names_of_nodes(), with_nodes_above);
  refuse_group(documents, location);
  refuse_array_above(store, documents, location);
  require_free_folder(documents, location, format);
}

void require_room_in(const key_value_store& documents, const std::string& path,
                     const node_format& format) {
  refuse_group(documents, path);
  refuse_array_above(documents, path);
  require_free_folder(documents, path, format);
}

void require_replaceable(const key_value_store& store, std::string_view path, existing policy) {
  const std::string location = normalised_path(path);
  if (policy == existing::replace || !has_array_node(store, location)) return;
  throw zarr_error(
      fmt::format("cannot create an array at {}: one is there, choose another path or ask to "
                  "replace it",
                  name_of_node(store, location)));
}

std::string location_text(const node_location& location) {
  return fmt::format("{} {}", fmt::ptr(location.store), location.path);
}

}  // namespace tessera::detail
