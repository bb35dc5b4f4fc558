// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The mark of an unfinished copy. It describes arrays with chunks but without metadata.

#include "tool/array_files.hpp"
#include "tool/copy_source.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::tool {

/// The grid of the chunks of a copied array. Its metadata may be missing yet.
struct marked_array {
  /// Relative to the root of the copy.
  std::string path;
  /// The name of the last chunk in row-major order. It has the number of chunks along each axis,
  /// the separator and the prefix.
  std::string last_chunk;

  /// Returns a description with this grid; the chunks have no extents.
  [[nodiscard]] array_description description() const;
};

/// The content of the file `.tessera-run-copy`.
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
  [[nodiscard]] std::string text() const;
  /// Returns the array at `path` or above it.
  [[nodiscard]] std::optional<marked_array> array_around(std::string_view path) const;
};

/// Returns the arrays of `source` to copy byte for byte: chunks come before metadata.
[[nodiscard]] std::vector<marked_array> marked_arrays(const copy_source& source);

}  // namespace tessera::tool
