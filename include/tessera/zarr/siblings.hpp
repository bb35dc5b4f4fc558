// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The arrays beside another one in its group, and what their dimensions are called.

#include "tessera/core/index.hpp"
#include "tessera/store/key_value_store.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

/// An array of a group.
struct named_array {
  std::string path;
  index_vector shape;
  /// The names of its dimensions; none, or one for each axis.
  std::vector<std::string> names;
};

/// The most arrays of a group that are looked at.
inline constexpr std::size_t most_named_arrays = 1000;

/// Returns what the array at `path` calls its dimensions; nothing where there is no array, or one
/// that cannot be read: somebody may be replacing it.
[[nodiscard]] std::optional<named_array> read_named_array(const key_value_store& store,
                                                          const std::string& path);

/// Returns the arrays directly in `group` that can be read, at least those that call a dimension by
/// one of `names`; from consolidated metadata of the group or of one above it where there are some:
/// those may be old.
///
/// Complexity: one file, or two for each array, of at most `most_named_arrays`. What has none of
/// the names in its text is not parsed.
[[nodiscard]] std::vector<named_array> named_arrays_in(const key_value_store& store,
                                                       const std::string& group,
                                                       const std::vector<std::string>& names);

}  // namespace tessera::detail
