// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The text form of chunks in options.

#include "tessera/core/index.hpp"

#include "tool/array_files.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tessera::tool {

/// The lengths of chunks or shards of an option, by axis name or by position.
class wanted_chunks {
 public:
  /// `option` is the name of the option for messages.
  ///
  /// Throws: value_error <- `text` is neither "time=8760,latitude=72" nor "8760,72,144".
  wanted_chunks(std::string option, std::string_view text);

  /// Tells whether the lengths are by name, and so may fit any array.
  [[nodiscard]] bool are_named() const { return !names_.empty(); }
  /// Returns the chunks of an array; axes without a length keep theirs.
  ///
  /// Throws: shape_error <- the lengths are by position, and of another rank.
  [[nodiscard]] index_vector of(const array_description& x) const;
  /// Returns the shards of an array of `chunks`; axes without a length keep the one of `shards`, or
  /// of `chunks` if there are none. A whole axis is rounded up to whole chunks.
  ///
  /// Throws: shape_error <- as `of`.
  [[nodiscard]] index_vector shards_of(const array_description& x, const index_vector& chunks,
                                       const index_vector& shards) const;
  /// Throws value_error for the first name that is no axis of `arrays`.
  void require_names(const std::vector<const array_description*>& arrays) const;

 private:
  /// Replaces the lengths of axes that the option names; 0 stands for a whole axis.
  void set_lengths(const array_description& x, index_vector& lengths) const;

  std::string option_;
  /// Empty if the lengths are by position.
  std::vector<std::string> names_;
  /// 0 means the length of the axis.
  std::vector<index_t> lengths_;
};

}  // namespace tessera::tool
