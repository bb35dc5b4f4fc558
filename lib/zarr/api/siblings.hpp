// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The arrays of a group and the names of their dimensions.

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

/// Returns the array at `path` with the names of its dimensions, or nullopt if there is no array or
/// it cannot be read: another process may replace it now.
[[nodiscard]] std::optional<named_array> read_named_array(const key_value_store& store,
                                                          const std::string& path);

/// Returns the arrays directly in `group` that can be read, at least those that call a dimension by
/// one of `names`. They come from consolidated metadata of the group or of a group above, if there
/// are any: they may be old. A store with neither consolidated metadata nor lists is asked for the
/// arrays called by one of `names`.
///
/// Complexity: one file, or two for each array, of at most `most_named_arrays`. Texts without any
/// of the names are not parsed.
[[nodiscard]] std::vector<named_array> named_arrays_in(const key_value_store& store,
                                                       const std::string& group,
                                                       const std::vector<std::string>& names);

}  // namespace tessera::detail
