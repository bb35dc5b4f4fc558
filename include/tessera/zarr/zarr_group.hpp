// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A Zarr v2 group in a store: a folder of arrays and groups.

#include "tessera/storage/attributes.hpp"
#include "tessera/store/key_value_store.hpp"
#include "tessera/zarr/zarr_array.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Whether a group that is opened knows its members from the file `.zmetadata`, if there is one.
enum class consolidated : bool {
  ignore,
  use,  ///< members are opened and listed without looking for them in the store
};

/// An array or a group below a group.
struct zarr_member {
  /// The path from the group: "monthly/u".
  std::string path;
  bool is_array = false;
  [[nodiscard]] bool operator==(const zarr_member&) const = default;
};

/// A handle on a group in a store.
///
/// Consolidated metadata that are there stay true: creating and removing arrays and groups below,
/// by any handle of this library and any process, changes them as well: under a lock, in one
/// replacement. On a file system without locks they are removed instead, and `consolidate` makes
/// them anew.
///
/// Thread safety: as `zarr_array`; its attributes are those that it had when it was opened.
class zarr_group {
 public:
  /// Opens the group at `path` in `store`; "" is the store itself.
  ///
  /// Throws: zarr_error <- no group is there, or its metadata is malformed.
  [[nodiscard]] static zarr_group open(std::shared_ptr<key_value_store> store,
                                       std::string_view path, consolidated use = consolidated::use);

  /// Opens the group at `path`, in a store that is found as for an array.
  [[nodiscard]] static zarr_group open(const std::string& path,
                                       consolidated use = consolidated::use);

  /// Opens the group at `path` in `store`, or creates it and the groups that lead to it. Attributes
  /// that are not empty replace its attributes. `format` is the version of the format;
  /// omitted: the version of the group above, or 2.
  ///
  /// Throws: zarr_error <- an array is at `path`. value_error <- the group at or above `path` is of
  /// another version.
  [[nodiscard]] static zarr_group create(std::shared_ptr<key_value_store> store,
                                         std::string_view path,
                                         const tessera::attributes& attributes = {},
                                         std::optional<int> format = std::nullopt);

  /// Opens or creates the group at `path`, in a store that is found as for an array.
  [[nodiscard]] static zarr_group create(const std::string& path,
                                         const tessera::attributes& attributes = {},
                                         std::optional<int> format = std::nullopt);

  [[nodiscard]] const tessera::attributes& attributes() const { return attributes_; }
  [[nodiscard]] const std::shared_ptr<key_value_store>& store() const { return store_; }
  /// Returns the path of the group in its store.
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Returns the names of the arrays directly in this group, sorted.
  [[nodiscard]] std::vector<std::string> arrays() const;
  /// Returns the names of the groups directly in this group, sorted.
  [[nodiscard]] std::vector<std::string> groups() const;

  /// Returns the arrays and the groups below this group, at any depth, sorted by path.
  ///
  /// Throws: zarr_error <- there are more than a million.
  [[nodiscard]] std::vector<zarr_member> members() const;

  /// Tells whether the group knows its members from consolidated metadata.
  [[nodiscard]] bool is_consolidated() const;

  /// Removes the array or the group `name` of this group, and all that is below it.
  ///
  /// Throws: zarr_error <- there is none.
  void erase(std::string_view name) const;

  /// Opens the array `name` of this group.
  [[nodiscard]] zarr_array array(std::string_view name) const;
  /// Opens the group `name` of this group.
  [[nodiscard]] zarr_group group(std::string_view name) const;

 private:
  zarr_group(std::shared_ptr<key_value_store> store, std::string path,
             tessera::attributes attributes);

  std::shared_ptr<key_value_store> store_;
  std::string path_;
  tessera::attributes attributes_;
};

/// Writes the metadata of `group` and of all that is below it into its `.zmetadata`, from which
/// xarray and others open it by one request.
///
/// Throws: zarr_error <- a metadata file below is malformed.
void consolidate(const zarr_group& group);

}  // namespace tessera
