// SPDX-License-Identifier: Apache-2.0

/// \file
/// LZ4 with the size before its block.

#include "fuzz/fuzz_codec.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tessera::codec;
  static const std::vector<configuration> choices{lz4{}, lz4{.acceleration = 100}};
  return tessera::testing::fuzz_codec(choices, true, data, size);
}
