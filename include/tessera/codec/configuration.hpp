// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How a user says which codecs the chunks of an array go through.

#include "tessera/codec/byte_codec.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace tessera::codec {

/// No compression: chunks are stored as they are in memory.
struct none {};

/// How Blosc reorders bytes before it compresses; the values are those of Zarr metadata.
enum shuffle_mode : int {
  auto_shuffle = -1,  ///< `bit_shuffle` for elements of one byte, else `byte_shuffle`
  no_shuffle = 0,
  byte_shuffle = 1,
  bit_shuffle = 2,
};

/// Blosc, the meta-compressor; the names and defaults are those of numcodecs.
struct blosc {
  std::string cname = "lz4";  ///< "blosclz", "lz4", "lz4hc", "snappy", "zlib" or "zstd"
  int clevel = 5;             ///< 0 (copy) to 9 (smallest)
  shuffle_mode shuffle = byte_shuffle;
  std::size_t blocksize = 0;  ///< in bytes; 0 lets Blosc choose
};

/// Deflate in the zlib format of RFC 1950.
struct zlib {
  int level = 1;  ///< -1 (the library's default), 0 (stored) to 9 (smallest)
};

/// Deflate in the gzip format of RFC 1952.
struct gzip {
  int level = 1;  ///< -1 (the library's default), 0 (stored) to 9 (smallest)
};

/// Zstandard.
struct zstd {
  int level = 0;  ///< -131072 (fastest) to 22 (smallest); 0 is the library's default
  bool checksum = false;
};

/// The choice of one codec with its options, as a value: one of the structs above, or what metadata
/// says. Filters and compressors are chosen alike.
///
/// Implicit from each option struct, so that `.compressor = ts::codec::zlib{.level = 6}` works.
/// The default is what zarr-python writes: Blosc, lz4, level 5, byte shuffle.
class configuration {
 public:
  configuration();
  configuration(none);
  /// Throws: codec_error <- an option is out of range or `cname` is not in this build of Blosc.
  configuration(const blosc& options);
  /// Throws: codec_error <- the level is not in [-1, 9].
  configuration(const zlib& options);
  /// Throws: codec_error <- the level is not in [-1, 9].
  configuration(const gzip& options);
  /// Throws: codec_error <- the level is below -131072; one above 22 stands for 22.
  configuration(const zstd& options);

  /// Returns the choice that `text` states: the member "compressor" of Zarr metadata, or one of
  /// its "filters".
  ///
  /// Throws: codec_error <- `text` is not JSON, or `make_codec` refuses it.
  [[nodiscard]] static configuration from_json(std::string_view text);

  /// Returns what stands in Zarr metadata: an object with its "id", or `null`.
  [[nodiscard]] const std::string& to_json() const { return text_; }

  [[nodiscard]] bool is_none() const { return text_ == "null"; }

  /// Returns the codec for `elements`; a null pointer if `is_none()`.
  [[nodiscard]] std::shared_ptr<const byte_codec> make(codec_elements elements) const;

  [[nodiscard]] bool operator==(const configuration&) const = default;

 private:
  std::string text_;
};

}  // namespace tessera::codec
