// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The place that a copy goes to: checked whole, then cleared, then marked until the copy ends.

#include "tessera/core/array_sink.hpp"
#include "tessera/store/key_value_store.hpp"

#include "tool/copy_source.hpp"
#include "tool/node_tree.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::tool {

/// A copy that was stopped has left its mark, the file `.tessera-run-copy`, which holds the
/// identity of its source: the same copy goes on, and another one is refused.
class copy_target {
 public:
  explicit copy_target(const std::string& path);

  [[nodiscard]] const std::shared_ptr<key_value_store>& store() const { return store_; }
  [[nodiscard]] std::string key(const std::string& path, std::string_view name) const;
  /// Tells whether a copy of the same source was stopped here.
  [[nodiscard]] bool is_continued() const { return is_continued_; }

  /// Reads what is there, and changes nothing.
  ///
  /// Throws: zarr_error <- the copy would take the place of something and `replaces` is false, or a
  /// file or an array is in the way. value_error <- source and target overlap. shape_error <-
  /// xarray could not open the copy beside the arrays of its group.
  void check(const copy_source& source, const std::string& identity, bool replaces);

  /// Claims the place, checks it again, removes the arrays and groups that are
  /// there, unless a copy goes on, and writes the mark. Files that no Zarr writer made stay.
  ///
  /// Throws: as `check`.
  void begin(const copy_source& source, const std::string& identity, bool replaces);

  /// Returns the names of files that are there and stay.
  [[nodiscard]] const std::vector<std::string>& stray_files() const { return stray_files_; }

  /// Throws: zarr_error <- the folder of an array was removed while it was written.
  void confirm() const;

  /// Removes the mark.
  void finish();

 private:
  void check_apart(const copy_source& source) const;
  void check_folder() const;
  void check_dimensions(const source_array& array) const;
  void find_stray();
  /// Throws zarr_error where a plan could not create its arrays.
  void check_encoded(const copy_source& source) const;
  void refuse_taken() const;
  void clear(const std::string& path);

  std::shared_ptr<key_value_store> store_;
  std::string root_;
  node_tree tree_;
  std::vector<std::string> stray_files_;
  /// Of the root, unless a plan writes it, which claims it then.
  std::unique_ptr<const array_claim> claim_;
  bool is_continued_ = false;
};

}  // namespace tessera::tool
