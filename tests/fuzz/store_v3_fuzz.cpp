// SPDX-License-Identifier: Apache-2.0

/// \file
/// Whole stores of Zarr version 3: documents, chunks and shards at once.
///
/// An input is a list of files, as in store_fuzz.cpp, under other names.

#include "fuzz/read_everything.hpp"

#include <array>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static constexpr std::array names = {
      "zarr.json", "c",   "c/0",   "c/1",         "c/0/0", "c/0/1",         "c/1/0",  "c/1/1",
      "0",         "0.0", "c.0.0", "a/zarr.json", "a/c/0", "a/b/zarr.json", "a/b/c/0"};
  tessera::testing::read_files({data, size}, names);
  return 0;
}
