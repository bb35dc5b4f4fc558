// SPDX-License-Identifier: Apache-2.0

/// \file
/// The files `.zmetadata` and `.zgroup`: all members of a group that opens are listed and opened.

#include "tessera/store/memory_store.hpp"
#include "tessera/zarr/zarr_group.hpp"

#include "fuzz/fuzz_metadata.hpp"
#include "zarr/v2/consolidated_metadata.hpp"

#include <memory>

namespace {

void open_all(const std::shared_ptr<tessera::key_value_store>& store) {
  const auto group = tessera::zarr_group::open(store, "");
  for (const tessera::zarr_member& member : group.members()) {
    try {
      if (member.is_array) {
        (void)group.array(member.path);
      } else {
        (void)group.group(member.path);
      }
    } catch (const tessera::zarr_error&) {
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const char* key : {".zmetadata", ".zgroup"}) {
    const auto store = std::make_shared<tessera::memory_store>();
    store->write(key, std::as_bytes(std::span(data, size)));
    try {
      open_all(store);
    } catch (const tessera::zarr_error&) {
    }
  }
  const auto parse = [](std::string_view text) {
    return tessera::detail::parse_consolidated(text, ".zmetadata");
  };
  return tessera::testing::fuzz_metadata(data, size, parse, tessera::detail::format_consolidated);
}
