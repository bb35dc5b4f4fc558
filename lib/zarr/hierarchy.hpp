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

/// Returns the attributes of the node at `path`; none if it has no `.zattrs`.
[[nodiscard]] attributes read_attributes(const key_value_store& store, std::string_view path);

/// Makes `values` the attributes of the node at `path`.
void write_attributes(key_value_store& store, std::string_view path, const attributes& values);

/// Calls `change`, which alters metadata of the node at `path`, of what is below it, or makes
/// groups above it, and keeps the consolidated metadata of the groups above true: they are removed
/// before, and written anew afterwards, unless that fails.
///
/// Threads of one process take turns. Processes do not: one that consolidates while another one
/// creates arrays may miss them.
void change_metadata(key_value_store& store, std::string_view path,
                     const std::function<void()>& change);

/// Returns the key's greatest part that names a folder: "a/b" of "a/b/c", "" of "a".
[[nodiscard]] std::string_view folder_above(std::string_view path);

/// Makes groups of the folders above `path`.
///
/// Throws: zarr_error <- an array is above `path`.
void make_room(key_value_store& store, std::string_view path);

/// Writes the `.zgroup` of the node at `path` unless it is there.
void write_group(key_value_store& store, std::string_view path);

}  // namespace tessera::detail
