// SPDX-License-Identifier: Apache-2.0
#include "tessera/zarr/place.hpp"

#include "tessera/core/error.hpp"
#include "tessera/core/file_names.hpp"
#include "tessera/store/filesystem_store.hpp"
#include "tessera/store/open_store.hpp"
#include "tessera/zarr/hierarchy.hpp"

#include "zarr/consolidated_store.hpp"
#include "zarr/store_above.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>

namespace tessera::detail {

namespace {

namespace fs = std::filesystem;

/// Returns the path of a directory without links, as far as they can be followed.
std::string canonical(const std::string& path) {
  const fs::path place = absolute_name(path);
  std::error_code unreadable;
  const fs::path found = fs::weakly_canonical(place, unreadable);
  return (unreadable ? place : found).string();
}

/// Returns what the node at `path` below `root` is called.
std::string node_below(const std::string& root, std::string_view path) {
  return path.empty() ? root : fmt::format("{}/{}", root, path);
}

}  // namespace

void require_no_array_above(const std::shared_ptr<key_value_store>& store,
                            const std::string& path) {
  constexpr std::string_view text =
      "cannot create {}: {} is an array, which holds nothing but its chunks; choose another path";
  for (std::string_view above = path; !above.empty();) {
    above = folder_above(above);
    if (!store->exists(node_key(above, ".zarray"))) continue;
    throw zarr_error(fmt::format(text, name_of_node(*store, path), name_of_node(*store, above)));
  }
  std::optional<store_recipe> above = store->recipe();
  if (const auto directory = directory_of(*store)) above->place = canonical(*directory);
  while (above && (above = store_above(*above))) {
    if (!holds(*above, ".zarray")) continue;
    throw zarr_error(fmt::format(text, name_of_node(*store, path), open_store(*above)->name()));
  }
}

namespace {

/// Throws zarr_error if the folder `path`, which is no array, holds nodes or files. Files whose
/// name begins with a dot are hidden: nobody takes them for chunks.
void require_nothing_below(const key_value_store& store, const std::string& path) {
  for (std::string entry : store.list_folder(path)) {
    if (entry.front() == '.') continue;
    const bool is_folder = entry.back() == '/';
    if (is_folder) entry.pop_back();
    const std::string below = node_key(path, entry);
    const auto is_there = [&](const char* name) {
      return is_folder && store.exists(node_key(below, name));
    };
    if (is_there(".zarray") || is_there(".zgroup")) {
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

node_place place_of(const std::shared_ptr<key_value_store>& store, std::string_view path) {
  std::string inner = normalised_path(path);
  const std::optional<store_recipe> recipe = store->recipe();
  if (!recipe) return {underlying(store).get(), std::move(inner)};
  if (const auto directory = directory_of(*store)) {
    return place_of_directory(node_below(*directory, inner));
  }
  return {nullptr, node_below(fmt::format("{}://{}", recipe->scheme, recipe->place), inner)};
}

std::optional<std::string> directory_of(const key_value_store& store) {
  std::optional<store_recipe> recipe = store.recipe();
  if (!recipe || recipe->scheme != filesystem_store::scheme) return std::nullopt;
  return std::move(recipe->place);
}

node_place place_of_directory(const std::string& path) { return {nullptr, canonical(path)}; }

bool lies_below(const node_place& inner, const node_place& outer) {
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

void require_room(const std::shared_ptr<key_value_store>& store, std::string_view path) {
  const std::string place = normalised_path(path);
  if (store->exists(node_key(place, ".zgroup"))) {
    throw zarr_error(
        fmt::format("cannot create an array at {}: a group is there, remove it or choose another "
                    "path",
                    name_of_node(*store, place)));
  }
  require_no_array_above(store, place);
  const bool is_array = store->exists(node_key(place, ".zarray")) || has_mark(*store, place);
  if (!is_array) require_nothing_below(*store, place);
}

void require_replaceable(const key_value_store& store, std::string_view path, existing policy) {
  const std::string place = normalised_path(path);
  if (policy == existing::replace || !store.exists(node_key(place, ".zarray"))) return;
  throw zarr_error(
      fmt::format("cannot create an array at {}: one is there, choose another path or ask to "
                  "replace it",
                  name_of_node(store, place)));
}

}  // namespace tessera::detail
