// SPDX-License-Identifier: Apache-2.0

/// \file
/// LZMA in each of its formats.

#include "fuzz/fuzz_codec.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tessera::codec;
  static const std::vector<configuration> choices{
      lzma{.preset = 0}, lzma{.format = 2, .preset = 0},
      configuration::from_json(
          R"({"id": "lzma", "format": 3,
          "filters": [{"id": 3, "dist": 4}, {"id": 33, "preset": 0}]})"),
      configuration::from_json(
          R"({"id": "lzma", "format": 3, "filters": [{"id": 4611686018427387905, "preset": 0}]})")};
  return tessera::testing::fuzz_codec(choices, true, data, size);
}
