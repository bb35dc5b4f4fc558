// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The caches of a processor that loops and buffers are laid out for.
///
/// The sizes are constants on every machine: plans and the order of loops are the same
/// everywhere. A loop takes a part of a cache, as other data pass through it as well.

#include <cstddef>

namespace tessera {

/// The bytes that a processor loads at once. Buffers begin at multiples of it.
inline constexpr std::size_t cache_line = 64;

inline constexpr std::size_t first_level_cache = std::size_t{32} << 10;
inline constexpr std::size_t second_level_cache = std::size_t{1} << 20;
/// Of all cores together.
inline constexpr std::size_t third_level_cache = std::size_t{12} << 20;

}  // namespace tessera
