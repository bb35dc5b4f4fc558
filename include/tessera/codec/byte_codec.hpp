// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The interface of codecs: they encode the bytes of a chunk for storage, and decode them.

#include "tessera/codec/codec_elements.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tessera {

/// A codec with its configuration: bytes to bytes. Compressors lose nothing; some filters do.
///
/// Thread safety: a codec never changes once it is made; every function may be called from any
/// number of threads at once.
///
/// Memory: a call allocates nothing beyond `workspace_size`, so a task that counts its two buffers
/// and this workspace knows its peak before it starts. Both sizes grow with `decoded_size`.
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

  /// Returns the most bytes of memory that one `encode`, or one `decode` into a buffer of
  /// `decoded_size` bytes, takes besides its two arguments, stack included.
  [[nodiscard]] virtual std::size_t workspace_size(std::size_t decoded_size) const = 0;

  /// Returns the type of an encoding's elements, for the codec that encodes it further.
  [[nodiscard]] virtual codec_elements encoded_elements() const { return {}; }

  /// Encodes `in` into the front of `out` and returns the number of bytes written.
  ///
  /// Throws: codec_error <- `out` is smaller than `max_encoded_size(in.size())`, `in` has a size
  /// that the codec cannot encode, or the library fails.
  [[nodiscard]] virtual std::size_t encode(std::span<const std::byte> in,
                                           std::span<std::byte> out) const = 0;

  /// Decodes `in`, which need not be trusted, into the front of `out` and returns the number of
  /// bytes written.
  ///
  /// Throws: codec_error <- `in` is no valid encoding or decodes to more than `out.size()` bytes;
  /// the contents of `out` are unspecified then.
  [[nodiscard]] virtual std::size_t decode_at_most(std::span<const std::byte> in,
                                                   std::span<std::byte> out) const = 0;

  /// Decodes `in`, which need not be trusted, into all of `out`.
  ///
  /// Throws: codec_error <- as `decode_at_most`, or `in` decodes to less than `out.size()` bytes.
  void decode(std::span<const std::byte> in, std::span<std::byte> out) const;

  /// Decodes the bytes from `first_byte` on, of `in` that decodes to `decoded_size` bytes, into all
  /// of `out`. Returns false, and does nothing, if `decode` of everything costs no more.
  ///
  /// It pays if `in` consists of blocks that are decoded apart (blosc) and `out` needs less than
  /// all of them. Each call decodes every block that it touches. So one call for the range from the
  /// first to the last byte of a region is better than a call for each of its rows.
  /// Memory: as `decode` of all.
  ///
  /// Throws: codec_error <- `in` is no valid encoding of `decoded_size` bytes as far as it is
  /// looked at, or the range leaves them.
  [[nodiscard]] virtual bool decode_range(std::span<const std::byte> in, std::size_t decoded_size,
                                          std::size_t first_byte, std::span<std::byte> out) const;
};

}  // namespace tessera
