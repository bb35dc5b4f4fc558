// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The operations of a reader on an untrusted store.

#include "tessera/core/error.hpp"
#include "tessera/storage/chunk_buffers.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/zarr/zarr_array.hpp"
#include "tessera/zarr/zarr_group.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tessera::testing {

/// Reads an array as far as `allowed` bytes of memory for a chunk and a few chunks allow.
///
/// Throws: the errors of the functions of arrays, nothing else.
inline void read_some(const zarr_array& array, std::size_t allowed) {
  constexpr index_t most_chunks = 16;
  if (array.decoded_bytes() > allowed || array.encoded_bound() > allowed) return;
  if (array.codec_workspace() > allowed) return;
  chunk_buffers buffers(array);
  index_t num_chunks = 1;
  for (const index_t count : array.grid().num_chunks()) {
    num_chunks = std::min(num_chunks * std::min(count, most_chunks), most_chunks);
  }
  if (num_chunks == 0) return;
  for (index_t i = 0; i < num_chunks; ++i) {
    index_vector chunk(array.rank());
    index_t rest = i;
    for (std::size_t axis = 0; axis < chunk.size(); ++axis) {
      chunk[axis] = rest % array.grid().num_chunks()[axis];
      rest /= array.grid().num_chunks()[axis];
    }
    (void)array.read_chunk(chunk, buffers.decoded(), buffers.encoded());
    // A part of the chunk: all but its first position along each axis.
    region box = array.grid().chunk_region(chunk);
    for (std::size_t axis = 0; axis < chunk.size(); ++axis) {
      if (box.stop[axis] - box.start[axis] > 1) ++box.start[axis];
    }
    const auto count = static_cast<std::size_t>(box.num_elements());
    std::vector<std::byte> part(
        count * (array.decoded_bytes() / static_cast<std::size_t>(num_elements(array.chunks()))));
    array.read_region(box, part, buffers.decoded(), buffers.encoded());
  }
}

/// Opens and reads all arrays and groups at `path` and below; passes over refused ones.
///
/// Returns how many nodes and chunks were refused. Throws: whatever is no Tessera error.
inline int read_everything(const std::shared_ptr<key_value_store>& store, const std::string& path,
                           std::size_t allowed, int depth = 0) {
  int num_refused = 0;
  const auto attempt = [&](auto f) {
    try {
      f();
    } catch (const error&) {
      ++num_refused;
    }
  };
  attempt([&] { read_some(zarr_array::open(store, path), allowed); });
  attempt([&] {
    const auto group = zarr_group::open(store, path);
    for (const std::string& name : group.arrays()) {
      attempt([&] { read_some(group.array(name), allowed); });
    }
    if (depth > 3) return;
    for (const std::string& name : group.groups()) {
      const std::string inner = path.empty() ? name : path + "/" + name;
      num_refused += read_everything(store, inner, allowed, depth + 1);
    }
  });
  return num_refused;
}

/// Reads everything of a store that an input describes: a list of files, each one byte that chooses
/// among `names`, the size in 2 bytes (little-endian), and the contents.
inline void read_files(std::span<const std::uint8_t> input, std::span<const char* const> names) {
  const auto store = std::make_shared<memory_store>();
  while (input.size() >= 3) {
    const char* const name = names[input[0] % names.size()];
    const std::size_t stated = input[1] + std::size_t{256} * input[2];
    input = input.subspan(3);
    const auto contents = input.first(std::min(stated, input.size()));
    store->write(name, std::as_bytes(contents));
    input = input.subspan(contents.size());
  }
  constexpr std::size_t allowed = std::size_t{1} << 20;
  (void)read_everything(store, "", allowed);
}

}  // namespace tessera::testing
