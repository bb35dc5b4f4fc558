// SPDX-License-Identifier: Apache-2.0

/// \file
/// zlib and gzip.

#include "fuzz/fuzz_codec.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tessera::codec;
  static const std::vector<configuration> choices{zlib{}, gzip{}, zlib{.level = 0},
                                                  gzip{.level = 9}};
  return tessera::testing::fuzz_codec(choices, true, data, size);
}
