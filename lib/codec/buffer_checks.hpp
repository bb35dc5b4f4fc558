// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Checks of the sizes of buffers, with the same message for every codec.

#include "tessera/core/error.hpp"

#include <cstddef>
#include <fmt/format.h>
#include <string_view>

namespace tessera::detail {

/// Throws codec_error unless `room` bytes hold any encoding of `size` bytes, at most `bound` bytes.
inline void require_encode_room(std::string_view id, std::size_t size, std::size_t bound,
                                std::size_t room) {
  if (room >= bound) return;
  throw codec_error(fmt::format("codec {}: {} B may take {} B once encoded, the buffer has {} B",
                                id, size, bound, room));
}

/// Throws codec_error unless `decoded_size` bytes, the decoded size of a buffer, fit in `room`.
inline void require_decode_room(std::string_view id, std::size_t decoded_size, std::size_t room) {
  if (decoded_size <= room) return;
  throw codec_error(
      fmt::format("codec {}: the buffer must decode to {} B, found {} B", id, room, decoded_size));
}

/// Throws codec_error unless `size` bytes are whole elements of `itemsize` bytes.
inline void require_whole_elements(std::string_view id, std::size_t size, std::size_t itemsize) {
  if (size % itemsize == 0) return;
  throw codec_error(
      fmt::format("codec {}: {} B are no whole number of elements of {} B", id, size, itemsize));
}

}  // namespace tessera::detail
