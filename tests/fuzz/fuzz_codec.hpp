// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The steps that the fuzz targets of codecs take with an input.

#include "tessera/codec/configuration.hpp"
#include "tessera/core/error.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

namespace tessera::testing {

/// Decodes an input in each way that the codec has. Then encodes and decodes it, which gives the
/// same bytes if `is_lossless`.
///
/// An input is one byte that chooses among `choices`, the decoded size in 4 bytes of which 2^16 is
/// the greatest, and an encoding. A codec may refuse it by a codec_error, and nothing else.
inline int fuzz_codec(std::span<const codec::configuration> choices, bool is_lossless,
                      const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t head = 5;
  if (size < head) return 0;
  const auto codec = choices[data[0] % choices.size()].make(4);
  std::uint32_t stated = 0;
  std::memcpy(&stated, data + 1, sizeof stated);
  // A copy of its own, so that reading behind its end is found.
  const std::vector<std::byte> stored(reinterpret_cast<const std::byte*>(data) + head,
                                      reinterpret_cast<const std::byte*>(data) + size);
  std::vector<std::byte> decoded(stated % ((1U << 16) + 1));
  bool is_whole = false;
  try {
    codec->decode(stored, decoded);
    is_whole = true;
  } catch (const codec_error&) {
  }
  std::vector<std::byte> part(decoded.size() / 3);
  try {
    const std::size_t first = decoded.size() / 4;
    const bool is_part = codec->decode_range(stored, decoded.size(), first, part);
    if (is_whole && is_part && !std::equal(part.begin(), part.end(), decoded.data() + first)) {
      std::abort();
    }
  } catch (const codec_error&) {
  }
  std::vector<std::byte> again(codec->max_encoded_size(stored.size()));
  try {
    again.resize(codec->encode(stored, again));
  } catch (const codec_error&) {
    return 0;  // not every size can be encoded
  }
  std::vector<std::byte> back(stored.size());
  codec->decode(again, back);
  if (is_lossless && back != stored) std::abort();
  return 0;
}

}  // namespace tessera::testing
