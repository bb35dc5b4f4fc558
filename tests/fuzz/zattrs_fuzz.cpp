// SPDX-License-Identifier: Apache-2.0

/// \file
/// The file `.zattrs`.

#include "tessera/storage/attributes.hpp"

#include "fuzz/fuzz_metadata.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return tessera::testing::fuzz_metadata(data, size, tessera::attributes::parse,
                                         [](const auto& value) { return value.to_json(); });
}
