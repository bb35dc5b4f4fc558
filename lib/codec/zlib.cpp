// SPDX-License-Identifier: Apache-2.0
/// \file
/// The codecs "zlib" and "gzip": deflated bytes in two frames (RFC 1950, 1951 and 1952).
///
/// Both are streams of zlib, which differ by `windowBits`. A gzip buffer may be several members;
/// their decoded bytes follow each other.
#include "tessera/core/error.hpp"

#include "codec/buffer_checks.hpp"
#include "codec/chosen.hpp"
#include "codec/option_reader.hpp"
#include "codec/stream_loop.hpp"

#include <fmt/format.h>
#include <zlib.h>

namespace tessera::detail {

namespace {

/// Ends a stream of zlib at the end of the scope.
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

stream_state state_of_zlib(int code) {
  if (code == Z_STREAM_END) return stream_state::ended;
  return code == Z_OK || code == Z_BUF_ERROR ? stream_state::running : stream_state::failed;
}

/// The frame around the deflated bytes.
struct deflate_format {
  const char* id;
  /// The windowBits of zlib: the window's size, plus 16 for gzip.
  int window_bits;
  /// Whether a buffer may be a sequence of streams, whose decoded bytes are concatenated.
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
    // The formula of compressBound, in 64 bits. The slack is for writers that flush a few times. A
    // writer of gzip may also put a name into the header, or begin a member for each 64 KiB.
    const std::size_t slack = format_.has_members ? 512 + (decoded_size >> 11) : 64;
    return decoded_size + (decoded_size >> 12) + (decoded_size >> 14) + (decoded_size >> 25) + 13 +
           slack;
  }

  [[nodiscard]] std::size_t workspace_size(std::size_t) const override {
    // zconf.h: deflate takes 2^(windowBits + 2) + 2^(memLevel + 9) bytes "plus a few kilobytes";
    // inflate takes less. zlib-ng, which may replace zlib, takes up to half as much again.
    return std::size_t{384} << 10;
  }

  [[nodiscard]] std::size_t encode(std::span<const std::byte> in,
                                   std::span<std::byte> out) const override {
    require_encode_room(format_.id, in.size(), max_encoded_size(in.size()), out.size());
    z_stream stream{};
    constexpr int usual_memory = 8;
    if (deflateInit2(&stream, level_, Z_DEFLATED, format_.window_bits, usual_memory,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw codec_error(fmt::format("codec {}: deflateInit2 failed", format_.id));
    }
    const stream_guard<&deflateEnd> guard(stream);
    const stream_result result = run_stream(stream, in, out, [](z_stream& s, bool is_last) {
      return state_of_zlib(deflate(&s, is_last ? Z_FINISH : Z_NO_FLUSH));
    });
    if (result.state != stream_state::ended) {
      throw codec_error(fmt::format("codec {}: encoding {} B failed", format_.id, in.size()));
    }
    return result.produced;
  }

  [[nodiscard]] std::size_t decode_at_most(std::span<const std::byte> in,
                                           std::span<std::byte> out) const override {
    z_stream stream{};
    if (inflateInit2(&stream, format_.window_bits) != Z_OK) {
      throw codec_error(fmt::format("codec {}: inflateInit2 failed", format_.id));
    }
    const stream_guard<&inflateEnd> guard(stream);
    const stream_result result = run_stream(stream, in, out, [this](z_stream& s, bool is_last) {
      const stream_state state = state_of_zlib(inflate(&s, Z_NO_FLUSH));
      const bool has_more = s.avail_in > 0 || !is_last;
      if (state != stream_state::ended || !format_.has_members || !has_more) return state;
      return state_of_zlib(inflateReset(&s));
    });
    check(result, in.size(), out.size(), stream.msg);
    return result.produced;
  }

 private:
  void check(const stream_result& result, std::size_t in, std::size_t out,
             const char* reason) const {
    const bool is_full = result.produced == out;
    if (result.state == stream_state::ended && result.consumed == in) return;
    if (result.state == stream_state::ended) {
      throw codec_error(
          fmt::format("codec {}: {} B must end after {} B, where {} of {} B are decoded",
                      format_.id, in, result.consumed, result.produced, out));
    }
    if (result.state == stream_state::running && is_full && result.consumed < in) {
      throw codec_error(fmt::format("codec {}: {} B must decode to {} B, found more than that",
                                    format_.id, in, out));
    }
    throw codec_error(fmt::format(
        "codec {}: {} B are no whole stream: it breaks after {} of {} B are decoded ({})",
        format_.id, in, result.produced, out, reason != nullptr ? reason : "it is cut short"));
  }

  deflate_format format_;
  int level_;
};

std::shared_ptr<const byte_codec> make_deflate_codec(const deflate_format& format,
                                                     std::string_view configuration) {
  const option_reader options(configuration, {"level"});
  return std::make_shared<deflate_codec>(format,
                                         static_cast<int>(options.integer("level", 1, -1, 9)));
}

std::shared_ptr<const byte_codec> make_zlib_codec(std::string_view configuration, codec_elements) {
  return make_deflate_codec(zlib_format, configuration);
}

std::shared_ptr<const byte_codec> make_gzip_codec(std::string_view configuration, codec_elements) {
  return make_deflate_codec(gzip_format, configuration);
}

}  // namespace
}  // namespace tessera::detail

namespace tessera::codec {

const known_codec zlib::known{"zlib", &detail::make_zlib_codec};

configuration zlib::chosen() const { return chosen_by({{"id", known.id}, {"level", level}}); }

const known_codec gzip::known{"gzip", &detail::make_gzip_codec};

configuration gzip::chosen() const { return chosen_by({{"id", known.id}, {"level", level}}); }

}  // namespace tessera::codec
