// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A Zarr v2 group in a store: a folder of arrays and groups.

#include "tessera/store/key_value_store.hpp"
#include "tessera/zarr/attributes.hpp"
#include "tessera/zarr/zarr_array.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// A handle on a group in a store.
///
/// Thread safety: as `zarr_array`; its attributes are those that it had when it was opened.
class zarr_group {
 public:
  /// Opens the group at `path` in `store`; "" is the store itself.
  ///
  /// Throws: zarr_error <- no group is there, or its metadata is malformed.
  [[nodiscard]] static zarr_group open(std::shared_ptr<key_value_store> store,
                                       std::string_view path);

  /// Opens the group in the directory `path`, in a store that is found as for an array.
  [[nodiscard]] static zarr_group open(const std::string& path);

  /// Opens the group at `path` in `store`, or creates it and the groups that lead to it. Attributes
  /// that are not empty take the place of those that it had.
  ///
  /// Throws: zarr_error <- an array is at `path`.
  [[nodiscard]] static zarr_group create(std::shared_ptr<key_value_store> store,
                                         std::string_view path,
                                         const tessera::attributes& attributes = {});

  /// Opens or creates the group in the directory `path`, in a store that is found as for an array.
  [[nodiscard]] static zarr_group create(const std::string& path,
                                         const tessera::attributes& attributes = {});

  [[nodiscard]] const tessera::attributes& attributes() const { return attributes_; }
  [[nodiscard]] const std::shared_ptr<key_value_store>& store() const { return store_; }
  /// Returns the path of the group in its store.
  [[nodiscard]] const std::string& path() const { return path_; }

  /// Returns the names of the arrays directly in this group, sorted.
  [[nodiscard]] std::vector<std::string> arrays() const;
  /// Returns the names of the groups directly in this group, sorted.
  [[nodiscard]] std::vector<std::string> groups() const;

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

}  // namespace tessera
