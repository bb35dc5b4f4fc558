// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Where arrays and groups are, and whether an array can be made there.

#include "tessera/store/key_value_store.hpp"
#include "tessera/zarr/zarr_array.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tessera::detail {

/// Where a node is: equal for all ways to name one place, through links as well.
struct node_place {
  /// The store; null where others find it, whose recipe then begins `path`: the path of a
  /// directory, "scheme://place" of another.
  const key_value_store* store = nullptr;
  std::string path;

  [[nodiscard]] bool operator==(const node_place&) const = default;
};

/// Returns where the node at `path` in `store` is, or would be.
///
/// Throws: zarr_error <- as `normalised_path`.
[[nodiscard]] node_place place_of(const std::shared_ptr<key_value_store>& store,
                                  std::string_view path);

/// Returns the absolute path of the directory that a store is in; nothing where it is in none.
[[nodiscard]] std::optional<std::string> directory_of(const key_value_store& store);

/// Returns the place that the directory `path` is.
[[nodiscard]] node_place place_of_directory(const std::string& path);

/// Tells whether `inner` is below `outer`.
[[nodiscard]] bool lies_below(const node_place& inner, const node_place& outer);

/// Returns what people call the node at `path` in `store`.
[[nodiscard]] std::string name_of_node(const key_value_store& store, std::string_view path);

/// Tells whether the folder `path` has the mark of a run or a copy that did not end. Its files are
/// those of an array then.
[[nodiscard]] bool has_mark(const key_value_store& store, const std::string& path);

/// Throws zarr_error if no array can be created at `path`: a group is there, or a folder that is no
/// array and holds nodes or files, or an array is above it, in this store or in the folders that
/// hold it.
void require_room(const std::shared_ptr<key_value_store>& store, std::string_view path);

/// Throws zarr_error where an array is above `path`, in this store or in the folders that hold it.
void require_no_array_above(const std::shared_ptr<key_value_store>& store, const std::string& path);

/// Throws zarr_error where an array is at `path` and `policy` keeps it.
void require_replaceable(const key_value_store& store, std::string_view path, existing policy);

}  // namespace tessera::detail
