// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What arrays and groups have in common: their paths, their files, the groups above them.

#include "tessera/store/key_value_store.hpp"
#include "tessera/zarr/attributes.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tessera::detail {

/// Returns a path as names joined by "/".
///
/// Throws: zarr_error <- a name is "." or "..", or the path is longer than 1024 characters.
[[nodiscard]] std::string normalised_path(std::string_view path);

/// Returns the key of the file `name` of the node at `path`.
[[nodiscard]] std::string node_key(std::string_view path, std::string_view name);

/// Returns the text of a metadata file, nothing if it is missing.
///
/// Throws: store_error <- it is larger than any metadata.
[[nodiscard]] std::optional<std::string> read_text(const key_value_store& store,
                                                   const std::string& key);
/// Writes a metadata file, whose text is JSON.
void write_text(key_value_store& store, const std::string& key, std::string_view text);

/// Returns the attributes of the node at `path`; none if it has no `.zattrs`. What is wrong with
/// them they tell when they are asked for.
[[nodiscard]] attributes read_attributes(const key_value_store& store, std::string_view path);

/// Makes `values` the attributes of the node at `path`.
void write_attributes(key_value_store& store, std::string_view path, const attributes& values);

/// Whether a change removes what is at its path and below before it does anything else.
enum class old_node : bool { stays, goes };

/// Calls `change`, which alters metadata of the node at `path`, of what is below it, or makes
/// groups above it, and keeps the consolidated metadata of the groups above true: before, a node
/// that goes is taken out of them; afterwards they are made what the store has, also where `change`
/// throws.
///
/// Threads and processes take turns, by the lock of each `.zmetadata` that there is. One that died
/// in its turn has left the path there, and the next one makes good what it left undone. Where the
/// store has no locks, and where something cannot be written, consolidated metadata are removed:
/// readers then find each file by itself.
void change_metadata(key_value_store& store, std::string_view path, old_node old,
                     const std::function<void()>& change);

/// Writes the metadata of the group at `path` and of all that is below it into its `.zmetadata`.
void write_consolidated(key_value_store& store, const std::string& path);

/// Calls `visit` with the path, from `root` on, of each node below the group `root`, at any depth,
/// and whether it is an array.
///
/// Throws: zarr_error <- there are more than a million.
void for_each_node_below(const key_value_store& store, const std::string& root,
                         const std::function<void(const std::string& path, bool is_array)>& visit);

/// Returns the key's greatest part that names a folder: "a/b" of "a/b/c", "" of "a".
[[nodiscard]] std::string_view folder_above(std::string_view path);

/// Makes groups of the folders above `path`.
void make_room(key_value_store& store, std::string_view path);

/// Writes the `.zgroup` of the node at `path` unless it is there.
void write_group(key_value_store& store, std::string_view path);

}  // namespace tessera::detail
