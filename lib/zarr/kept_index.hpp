// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The indexes of shards that a thread keeps.

#include "tessera/zarr/zarr_metadata.hpp"

#include "core/api/array_in_shards.hpp"

#include <cstddef>

namespace tessera::detail {

/// Returns the shards of an array, and how many of their indexes a thread keeps. All kept indexes
/// have at most 16,384 entries, of 16 B each; a larger one is kept alone.
/// `bound` is the most bytes of a stored chunk.
[[nodiscard]] indexed_shards indexed_shards_of(const zarr_metadata& metadata, std::size_t bound);

/// Tells whether a thread keeps the indexes of two shards of an array at once.
[[nodiscard]] bool keeps_two_indexes(const zarr_metadata& metadata);

/// Releases the index that this thread keeps if it is a large one, which counts as the workspace of
/// the array that is read: before another array is read or a chunk is written.
void release_large_index();

}  // namespace tessera::detail
