// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Policies for chunks that are not stored or need not be.

#include <cstdint>
#include <optional>

namespace tessera {

/// The meaning of a chunk that is not stored.
enum class missing_chunks : std::uint8_t {
  automatic,  ///< `fill` if the array states a fill value, `error` if it is null
  fill,       ///< full of the fill value, or of zeros if it is null
  error,      ///< an error: zarr_error with its key
};

/// The treatment of a written chunk whose elements are all the fill value, bit for bit.
enum class empty_chunks : std::uint8_t {
  write,  ///< store it as any other
  omit,   ///< leave it out, and remove the stored chunk
};

/// The treatment of chunks that are not stored, or need not be, by a `zarr_array`.
struct chunk_policy {
  missing_chunks missing = missing_chunks::automatic;
  /// Without a fill value (null in the metadata) no chunk is empty.
  empty_chunks empty = empty_chunks::write;
  /// The character between the indices in a chunk's key, '.' or '/', if the metadata do not tell
  /// the truth: old stores with nested folders do not mention it.
  std::optional<char> separator = {};

  [[nodiscard]] bool operator==(const chunk_policy&) const = default;
};

}  // namespace tessera
