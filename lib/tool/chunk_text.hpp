// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Chunks as people write them.

#include "tessera/core/index.hpp"

#include "tool/array_files.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tessera::tool {

/// The lengths of chunks that a user names, for arrays that have such axes.
class wanted_chunks {
 public:
  /// Throws: value_error <- `text` is neither "time=8760,latitude=72" nor "8760,72,144".
  explicit wanted_chunks(std::string_view text);

  /// Tells whether they are lengths by name, which may fit any array.
  [[nodiscard]] bool are_named() const { return !names_.empty(); }
  /// Returns the chunks of an array: what is not named stays.
  ///
  /// Throws: shape_error <- they are lengths by position of another rank.
  [[nodiscard]] index_vector of(const array_description& x) const;
  /// Throws value_error, which names it, where a name is that of no axis of `arrays`.
  void require_names(const std::vector<const array_description*>& arrays) const;

 private:
  /// Empty by position.
  std::vector<std::string> names_;
  /// 0: as long as the axis.
  std::vector<index_t> lengths_;
};

}  // namespace tessera::tool
