// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Upper bounds of the memory of the zstd library, for the codecs that call it.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

namespace tessera::detail {

/// The most memory of decoding in a single call: ZSTD_DCtx (96 KiB in 1.5.4, 160 KiB before).
inline constexpr std::size_t zstd_decoder_size = std::size_t{192} << 10;

/// Returns the most memory of encoding `source_size` bytes in a single call at a level of zstd.
///
/// The tables grow with the source up to a limit of the level. Measured with zstd 1.5.4 over
/// sources of 100 B to 600 MiB: at most 320 KiB (384 with the stack) and 21.5 times the source's
/// next power of two. The limits are the measured ones, made monotonic, and a quarter more.
[[nodiscard]] inline std::size_t zstd_encoder_size(int level, std::size_t source_size) {
  constexpr std::size_t kib = 1024;
  constexpr std::array<std::size_t, 23> limits{
      1584,  704,   944,   1584,  3184,  4464,  4464,  8304,   8304,   15984,  31344, 31344,
      62064, 62064, 62064, 82544, 82544, 82544, 82544, 103994, 206394, 411194, 831224};
  // Levels below 0 take less than level 1; level 0 means level 3.
  const std::size_t limit = limits[static_cast<std::size_t>(level < 0 ? 1 : std::min(level, 22))];
  const std::size_t power = std::bit_ceil(std::min(source_size, limit * kib));
  return std::min(384 * kib + 22 * power, limit * kib);
}

}  // namespace tessera::detail
