// SPDX-License-Identifier: Apache-2.0

/// \file
/// bzip2.

#include "fuzz/fuzz_codec.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tessera::codec;
  static const std::vector<configuration> choices{bz2{}, bz2{.level = 9}};
  return tessera::testing::fuzz_codec(choices, true, data, size);
}
