// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The location of a copy: first checked as a whole, then cleared, then marked until the copy ends.

#include "tessera/core/array_sink.hpp"
#include "tessera/store/key_value_store.hpp"

#include "tool/copy_source.hpp"
#include "tool/node_tree.hpp"
#include "zarr/api/copy_mark.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::tool {

/// A stopped copy leaves its mark, the file `.tessera-run-copy` (`detail::copy_mark`). A copy of
/// the same identity is continued; any other copy is refused. Until the mark says that the location
/// is clear, nothing is written, and the copy begins anew.
///
/// A replaced array loses its documents and the chunks of its grid, as described by its metadata or
/// the mark. All other files stay, whatever their names. A copy with chunks of such a name is
/// refused.
///
/// An array with metadata is whole, or a note in it tells this library that it is unfinished:
/// chunks are removed before metadata and written before them, except by a plan, which creates the
/// metadata of an array that it encodes first.
class copy_target {
 public:
  explicit copy_target(const std::string& path);

  [[nodiscard]] const std::shared_ptr<key_value_store>& store() const { return store_; }
  [[nodiscard]] std::string key(const std::string& path, std::string_view name) const;
  /// Tells whether a copy of the same source was stopped here.
  [[nodiscard]] bool is_continued() const { return is_continued_; }

  /// Reads the nodes at the target, and changes nothing.
  ///
  /// Throws: zarr_error <- the copy would replace a node and `replaces` is false, or a file or an
  /// array is in the way. value_error <- source and target overlap. shape_error <- xarray could not
  /// open the copy beside the arrays of its group.
  void check(const copy_source& source, const std::string& identity, bool replaces);

  /// Claims the location, checks it again, removes its arrays and groups unless a copy is
  /// continued, and writes the mark. Files that are no part of a Zarr store stay. Other processes
  /// write to no array in the location until this object goes.
  ///
  /// Throws: as `check`.
  void begin(const copy_source& source, const std::string& identity, bool replaces);

  /// Returns the destination of an array that a plan encodes, without its attributes. Requires:
  /// `array.encoded_as` is set.
  [[nodiscard]] std::shared_ptr<const array_destination> destination_of(
      const source_array& array) const;

  /// Returns the names of the files to keep.
  [[nodiscard]] const std::vector<std::string>& stray_files() const { return stray_files_; }

  /// Throws: zarr_error <- the folder of an array was removed while it was written.
  void confirm() const;

  /// Writes the consolidated metadata of the groups whose sources have some.
  void consolidate_groups(const copy_source& source) const;

  /// Removes the notes and the mark.
  void finish(const copy_source& source);

 private:
  void check_apart(const copy_source& source) const;
  void check_folder() const;
  void check_dimensions(const source_array& array) const;
  void read_mark(const std::string& identity);
  void write_mark(const detail::copy_mark& mark);
  [[nodiscard]] std::optional<detail::marked_array> marked_at(const std::string& path) const;
  [[nodiscard]] bool has_array(const std::string& path) const;
  /// Finds the files to keep in groups and arrays.
  void find_stray();
  /// Keeps the files in the folder of an array except its documents and the chunks of its grid; all
  /// but documents if the grid is unknown.
  void keep_files_of(const std::string& array_path,
                     const std::optional<detail::chunk_names>& names);
  /// Finds the files to keep in folders without metadata.
  void keep_chunk_names();
  /// Throws zarr_error if a reader would take existing files for chunks of an array of the copy.
  void refuse_chunk_names(const copy_source& source) const;
  /// Throws zarr_error if a plan could not create its arrays.
  void check_encoded(const copy_source& source) const;
  void refuse_taken() const;
  void refuse_other_writers(const copy_source& source);
  void clear(const std::string& path);
  void clear_all(const std::string& identity);
  void clear_chunks(const std::string& path);
  void note_unfinished(const copy_source& source);

  std::shared_ptr<key_value_store> store_;
  std::string root_;
  node_tree tree_;
  std::vector<std::string> stray_files_;
  std::optional<detail::copy_mark> mark_;
  /// Files and folders to keep in the folders of arrays.
  std::vector<std::string> kept_in_arrays_;
  /// The claim of the root; not set if a plan writes the root and claims it.
  std::unique_ptr<const array_claim> claim_;
  bool is_continued_ = false;
  /// Whether a copy of the same source was stopped while it removed the old nodes.
  bool is_half_cleared_ = false;
};

}  // namespace tessera::tool
