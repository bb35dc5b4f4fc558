// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The mark of an unfinished copy. It describes arrays with chunks but without metadata.

#include "zarr/api/array_files.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

/// The name of the file with the mark, in the folder that a copy writes.
inline constexpr std::string_view copy_mark_name = ".tessera-run-copy";

/// The grid of the chunks of a copied array. Its metadata may be missing yet.
struct marked_array {
  /// Relative to the root of the copy.
  std::string path;
  /// The name of the last chunk in row-major order. It has the number of chunks along each axis,
  /// the separator and the prefix.
  std::string last_chunk;

  /// Returns the names of the chunks.
  [[nodiscard]] chunk_names names() const;
};

/// The content of the mark.
///
/// Format: a line with the identity of the source, after "clearing " while old nodes are removed;
/// then a line for each array, `<name of the last chunk> <path>`.
struct copy_mark {
  /// Set while nothing has been written: old nodes may be there.
  bool is_clearing = false;
  std::string identity;
  /// Arrays with chunks, perhaps without metadata yet.
  std::vector<marked_array> arrays;

  [[nodiscard]] static copy_mark parse(std::string_view text);
  /// Returns the mark of a copy to the folder `root`, or nullopt if there is none.
  [[nodiscard]] static std::optional<copy_mark> read(const key_value_store& store,
                                                     const std::string& root);
  [[nodiscard]] std::string text() const;
  /// Returns the array at `path` or above it.
  [[nodiscard]] std::optional<marked_array> array_around(std::string_view path) const;
};

}  // namespace tessera::detail
