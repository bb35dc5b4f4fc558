// SPDX-License-Identifier: Apache-2.0

/// \file
/// Data types, and an element of each in both byte orders.

#include "tessera/storage/data_type.hpp"

#include "fuzz/fuzz_metadata.hpp"
#include "zarr/native_bytes.hpp"

#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using tessera::data_type;
  return tessera::testing::fuzz_metadata(data, size, data_type::parse, [](const data_type& type) {
    constexpr std::size_t greatest = 1 << 16;
    if (type.itemsize() <= greatest) {
      std::vector<std::byte> elements(type.itemsize() * 2, std::byte{1});
      tessera::detail::make_native(elements, type);
      tessera::detail::make_stored(elements, type);
      if (elements != std::vector(elements.size(), std::byte{1})) std::abort();
    }
    return type.to_json();
  });
}
