// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The options of each codec; names and defaults are those of numcodecs.
///
/// Each has `known`, by which the registry finds its codec, and `chosen`, which returns it as a
/// configuration; it also converts to one. Both are defined beside the codec.

#include "tessera/codec/registry.hpp"
#include "tessera/core/dtype.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera::codec {

class configuration;

/// No codec: bytes stay as they are.
struct none {};

/// The order of bytes that Blosc compresses; the values are those of Zarr metadata.
enum shuffle_mode : int {
  auto_shuffle = -1,  ///< `bit_shuffle` for elements of one byte, else `byte_shuffle`
  no_shuffle = 0,
  byte_shuffle = 1,
  bit_shuffle = 2,
};

/// Blosc, the meta-compressor.
struct blosc {
  std::string cname = "lz4";  ///< "blosclz", "lz4", "lz4hc", "snappy", "zlib" or "zstd"
  int clevel = 5;             ///< 0 (copy) to 9 (smallest)
  shuffle_mode shuffle = byte_shuffle;
  std::size_t blocksize = 0;  ///< in bytes; 0 lets Blosc choose

  [[nodiscard]] configuration chosen() const;
  static const known_codec known;
};

/// Deflate in the zlib format of RFC 1950.
struct zlib {
  int level = 1;  ///< -1 (the library's default), 0 (stored) to 9 (smallest)

  [[nodiscard]] configuration chosen() const;
  static const known_codec known;
};

/// Deflate in the gzip format of RFC 1952.
struct gzip {
  int level = 1;  ///< -1 (the library's default), 0 (stored) to 9 (smallest)

  [[nodiscard]] configuration chosen() const;
  static const known_codec known;
};

/// Burrows and Wheeler's transform.
struct bz2 {
  int level = 1;  ///< 1 (blocks of 100 kB) to 9 (blocks of 900 kB)

  [[nodiscard]] configuration chosen() const;
  static const known_codec known;
};

/// Zstandard.
struct zstd {
  int level = 0;  ///< -131072 (fastest) to 22 (smallest); 0 is the library's default
  bool checksum = false;

  [[nodiscard]] configuration chosen() const;
  static const known_codec known;
};

/// LZ4: the decoded size in 4 bytes and one block.
struct lz4 {
  int acceleration = 1;  ///< higher is faster and larger; a value below 1 stands for 1

  [[nodiscard]] configuration chosen() const;
  static const known_codec known;
};

/// LZMA. Filters of its own are given by `configuration::from_json`.
struct lzma {
  int format = 1;             ///< 1 (.xz), 2 (.lzma) or 3 (raw, which needs filters)
  int check = -1;             ///< the check of .xz: 0 (none), 1 (CRC32), 4 (CRC64), 10 (SHA-256)
  std::optional<int> preset;  ///< 0 (fastest) to 9 (smallest); 6 if nobody says

  [[nodiscard]] configuration chosen() const;
  static const known_codec known;
};

/// The first element, and then the differences of neighbours.
struct delta {
  std::optional<tessera::dtype> dtype = {};   ///< that of the array by default
  std::optional<tessera::dtype> astype = {};  ///< the stored dtype; `dtype` by default

  [[nodiscard]] configuration chosen() const;
  static const known_codec known;
};

/// (x - offset) * scale, rounded to whole numbers.
struct fixedscaleoffset {
  double offset;
  double scale;
  std::optional<tessera::dtype> dtype = {};   ///< that of the array by default
  std::optional<tessera::dtype> astype = {};  ///< the stored dtype; `dtype` by default

  [[nodiscard]] configuration chosen() const;
  static const known_codec known;
};

/// Floating-point numbers rounded to so many decimal digits, in binary.
struct quantize {
  int digits;
  std::optional<tessera::dtype> dtype = {};   ///< that of the array by default
  std::optional<tessera::dtype> astype = {};  ///< the stored dtype; `dtype` by default

  [[nodiscard]] configuration chosen() const;
  static const known_codec known;
};

/// Floating-point numbers with so many bits of the mantissa, rounded half to even.
struct bitround {
  int keepbits;

  [[nodiscard]] configuration chosen() const;
  static const known_codec known;
};

/// Elements stored as another type.
struct astype {
  tessera::dtype encode_dtype;
  std::optional<tessera::dtype> decode_dtype = {};  ///< that of the array by default

  [[nodiscard]] configuration chosen() const;
  static const known_codec known;
};

/// The first bytes of all elements, then the second ones, and so on.
struct shuffle {
  std::size_t elementsize = 4;

  [[nodiscard]] configuration chosen() const;
  static const known_codec known;
};

/// Eight booleans in a byte.
struct packbits {
  [[nodiscard]] configuration chosen() const;
  static const known_codec known;
};

/// Checks of 4 bytes, at the start or the end of the bytes that they protect.
struct crc32 {
  std::string location = "start";

  [[nodiscard]] configuration chosen() const;
  static const known_codec known;
};
struct adler32 {
  std::string location = "start";

  [[nodiscard]] configuration chosen() const;
  static const known_codec known;
};
struct crc32c {
  std::string location = "end";

  [[nodiscard]] configuration chosen() const;
  static const known_codec known;
};

/// The check that HDF5 and netCDF use, of 4 bytes at the end.
struct fletcher32 {
  [[nodiscard]] configuration chosen() const;
  static const known_codec known;
};

/// Bob Jenkins' check, lookup3, of 4 bytes at the end.
struct jenkins_lookup3 {
  std::uint32_t initval = 0;

  [[nodiscard]] configuration chosen() const;
  static const known_codec known;
};

/// Text of 64 letters (RFC 4648).
struct base64 {
  [[nodiscard]] configuration chosen() const;
  static const known_codec known;
};

/// A list of types of options, each of one codec.
template <class... Options>
struct option_list {};

/// The codecs that the registry knows from the start.
using builtin = option_list<adler32, astype, base64, bitround, blosc, bz2, crc32, crc32c, delta,
                            fixedscaleoffset, fletcher32, gzip, jenkins_lookup3, lz4, lzma,
                            packbits, quantize, shuffle, zlib, zstd>;

}  // namespace tessera::codec
