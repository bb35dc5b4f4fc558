// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"

#include "codec/builtin.hpp"
#include "codec/option_reader.hpp"

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

/// What frames the deflated bytes.
struct deflate_format {
  const char* id;
  /// The size of the window as zlib takes it, where 16 more stand for gzip.
  int window_bits;
  /// Several streams in a row, each whole, stand for what they decode to in a row.
  bool has_members;
};

constexpr deflate_format zlib_format{"zlib", 15, false};
constexpr deflate_format gzip_format{"gzip", 15 + 16, true};

class deflate_codec final : public byte_codec {
 public:
  deflate_codec(const deflate_format& format, int level) : format_(format), level_(level) {}

  [[nodiscard]] std::string_view id() const override { return format_.id; }
  [[nodiscard]] std::string to_json() const override {
    return nlohmann::json{{"id", format_.id}, {"level", level_}}.dump();
  }

  [[nodiscard]] std::size_t max_encoded_size(std::size_t decoded_size) const override {
    // compressBound's formula, for sizes of 64 bits, and room for a writer that flushes a little
    // or, in gzip, puts a name into the header or begins a member for each 64 KiB.
    const std::size_t slack = format_.has_members ? 512 + (decoded_size >> 11) : 64;
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
    constexpr int usual_memory = 8;
    if (deflateInit2(&stream, level_, Z_DEFLATED, format_.window_bits, usual_memory,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw codec_error(fmt::format("codec {}: deflateInit2 failed", format_.id));
    }
    const stream_guard<&deflateEnd> guard(stream);
    const auto [result, produced] = run(stream, in, out, [](z_stream& s, bool is_last) {
      return deflate(&s, is_last ? Z_FINISH : Z_NO_FLUSH);
    });
    if (result != Z_STREAM_END) {
      throw codec_error(fmt::format(
          "codec {}: {} B do not fit in {} B once encoded, {} B are required (zlib's code {})",
          format_.id, in.size(), out.size(), max_encoded_size(in.size()), result));
    }
    return produced;
  }

  [[nodiscard]] std::size_t decode_at_most(std::span<const std::byte> in,
                                           std::span<std::byte> out) const override {
    z_stream stream{};
    if (inflateInit2(&stream, format_.window_bits) != Z_OK) {
      throw codec_error(fmt::format("codec {}: inflateInit2 failed", format_.id));
    }
    const stream_guard<&inflateEnd> guard(stream);
    const auto [result, produced] = run(stream, in, out, [this](z_stream& s, bool is_last) {
      const int code = inflate(&s, Z_NO_FLUSH);
      const bool has_more = s.avail_in > 0 || !is_last;
      return code == Z_STREAM_END && format_.has_members && has_more ? inflateReset(&s) : code;
    });
    if (result == Z_STREAM_END) return produced;
    if (result == Z_BUF_ERROR && produced == out.size()) {
      throw codec_error(
          fmt::format("codec {}: {} B must decode to {} B, found more than that or no end",
                      format_.id, in.size(), out.size()));
    }
    throw codec_error(fmt::format(
        "codec {}: {} B are no whole stream: it breaks after {} of {} decoded B ({})", format_.id,
        in.size(), produced, out.size(), stream.msg != nullptr ? stream.msg : "it is cut short"));
  }

 private:
  deflate_format format_;
  int level_;
};

std::shared_ptr<const byte_codec> make_deflate_codec(const deflate_format& format,
                                                     std::string_view configuration) {
  const option_reader options(configuration);
  return std::make_shared<deflate_codec>(format,
                                         static_cast<int>(options.integer("level", 1, -1, 9)));
}

}  // namespace

std::shared_ptr<const byte_codec> make_zlib_codec(std::string_view configuration, codec_elements) {
  return make_deflate_codec(zlib_format, configuration);
}

std::shared_ptr<const byte_codec> make_gzip_codec(std::string_view configuration, codec_elements) {
  return make_deflate_codec(gzip_format, configuration);
}

}  // namespace tessera::detail
