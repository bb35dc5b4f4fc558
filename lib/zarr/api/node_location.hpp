// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The locations of arrays and groups, and checks before an array is created.

#include "tessera/store/key_value_store.hpp"
#include "tessera/zarr/zarr_array.hpp"

#include "zarr/api/node_format.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::detail {

/// The location of a node: equal for all names of one node, through links as well.
struct node_location {
  /// The store; null for a store with a recipe, which `path` then begins with: the path of a
  /// directory, "scheme://place" of another.
  const key_value_store* store = nullptr;
  std::string path;

  [[nodiscard]] bool operator==(const node_location&) const = default;
};

/// Returns the location of the node at `path` in `store`, which need not exist.
///
/// Throws: zarr_error <- as `normalised_path`.
[[nodiscard]] node_location location_of_node(const std::shared_ptr<key_value_store>& store,
                                             std::string_view path);

/// Returns the options of the store's recipe that decide on the values that are read. They are ""
/// for a store without a recipe, and for a directory: its options decide on writes alone.
[[nodiscard]] std::string options_of_values(const key_value_store& store);

/// Returns the absolute path of a store in a directory, or nullopt for other stores.
[[nodiscard]] std::optional<std::string> directory_of(const key_value_store& store);

/// Returns the location of the directory `path`.
[[nodiscard]] node_location location_of_directory(const std::string& path);

/// Tells whether `inner` is below `outer`.
[[nodiscard]] bool lies_below(const node_location& inner, const node_location& outer);

/// Returns the name of the node at `path` in `store`, for people.
[[nodiscard]] std::string name_of_node(const key_value_store& store, std::string_view path);

/// Tells whether the folder `path` has the mark of a run or a copy that did not end. Its files are
/// those of an array then.
[[nodiscard]] bool has_mark(const key_value_store& store, const std::string& path);

/// Throws zarr_error if no array of `format` can be created at `path`. There may be a group, a
/// folder that is no array and holds nodes or files, or an array above: in this store or in the
/// folders that hold it. Throws value_error if the group above is of another format.
void require_room(const std::shared_ptr<key_value_store>& store, std::string_view path,
                  const node_format& format);

/// Throws zarr_error if an array is above `path`, in this store or in the folders that hold it.
void require_no_array_above(const std::shared_ptr<key_value_store>& store, const std::string& path);

/// Throws zarr_error if an array is at `path` and `policy` keeps it.
void require_replaceable(const key_value_store& store, std::string_view path, existing policy);

}  // namespace tessera::detail
