// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The limits of requests that read neighbouring chunks of a shard.

#include <cstddef>

namespace tessera {

/// The most bytes of a shard between two chunks that one request reads.
inline constexpr std::size_t largest_gap_in_run = 64 * 1024;
/// The most chunks that one request reads.
inline constexpr std::size_t most_chunks_in_run = 64;

}  // namespace tessera
