// SPDX-License-Identifier: Apache-2.0

/// \file
/// Whole stores: metadata and chunks at once.
///
/// An input is a list of files: one byte that chooses a name, the size in 2 bytes (little-endian),
/// the contents.

#include "fuzz/read_everything.hpp"

#include <array>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static constexpr std::array names = {".zarray", ".zattrs",     ".zgroup",   ".zmetadata", "0",
                                       "1",       "0.0",         "0.1",       "1.0",        "0/0",
                                       "0/1",     "0.0.0",       "a/.zarray", "a/.zattrs",  "a/0",
                                       "a/0.0",   "a/b/.zarray", "a/b/0",     "a/.zgroup"};
  tessera::testing::read_files({data, size}, names);
  return 0;
}
