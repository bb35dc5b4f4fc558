// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Copies of stored chunks, byte for byte.

#include "tessera/core/bytes.hpp"

#include "tool/copy_source.hpp"
#include "tool/copy_target.hpp"

#include <cstddef>
#include <cstdint>

namespace tessera::tool {

/// The arrays whose chunks are copied as they are, and what that comes to.
struct verbatim_count {
  std::uint64_t arrays = 0;
  std::uint64_t chunks = 0;
};
[[nodiscard]] verbatim_count count_verbatim(const copy_source& source);

/// Copies the chunks by `num_threads` threads. Chunks of the same size that a stopped copy has left
/// stay.
///
/// Memory: a stored chunk a thread.
/// Throws: store_error <- a chunk is larger than `limit`, or a store fails.
void copy_chunks(const copy_source& source, const copy_target& target, std::size_t num_threads,
                 bytes limit);

/// Writes the metadata of all nodes, letter for letter but for a separator that was wrong.
void copy_metadata(const copy_source& source, const copy_target& target);

}  // namespace tessera::tool
