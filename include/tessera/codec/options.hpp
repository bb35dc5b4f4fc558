// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The options of each codec; names and defaults are those of numcodecs.

#include "tessera/core/dtype.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera::codec {

/// No codec: bytes stay as they are.
struct none {};

/// How Blosc reorders bytes before it compresses; the values are those of Zarr metadata.
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
};

/// Deflate in the zlib format of RFC 1950.
struct zlib {
  int level = 1;  ///< -1 (the library's default), 0 (stored) to 9 (smallest)
};

/// Deflate in the gzip format of RFC 1952.
struct gzip {
  int level = 1;  ///< -1 (the library's default), 0 (stored) to 9 (smallest)
};

/// Burrows and Wheeler's transform.
struct bz2 {
  int level = 1;  ///< 1 (blocks of 100 kB) to 9 (blocks of 900 kB)
};

/// Zstandard.
struct zstd {
  int level = 0;  ///< -131072 (fastest) to 22 (smallest); 0 is the library's default
  bool checksum = false;
};

/// LZ4: the decoded size in 4 bytes and one block.
struct lz4 {
  int acceleration = 1;  ///< higher is faster and larger; what is below 1 stands for 1
};

/// LZMA. Filters of its own are given by `configuration::from_json`.
struct lzma {
  int format = 1;             ///< 1 (.xz), 2 (.lzma) or 3 (raw, which needs filters)
  int check = -1;             ///< the check of .xz: 0 (none), 1 (CRC32), 4 (CRC64), 10 (SHA-256)
  std::optional<int> preset;  ///< 0 (fastest) to 9 (smallest); 6 if nobody says
};

/// The first element, and then the differences of neighbours.
struct delta {
  std::optional<tessera::dtype> dtype = {};   ///< that of the array by default
  std::optional<tessera::dtype> astype = {};  ///< what is stored; `dtype` by default
};

/// (x - offset) * scale, rounded to whole numbers.
struct fixedscaleoffset {
  double offset;
  double scale;
  std::optional<tessera::dtype> dtype = {};   ///< that of the array by default
  std::optional<tessera::dtype> astype = {};  ///< what is stored; `dtype` by default
};

/// Floating-point numbers rounded to so many decimal digits, in binary.
struct quantize {
  int digits;
  std::optional<tessera::dtype> dtype = {};   ///< that of the array by default
  std::optional<tessera::dtype> astype = {};  ///< what is stored; `dtype` by default
};

/// Floating-point numbers with so many bits of the mantissa, rounded half to even.
struct bitround {
  int keepbits;
};

/// Elements stored as another type.
struct astype {
  tessera::dtype encode_dtype;
  std::optional<tessera::dtype> decode_dtype = {};  ///< that of the array by default
};

/// The first bytes of all elements, then the second ones, and so on.
struct shuffle {
  std::size_t elementsize = 4;
};

/// Eight booleans in a byte.
struct packbits {};

/// Checks of 4 bytes, at the start or the end of what they protect.
struct crc32 {
  std::string location = "start";
};
struct adler32 {
  std::string location = "start";
};
struct crc32c {
  std::string location = "end";
};

/// The check that HDF5 and netCDF use, of 4 bytes at the end.
struct fletcher32 {};

/// Text of 64 letters (RFC 4648).
struct base64 {};

}  // namespace tessera::codec
