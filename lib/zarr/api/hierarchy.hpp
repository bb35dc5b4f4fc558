// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Common functions of arrays and groups: paths, files, the groups above.

#include "tessera/storage/attributes.hpp"
#include "tessera/store/key_value_store.hpp"

#include "zarr/api/node_format.hpp"

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

/// The text of a metadata file and the version of its value.
struct versioned_text {
  std::string text;
  value_version version;
};

/// Returns the text of a metadata file with its version, or nullopt if it is missing.
///
/// Throws: store_error <- it is larger than any metadata.
[[nodiscard]] std::optional<versioned_text> read_versioned_text(const key_value_store& store,
                                                                const std::string& key);
/// Writes a metadata file if its version is `expected`; returns false if it has another one.
[[nodiscard]] bool write_text_if(key_value_store& store, const std::string& key,
                                 std::string_view text, const value_version& expected);

/// The same, also in stores whose server turns out to ignore conditions. The version is checked
/// before the write there: a change between the two is lost.
[[nodiscard]] bool replace_text(key_value_store& store, const std::string& key,
                                std::string_view text, const value_version& expected);

/// Returns the attributes of the node at `path`; none if it has no document of them. A fault of the
/// document is reported when the attributes are used.
[[nodiscard]] attributes read_attributes(const key_value_store& store, std::string_view path);

/// Makes `values` the attributes of the node at `path`, which is of `format`.
void write_attributes(key_value_store& store, std::string_view path, const node_format& format,
                      const attributes& values);

/// Whether a change begins with the removal of the node at its path and of the nodes below.
enum class old_node : bool { stays, goes };

/// Calls `change`, which alters metadata of the node at `path` or of nodes below, or makes groups
/// above it, and keeps the consolidated metadata of the groups above true. Before the call, the
/// entries of a node that goes are removed. Afterwards the entries equal the documents of the
/// store, also if `change` throws.
///
/// Threads and processes take turns, by the lock of each document of consolidated metadata. A
/// process that died in its turn has left the path in the lock, and the next one updates the
/// entries. A store with conditions writes a document only if it is unchanged, with locks or
/// without. Consolidated metadata are removed if the store has neither, or if a write fails:
/// readers then find each file by itself.
void change_metadata(key_value_store& store, std::string_view path, old_node old,
                     const std::function<void()>& change);

/// Writes the documents of the group at `path` and of all nodes below into its consolidated
/// metadata.
void write_consolidated(key_value_store& store, const std::string& path);

/// Calls `visit` with the path, from `root` on, of each node below the group `root`, at any depth,
/// and whether it is an array. Visits nodes below folders that are no groups as well, as other
/// programs write them; folders of arrays are not searched.
///
/// Throws: zarr_error <- there are more than a million nodes and folders.
void for_each_node_below(const key_value_store& store, const std::string& root,
                         const std::function<void(const std::string& path, bool is_array)>& visit);

/// Returns the key's greatest part that names a folder: "a/b" of "a/b/c", "" of "a".
[[nodiscard]] std::string_view folder_above(std::string_view path);

/// Writes the documents of a group unless it is there, and its attributes if there are any.
void put_group(key_value_store& store, std::string_view path, const node_format& format,
               std::string_view values);

/// Makes groups of `format` of the folders above `path`.
void make_room(key_value_store& store, std::string_view path, const node_format& format);

}  // namespace tessera::detail
