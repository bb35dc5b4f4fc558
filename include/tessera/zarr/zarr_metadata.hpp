// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What the file `.zarray` says of an array: shape, chunks, dtype, codec, fill value, layout.

#include "tessera/codec/configuration.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace tessera {

/// One element as raw bytes in this machine's byte order; zero by default, whatever the dtype.
class element_bytes {
 public:
  element_bytes() = default;
  template <element T>
  element_bytes(T value) {
    std::memcpy(bytes_.data(), &value, sizeof value);
  }

  [[nodiscard]] const std::byte* data() const { return bytes_.data(); }
  [[nodiscard]] std::byte* data() { return bytes_.data(); }

  /// Returns the element, for the `T` that it was made from.
  template <element T>
  [[nodiscard]] T as() const {
    T value;
    std::memcpy(&value, bytes_.data(), sizeof value);
    return value;
  }

  /// Compares bit for bit: a NaN equals itself, 0.0 differs from -0.0.
  [[nodiscard]] bool operator==(const element_bytes&) const = default;

 private:
  std::array<std::byte, 16> bytes_{};
};

/// The metadata of a Zarr v2 array, as a value.
///
/// Source: the Zarr v2 specification, "Metadata"; zarr-python's reading of it where it is silent.
struct zarr_metadata {
  index_vector shape = {};
  /// The extents of a chunk, one per axis, each at least 1.
  index_vector chunks = {};
  tessera::dtype dtype = tessera::dtype::float64;
  codec::configuration compressor = {};
  /// What the elements of missing chunks are; nothing (null in JSON) is read as zero.
  std::optional<element_bytes> fill_value = element_bytes{};
  /// The layout of a chunk: 'C' (row-major) or 'F' (column-major).
  char order = 'C';
  /// What separates the indices in a chunk's key: '.' or '/'.
  char dimension_separator = '.';
  /// The byte order of what is stored. Arrays are created little-endian only.
  std::endian byte_order = std::endian::little;

  /// Returns the metadata that `json`, the contents of a `.zarray`, states.
  ///
  /// Throws: zarr_error <- not JSON, a member is missing, of a wrong type or out of range, or it
  /// asks for what is not supported; the message names the member.
  [[nodiscard]] static zarr_metadata parse(std::string_view json);

  /// Returns the contents of a `.zarray` that state this metadata.
  ///
  /// Throws: as `validate`.
  [[nodiscard]] std::string to_json() const;

  /// Throws zarr_error unless shape and chunks have one rank, extents are not negative, chunks are
  /// positive, and the sizes in bytes of the array and of a chunk are below 2^63.
  void validate() const;

  [[nodiscard]] bool operator==(const zarr_metadata&) const = default;
};

}  // namespace tessera
