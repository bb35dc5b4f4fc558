// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What the file `.zarray` says of an array: shape, chunks, dtype, codec, fill value, layout.

#include "tessera/codec/configuration.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"
#include "tessera/zarr/attributes.hpp"
#include "tessera/zarr/data_type.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// One element as raw bytes in this machine's byte order. Behind the bytes that it was made of come
/// zeros, as many as are asked for: the default is the zero of every data type.
class element_bytes {
 public:
  element_bytes() : bytes_(least_size) {}
  template <element T>
  element_bytes(T value) : bytes_(least_size) {
    std::memcpy(bytes_.data(), &value, sizeof value);
  }
  explicit element_bytes(std::span<const std::byte> bytes) : bytes_(bytes.begin(), bytes.end()) {
    reserve(least_size);
  }

  /// Makes sure that there are at least `size` bytes.
  void reserve(std::size_t size) { bytes_.resize(std::max(bytes_.size(), size)); }

  /// Returns the number of bytes that `data()` has: at least 16.
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
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
  [[nodiscard]] bool operator==(const element_bytes& other) const;

 private:
  static constexpr std::size_t least_size = 16;

  std::vector<std::byte> bytes_;
};

/// The metadata of a Zarr v2 array, as a value.
///
/// Source: the Zarr v2 specification, "Metadata"; zarr-python's reading of it where it is silent.
struct zarr_metadata {
  index_vector shape = {};
  /// The extents of a chunk, one per axis, each at least 1.
  index_vector chunks = {};
  data_type dtype = tessera::dtype::float64;
  /// What encodes a chunk, in order, before the compressor does.
  std::vector<codec::configuration> filters = {};
  codec::configuration compressor = {};
  /// What the elements of missing chunks are. Nothing (null in JSON): a missing chunk is an error
  /// unless filling is asked for, with zeros then.
  std::optional<element_bytes> fill_value = element_bytes{};
  /// The layout of a chunk: 'C' (row-major) or 'F' (column-major).
  char order = 'C';
  /// What separates the indices in a chunk's key: '.' or '/'.
  char dimension_separator = '.';
  /// Members that the specification does not have; they are written as they were read.
  attributes other_members = {};

  /// Returns the metadata that `json`, the contents of a `.zarray`, states.
  ///
  /// Throws: zarr_error <- not JSON, a member is missing, of a wrong type or out of range, or it
  /// asks for what is not supported; the message names the member.
  [[nodiscard]] static zarr_metadata parse(std::string_view json);

  /// Returns the contents of a `.zarray` that state this metadata.
  ///
  /// Throws: as `validate`.
  [[nodiscard]] std::string to_json() const;

  /// Returns filters and compressor as one codec; a null pointer if there are none.
  ///
  /// Throws: codec_error <- one of them does not fit the elements that it is given.
  [[nodiscard]] std::shared_ptr<const byte_codec> make_codec() const;

  /// Gives filters that leave their dtype open that of the elements that come to them.
  ///
  /// Throws: codec_error <- such a filter takes no elements of this dtype.
  void complete_filters();

  /// Throws zarr_error unless shape and chunks have one rank, extents are not negative, chunks are
  /// positive, the array and a chunk have at most 2^63 - 1 elements and bytes, and `other_members`
  /// has no name that the specification has.
  void validate() const;

  [[nodiscard]] bool operator==(const zarr_metadata&) const = default;
};

}  // namespace tessera
