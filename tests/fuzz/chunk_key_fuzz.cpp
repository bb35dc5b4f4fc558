// SPDX-License-Identifier: Apache-2.0

/// \file
/// Paths and keys made of untrusted names. Shrinking an array looks at every name below it, and
/// removes only the names of its chunks.

#include "tessera/store/memory_store.hpp"
#include "tessera/zarr/zarr_array.hpp"

#include "fuzz/fuzz_metadata.hpp"
#include "zarr/api/hierarchy.hpp"

#include <memory>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tessera;
  const std::string name(reinterpret_cast<const char*>(data), size);
  try {
    const std::string path = detail::normalised_path(name);
    if (detail::normalised_path(path) != path) std::abort();
    if (("/" + path + "/").find("/../") != std::string::npos) std::abort();
  } catch (const zarr_error&) {
  }
  const auto store = std::make_shared<memory_store>();
  const auto array = zarr_array::create(store, "a", {.shape = {9000, 3}, .chunks = {1, 2}});
  try {
    store->write("a/" + name, {});
  } catch (const store_error&) {
    return 0;
  }
  (void)array.resize(index_vector{2, 3});
  const bool is_there = store->exists("a/" + name);
  // The chunks that a smaller array lacks: "2.0" to "8999.1".
  const bool is_chunk = name.size() >= 3 && (name.ends_with(".0") || name.ends_with(".1")) &&
                        name.find_first_not_of("0123456789") == name.size() - 2 && name[0] != '0' &&
                        name != "1.0" && name != "1.1" && name.size() <= 6 &&
                        std::stoi(name) < 9000;
  // Metadata that is written, or dropped after a change, is no chunk.
  const bool is_metadata = name == ".zarray" || name == ".zmetadata";
  if (is_there == is_chunk && !is_metadata) std::abort();
  return 0;
}
