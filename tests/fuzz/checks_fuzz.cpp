// SPDX-License-Identifier: Apache-2.0

/// \file
/// The filters that keep bytes as they are: checks, base64 and shuffle.

#include "fuzz/fuzz_codec.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tessera::codec;
  static const std::vector<configuration> choices{
      crc32{},   crc32{.location = "end"}, adler32{}, crc32c{}, fletcher32{}, base64{},
      shuffle{}, shuffle{.elementsize = 7}};
  return tessera::testing::fuzz_codec(choices, true, data, size);
}
