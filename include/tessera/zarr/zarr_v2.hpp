// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The encoding of an array in Zarr v2: the options of a new array that other formats spell
/// otherwise.

#include "tessera/codec/configuration.hpp"
#include "tessera/zarr/zarr_metadata.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// The encoding of chunks and of their keys in Zarr v2.
struct zarr_v2 {
  /// The codecs that encode a chunk, in order, before the compressor.
  std::vector<codec::configuration> filters = {};
  codec::configuration compressor = {};
  /// The layout of a chunk: 'C' (row-major) or 'F' (column-major).
  char order = 'C';
  /// The character between the indices in a chunk's key: '.' or '/'.
  char separator = '.';

  /// Returns the encoding of an array.
  [[nodiscard]] static zarr_v2 of(const zarr_metadata& metadata);
  /// Gives the encoding to the metadata of an array.
  void apply(zarr_metadata& metadata) const;

  [[nodiscard]] bool operator==(const zarr_v2&) const = default;
};

namespace detail {

/// An option that an array contradicts.
struct option_conflict {
  std::string_view option;
  /// The value of the array, for messages.
  std::string stored;
};

/// Returns the first option that differs from the default and from the array of `metadata`, or
/// nullopt if there is none.
[[nodiscard]] std::optional<option_conflict> find_conflict(const zarr_v2& options,
                                                           const zarr_metadata& metadata);

}  // namespace detail
}  // namespace tessera
