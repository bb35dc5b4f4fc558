// SPDX-License-Identifier: Apache-2.0

/// \file
/// Reference documents: an input is a document with a target of 4 KiB.

#include "tessera/core/error.hpp"
#include "tessera/store/open_store.hpp"

#include "fuzz/read_everything.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace {

constexpr std::size_t allowed = std::size_t{1} << 20;

/// Reads each key whole and in part, and compares the sizes.
void read_keys(const tessera::key_value_store& store) {
  std::vector<std::byte> buffer(allowed);
  for (const std::string& key : store.list("")) {
    try {
      const auto size = store.read(key, buffer);
      // A listed key is there.
      if (!size || store.size(key) != size) std::abort();
      const auto part = store.read_part(key, {.count = 3, .from_end = true}, buffer);
      if (!part || part->size != std::min<std::size_t>(3, *size)) std::abort();
    } catch (const tessera::store_error&) {
      continue;
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto folder = tessera::open_store("memory://reference-fuzz");
  if (!folder->exists("x.nc")) folder->write("x.nc", std::vector<std::byte>(4096));
  folder->write("x.json", std::as_bytes(std::span(data, size)));
  const auto store = tessera::open_store("reference://memory://reference-fuzz/x.json");
  try {
    read_keys(*store);
    (void)store->state("");
  } catch (const tessera::error&) {
    return 0;
  }
  (void)tessera::testing::read_everything(store, "", allowed);
  return 0;
}
