// SPDX-License-Identifier: Apache-2.0

/// \file
/// Blosc with each of its compressors.

#include "fuzz/fuzz_codec.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tessera::codec;
  static const std::vector<configuration> choices{blosc{.cname = "lz4"},
                                                  blosc{.cname = "blosclz", .shuffle = no_shuffle},
                                                  blosc{.cname = "lz4hc", .shuffle = bit_shuffle},
                                                  blosc{.cname = "snappy"},
                                                  blosc{.cname = "zlib", .blocksize = 512},
                                                  blosc{.cname = "zstd", .shuffle = bit_shuffle}};
  return tessera::testing::fuzz_codec(choices, true, data, size);
}
