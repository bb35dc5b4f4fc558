// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What turns the bytes of a chunk into the bytes that are stored, and back.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tessera {

/// A codec with its configuration: bytes to bytes, without loss.
///
/// Thread safety: a codec never changes once it is made; every function may be called from any
/// number of threads at once.
///
/// Memory: a call allocates nothing beyond `workspace_size`, so a task that counts its two buffers
/// and this workspace knows its peak before it starts.
class byte_codec {
 public:
  byte_codec() = default;
  byte_codec(const byte_codec&) = delete;
  byte_codec& operator=(const byte_codec&) = delete;
  virtual ~byte_codec() = default;

  /// Returns the identifier under which Zarr metadata names this codec: "blosc", "zlib".
  [[nodiscard]] virtual std::string_view id() const = 0;

  /// Returns the configuration as the JSON object that stands in Zarr metadata.
  [[nodiscard]] virtual std::string to_json() const = 0;

  /// Returns the most bytes that the encoding of `decoded_size` bytes can have, whoever wrote it.
  ///
  /// Throws: codec_error <- the format cannot hold `decoded_size` bytes.
  [[nodiscard]] virtual std::size_t max_encoded_size(std::size_t decoded_size) const = 0;

  /// Returns the most bytes of memory that one `encode` or `decode` of `decoded_size` bytes takes
  /// besides its two arguments, stack included.
  [[nodiscard]] virtual std::size_t workspace_size(std::size_t decoded_size) const = 0;

  /// Encodes `in` into the front of `out` and returns the number of bytes written.
  ///
  /// Throws: codec_error <- `out` is smaller than `max_encoded_size(in.size())`, or the library
  /// fails.
  [[nodiscard]] virtual std::size_t encode(std::span<const std::byte> in,
                                           std::span<std::byte> out) const = 0;

  /// Decodes `in`, which need not be trusted, into `out`.
  ///
  /// Throws: codec_error <- `in` is no valid encoding or does not decode to exactly `out.size()`
  /// bytes; the contents of `out` are unspecified then.
  virtual void decode(std::span<const std::byte> in, std::span<std::byte> out) const = 0;
};

}  // namespace tessera
