// SPDX-License-Identifier: Apache-2.0
#include "tessera/codec/byte_codec.hpp"

#include "tessera/core/error.hpp"

#include <fmt/format.h>

namespace tessera {

void byte_codec::decode(std::span<const std::byte> in, std::span<std::byte> out) const {
  const std::size_t size = decode_at_most(in, out);
  if (size == out.size()) return;
  throw codec_error(fmt::format("codec {}: {} B must decode to {} B, found {} B", id(), in.size(),
                                out.size(), size));
}

bool byte_codec::decode_range(std::span<const std::byte>, std::size_t, std::size_t,
                              std::span<std::byte>) const {
  return false;
}

}  // namespace tessera
