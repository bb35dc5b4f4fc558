// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What is done about chunks that are not stored or need not be.

#include <cstdint>
#include <optional>

namespace tessera {

/// What a chunk that is not stored is to a reader.
enum class missing_chunks : std::uint8_t {
  automatic,  ///< `fill` where the array states a fill value, `error` where that is null
  fill,       ///< full of the fill value, or of zeros where that is null
  error,      ///< an error: zarr_error with its key
};

/// What a writer does with a chunk of which every element is the fill value, bit for bit.
enum class empty_chunks : std::uint8_t {
  write,  ///< store it as any other
  omit,   ///< leave it out, and remove what was stored there
};

/// How a `zarr_array` treats chunks that are not stored or need not be.
struct chunk_policy {
  missing_chunks missing = missing_chunks::automatic;
  /// Without a fill value (null in the metadata) no chunk is empty.
  empty_chunks empty = empty_chunks::write;
  /// What separates the indices in a chunk's key, '.' or '/', where the metadata do not tell the
  /// truth: old stores with nested folders do not mention it.
  std::optional<char> separator = {};

  [[nodiscard]] bool operator==(const chunk_policy&) const = default;
};

}  // namespace tessera
