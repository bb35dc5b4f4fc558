// SPDX-License-Identifier: Apache-2.0

/// \file
/// Shards and their indexes: an input is decoded by layouts that its first bytes choose.

#include "tessera/codec/configuration.hpp"
#include "tessera/codec/options.hpp"
#include "tessera/core/error.hpp"

#include "codec/api/shard_codec.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

namespace {

using namespace tessera;
using detail::shard_layout;

shard_layout layout_of(std::uint8_t choice) {
  shard_layout layout{.shape = {6, 2, 4}, .part_shape = {2, 2, 2}, .itemsize = 2, .fill = {}};
  layout.index.num_checks = choice & 1;
  layout.index.is_at_start = (choice & 2) != 0;
  layout.index.byte_order = (choice & 4) != 0 ? std::endian::big : std::endian::little;
  if ((choice & 8) != 0) layout.index.order = {3, 1, 0, 2};
  if ((choice & 16) != 0) layout.order = {2, 0, 1};
  layout.skips_fill = (choice & 32) != 0;
  return layout;
}

/// Returns the value of a shard that is encoded in pieces.
std::vector<std::byte> joined_pieces(const byte_codec& codec, std::span<const std::byte> shard) {
  const auto [encoded, index] = detail::memory_for_pieces(codec).value();
  std::vector<std::byte> room(encoded + index);
  std::vector<std::byte> value;
  const detail::shard_sink sink{
      [&](std::span<const std::byte> piece) {
        value.insert(value.end(), piece.begin(), piece.end());
      },
      [&](std::span<const std::byte> front) { std::ranges::copy(front, value.begin()); }};
  if (!detail::encode_in_pieces(codec, shard, room, sink)) std::abort();
  return value;
}

}  // namespace

/// An input is a byte that chooses the layout, and a shard.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::array<codec::configuration, 2> choices{codec::none{}, codec::zstd{}};
  const auto codec = detail::make_shard_codec(layout_of(data[0]), choices[data[0] >> 7].make(2));
  // A copy of its own, so that reading behind its end is found.
  const std::vector<std::byte> stored(reinterpret_cast<const std::byte*>(data) + 1,
                                      reinterpret_cast<const std::byte*>(data) + size);
  std::vector<std::byte> decoded(96);
  try {
    codec->decode(stored, decoded);
  } catch (const codec_error&) {
    return 0;
  }
  std::vector<std::byte> again(codec->max_encoded_size(decoded.size()));
  again.resize(codec->encode(decoded, again));
  std::vector<std::byte> back(decoded.size());
  codec->decode(again, back);
  if (back != decoded || joined_pieces(*codec, decoded) != again) std::abort();
  return 0;
}
