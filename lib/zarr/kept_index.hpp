// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The index of a shard that a thread keeps.

namespace tessera::detail {

/// Releases the index that this thread keeps if it is a large one, which counts as the workspace of
/// the array that is read: before another array is read or a chunk is written.
void release_large_index();

}  // namespace tessera::detail
