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

/// The numbers of arrays and chunks that are copied byte for byte.
struct verbatim_count {
  std::uint64_t arrays = 0;
  std::uint64_t chunks = 0;
};
[[nodiscard]] verbatim_count count_verbatim(const copy_source& source);

/// Copies the chunks by `num_threads` threads. A continued copy skips chunks of equal size.
///
/// Memory: a stored chunk per thread.
/// Throws: store_error <- a chunk is larger than `limit`, or a store fails.
void copy_chunks(const copy_source& source, const copy_target& target, std::size_t num_threads,
                 bytes limit);

/// Writes the metadata of all nodes, byte for byte except for a corrected separator.
void copy_metadata(const copy_source& source, const copy_target& target);

}  // namespace tessera::tool
