// SPDX-License-Identifier: Apache-2.0

/// \file
/// The file `.zarray`: of an input that is accepted an array can be made.

#include "tessera/store/memory_store.hpp"
#include "tessera/zarr/zarr_array.hpp"

#include "fuzz/fuzz_metadata.hpp"

#include <memory>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using tessera::zarr_metadata;
  const auto store = std::make_shared<tessera::memory_store>();
  store->write(".zarray", std::as_bytes(std::span(data, size)));
  try {
    (void)tessera::zarr_array::open(store, "").dimension_names();
  } catch (const tessera::zarr_error&) {
  }
  return tessera::testing::fuzz_metadata(data, size, zarr_metadata::parse,
                                         [](const auto& value) { return value.to_json(); });
}
