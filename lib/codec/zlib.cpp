// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"

#include "codec/builtin.hpp"
#include "codec/configuration.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <zlib.h>

namespace tessera::detail {

namespace {

/// Ends a stream of zlib's whichever way the scope is left.
template <int (*End)(z_stream*)>
class stream_guard {
 public:
  explicit stream_guard(z_stream& stream) : stream_(stream) {}
  stream_guard(const stream_guard&) = delete;
  stream_guard& operator=(const stream_guard&) = delete;
  ~stream_guard() { End(&stream_); }

 private:
  z_stream& stream_;
};

// zlib counts a buffer in 32 bits: longer ones are given to it piece by piece.
uInt piece(std::size_t size) {
  return static_cast<uInt>(std::min<std::size_t>(size, std::numeric_limits<uInt>::max()));
}

Bytef* writable(const std::byte* bytes) {
  return const_cast<Bytef*>(reinterpret_cast<const Bytef*>(bytes));
}

/// Calls `step` until it returns something else than Z_OK; returns that, and the bytes written.
template <class Step>
std::pair<int, std::size_t> run(z_stream& stream, std::span<const std::byte> in,
                                std::span<std::byte> out, Step step) {
  std::size_t consumed = 0;
  std::size_t produced = 0;
  // zlib takes no null pointer for where it writes, not even to write nothing.
  std::byte nowhere{};
  std::byte* const begin = out.empty() ? &nowhere : out.data();
  int result = Z_OK;
  while (result == Z_OK) {
    const uInt in_piece = piece(in.size() - consumed);
    const uInt out_piece = piece(out.size() - produced);
    stream.next_in = writable(in.data() + consumed);
    stream.avail_in = in_piece;
    stream.next_out = writable(begin + produced);
    stream.avail_out = out_piece;
    result = step(stream, consumed + in_piece == in.size());
    consumed += in_piece - stream.avail_in;
    produced += out_piece - stream.avail_out;
    // Without a byte of progress a further call could not make any either.
    if (result == Z_OK && stream.avail_in == in_piece && stream.avail_out == out_piece) {
      result = Z_BUF_ERROR;
    }
  }
  if (result == Z_STREAM_END && consumed < in.size()) result = Z_DATA_ERROR;
  return {result, produced};
}

class zlib_codec final : public byte_codec {
 public:
  explicit zlib_codec(int level) : level_(level) {}

  [[nodiscard]] std::string_view id() const override { return "zlib"; }
  [[nodiscard]] std::string to_json() const override {
    return nlohmann::json{{"id", "zlib"}, {"level", level_}}.dump();
  }

  [[nodiscard]] std::size_t max_encoded_size(std::size_t decoded_size) const override {
    // compressBound's formula, for sizes of 64 bits, and room for a writer that flushes a little.
    constexpr std::size_t slack = 64;
    return decoded_size + (decoded_size >> 12) + (decoded_size >> 14) + (decoded_size >> 25) + 13 +
           slack;
  }

  [[nodiscard]] std::size_t workspace_size(std::size_t) const override {
    // zconf.h: deflate takes 2^(windowBits + 2) + 2^(memLevel + 9) bytes "plus a few kilobytes";
    // inflate takes less. zlib-ng, which may stand in for zlib, takes up to half as much again.
    return std::size_t{384} << 10;
  }

  [[nodiscard]] std::size_t encode(std::span<const std::byte> in,
                                   std::span<std::byte> out) const override {
    z_stream stream{};
    if (deflateInit(&stream, level_) != Z_OK) throw codec_error("codec zlib: deflateInit failed");
    const stream_guard<&deflateEnd> guard(stream);
    const auto [result, produced] = run(stream, in, out, [](z_stream& s, bool is_last) {
      return deflate(&s, is_last ? Z_FINISH : Z_NO_FLUSH);
    });
    if (result != Z_STREAM_END) {
      throw codec_error(fmt::format(
          "codec zlib: {} B do not fit in {} B once encoded, {} B are required (zlib's code {})",
          in.size(), out.size(), max_encoded_size(in.size()), result));
    }
    return produced;
  }

  void decode(std::span<const std::byte> in, std::span<std::byte> out) const override {
    z_stream stream{};
    if (inflateInit(&stream) != Z_OK) throw codec_error("codec zlib: inflateInit failed");
    const stream_guard<&inflateEnd> guard(stream);
    const auto [result, produced] =
        run(stream, in, out, [](z_stream& s, bool) { return inflate(&s, Z_NO_FLUSH); });
    if (result == Z_STREAM_END && produced == out.size()) return;
    if (result == Z_STREAM_END || (result == Z_BUF_ERROR && produced == out.size())) {
      throw codec_error(fmt::format("codec zlib: {} B must decode to {} B, found {}{} B", in.size(),
                                    out.size(), result == Z_STREAM_END ? "" : "more than ",
                                    produced));
    }
    throw codec_error(fmt::format(
        "codec zlib: {} B are no whole zlib stream: it breaks after {} of {} decoded B ({})",
        in.size(), produced, out.size(), stream.msg != nullptr ? stream.msg : "it is cut short"));
  }

 private:
  int level_;
};

}  // namespace

std::shared_ptr<const byte_codec> make_zlib_codec(std::string_view configuration, std::size_t) {
  const codec_configuration options(configuration);
  return std::make_shared<zlib_codec>(static_cast<int>(options.integer("level", 1, -1, 9)));
}

}  // namespace tessera::detail
