// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The members "chunk_grid" and "chunk_key_encoding" of `zarr.json`.

#include "tessera/core/index.hpp"

#include <nlohmann/json.hpp>
#include <string>

namespace tessera::detail::v3 {

/// The encoding of the key of a chunk by its indices.
struct key_encoding {
  /// "c/0/1" or "c.0.1", as the specification's default; false: "0.1", as version 2.
  bool has_prefix = true;
  char separator = '/';

  [[nodiscard]] bool operator==(const key_encoding&) const = default;
};

/// Returns the key of a chunk, relative to the array: "c/0/1". A scalar has "c", or "0" without
/// prefix.
[[nodiscard]] std::string chunk_key(const key_encoding& encoding, const index_vector& chunk);

/// Returns the key encoding of the JSON `value`.
///
/// Throws: zarr_error <- it is malformed, or neither "default" nor "v2".
[[nodiscard]] key_encoding parse_key_encoding(const nlohmann::json& value, const std::string& path);

[[nodiscard]] std::string format_key_encoding(const key_encoding& encoding);

/// Returns the extents of a chunk of the grid `value`, for an array of `shape`. A rectilinear grid
/// whose edges are equal is regular.
///
/// Throws: zarr_error <- it is malformed, of another rank, or its chunks have several extents.
[[nodiscard]] index_vector parse_chunk_grid(const nlohmann::json& value, const std::string& path,
                                            const index_vector& shape);

[[nodiscard]] std::string format_chunk_grid(const index_vector& chunks);

}  // namespace tessera::detail::v3
