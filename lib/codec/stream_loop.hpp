// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Runs the streams of zlib and bzip2, which have the same interface, over whole buffers.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <type_traits>

namespace tessera::detail {

/// `running` at the end of a loop means that the stream needs more input or more room.
enum class stream_state { running, ended, failed };

struct stream_result {
  stream_state state = stream_state::running;
  std::size_t consumed = 0;
  std::size_t produced = 0;
};

/// Calls `step(stream, is_last)`, which returns a `stream_state`, until the stream ends, fails or
/// makes no progress. `is_last` tells that the stream has the rest of `in`.
template <class Stream, class Step>
stream_result run_stream(Stream& stream, std::span<const std::byte> in, std::span<std::byte> out,
                         Step step) {
  using letter = std::remove_pointer_t<decltype(stream.next_out)>;
  using count = decltype(stream.avail_in);
  // The streams count bytes in 32 bits: longer buffers are passed in pieces.
  const auto piece = [](std::size_t size) {
    return static_cast<count>(std::min<std::size_t>(size, std::numeric_limits<count>::max()));
  };
  // The streams refuse a null output, even for 0 bytes.
  std::byte nowhere{};
  std::byte* const begin = out.empty() ? &nowhere : out.data();
  stream_result result;
  while (result.state == stream_state::running) {
    const count in_piece = piece(in.size() - result.consumed);
    const count out_piece = piece(out.size() - result.produced);
    stream.next_in =
        const_cast<letter*>(reinterpret_cast<const letter*>(in.data() + result.consumed));
    stream.avail_in = in_piece;
    stream.next_out = reinterpret_cast<letter*>(begin + result.produced);
    stream.avail_out = out_piece;
    result.state = step(stream, result.consumed + in_piece == in.size());
    result.consumed += in_piece - stream.avail_in;
    result.produced += out_piece - stream.avail_out;
    // Without progress, a further call would make none either.
    if (stream.avail_in == in_piece && stream.avail_out == out_piece) break;
  }
  return result;
}

}  // namespace tessera::detail
