// SPDX-License-Identifier: Apache-2.0

/// \file
/// Whole stores: metadata and chunks at once.
///
/// An input is a list of files: one byte that chooses a name, the size in 2 bytes (little-endian),
/// the contents.

#include "tessera/store/memory_store.hpp"

#include "fuzz/read_everything.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static constexpr std::array names = {".zarray", ".zattrs",     ".zgroup",   ".zmetadata", "0",
                                       "1",       "0.0",         "0.1",       "1.0",        "0/0",
                                       "0/1",     "0.0.0",       "a/.zarray", "a/.zattrs",  "a/0",
                                       "a/0.0",   "a/b/.zarray", "a/b/0",     "a/.zgroup"};
  const auto store = std::make_shared<tessera::memory_store>();
  std::span<const std::uint8_t> rest(data, size);
  while (rest.size() >= 3) {
    const char* const name = names[rest[0] % names.size()];
    const std::size_t stated = rest[1] + std::size_t{256} * rest[2];
    rest = rest.subspan(3);
    const auto contents = rest.first(std::min(stated, rest.size()));
    store->write(name, std::as_bytes(contents));
    rest = rest.subspan(contents.size());
  }
  constexpr std::size_t allowed = std::size_t{1} << 20;
  (void)tessera::testing::read_everything(store, "", allowed);
  return 0;
}
