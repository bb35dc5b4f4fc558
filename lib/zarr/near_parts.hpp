// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Reads of several chunks of a shard at once.

#include "tessera/core/index.hpp"

#include "core/api/shard_runs.hpp"
#include "zarr/array_state.hpp"

#include <cstddef>
#include <functional>
#include <span>

namespace tessera::detail {

/// The elements of a chunk that a reader wants.
struct wanted_part {
  index_vector chunk;
  /// In bytes of the decoded chunk.
  std::size_t first = 0;
  std::size_t size = 0;
  /// Memory for the elements; empty if they may lie in a buffer.
  std::span<std::byte> destination = {};
};

/// Takes the number of a wanted part and its elements, or null for a missing chunk.
using part_visitor = std::function<void(std::size_t number, const std::byte* elements)>;

/// Reads parts of chunks of one shard, at most `most_chunks_in_run`. Chunks with at most
/// `largest_gap_in_run` bytes between them are read by one request, as far as they fit into
/// `encoded`. Calls `visit` with each part, in any order. A part is visited twice if the shard is
/// replaced meanwhile.
void load_parts(const zarr_array_state& array, std::span<const wanted_part> wanted,
                std::span<std::byte> decoded, std::span<std::byte> encoded,
                const part_visitor& visit);

}  // namespace tessera::detail
