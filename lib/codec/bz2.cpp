// SPDX-License-Identifier: Apache-2.0
#include "codec/buffer_checks.hpp"
#include "codec/chosen.hpp"
#include "codec/option_reader.hpp"
#include "codec/stream_loop.hpp"

#include <bzlib.h>

namespace tessera::detail {

namespace {

stream_state state_of_bz2(int code) {
  if (code == BZ_STREAM_END) return stream_state::ended;
  const bool goes_on = code == BZ_OK || code == BZ_RUN_OK || code == BZ_FINISH_OK;
  return goes_on ? stream_state::running : stream_state::failed;
}

/// A bzip2 stream, which its destructor ends.
class bz2_stream {
 public:
  using end_function = int (*)(bz_stream*);

  explicit bz2_stream(end_function end) : end_(end) {}
  bz2_stream(const bz2_stream&) = delete;
  bz2_stream& operator=(const bz2_stream&) = delete;
  ~bz2_stream() { end_(&stream_); }
  [[nodiscard]] bz_stream& operator*() { return stream_; }

 private:
  bz_stream stream_{};
  end_function end_;
};

/// bzip2: a sequence of complete streams, which decode to the concatenation of their contents.
class bz2_codec final : public byte_codec {
 public:
  explicit bz2_codec(int level) : level_(level) {}

  [[nodiscard]] std::string_view id() const override { return "bz2"; }
  [[nodiscard]] std::string to_json() const override {
    return nlohmann::json{{"id", "bz2"}, {"level", level_}}.dump();
  }

  [[nodiscard]] std::size_t max_encoded_size(std::size_t decoded_size) const override {
    // The manual's bound, and room for writers that begin a stream for each block of 100 kB.
    return decoded_size + decoded_size / 100 + decoded_size / 1024 + 600;
  }

  [[nodiscard]] std::size_t workspace_size(std::size_t) const override {
    // The manual, section "Memory management". A file may have blocks of the greatest size.
    constexpr std::size_t decoding = 100'000 + 4 * 900'000;
    const std::size_t encoding = 400'000 + 8 * 100'000 * static_cast<std::size_t>(level_);
    constexpr std::size_t allocator = 64 << 10;
    return std::max(encoding, decoding) + allocator;
  }

  [[nodiscard]] std::size_t encode(std::span<const std::byte> in,
                                   std::span<std::byte> out) const override {
    require_encode_room(id(), in.size(), max_encoded_size(in.size()), out.size());
    bz2_stream stream(&BZ2_bzCompressEnd);
    constexpr int silent = 0;
    constexpr int usual_work = 0;
    if (BZ2_bzCompressInit(&*stream, level_, silent, usual_work) != BZ_OK) {
      throw codec_error("codec bz2: BZ2_bzCompressInit failed");
    }
    const stream_result result = run_stream(*stream, in, out, [](bz_stream& s, bool is_last) {
      return state_of_bz2(BZ2_bzCompress(&s, is_last ? BZ_FINISH : BZ_RUN));
    });
    if (result.state != stream_state::ended) {
      throw codec_error(fmt::format("codec bz2: encoding {} B failed", in.size()));
    }
    return result.produced;
  }

  [[nodiscard]] std::size_t decode_at_most(std::span<const std::byte> in,
                                           std::span<std::byte> out) const override {
    bz2_stream stream(&BZ2_bzDecompressEnd);
    start(*stream);
    const stream_result result = run_stream(*stream, in, out, [](bz_stream& s, bool is_last) {
      const stream_state state = state_of_bz2(BZ2_bzDecompress(&s));
      const bool has_more = s.avail_in > 0 || !is_last;
      if (state != stream_state::ended || !has_more) return state;
      BZ2_bzDecompressEnd(&s);
      start(s);
      return stream_state::running;
    });
    if (result.state == stream_state::ended) return result.produced;
    if (result.state == stream_state::running && result.produced == out.size() &&
        result.consumed < in.size()) {
      throw codec_error(fmt::format("codec bz2: {} B must decode to {} B, found more than that",
                                    in.size(), out.size()));
    }
    throw codec_error(
        fmt::format("codec bz2: {} B are no whole stream: it breaks after {} of {} B are decoded",
                    in.size(), result.produced, out.size()));
  }

 private:
  static void start(bz_stream& stream) {
    constexpr int silent = 0;
    constexpr int fast = 0;
    if (BZ2_bzDecompressInit(&stream, silent, fast) != BZ_OK) {
      throw codec_error("codec bz2: BZ2_bzDecompressInit failed");
    }
  }

  int level_;
};

std::shared_ptr<const byte_codec> make_bz2_codec(std::string_view configuration, codec_elements) {
  const option_reader options(configuration, {"level"});
  return std::make_shared<bz2_codec>(static_cast<int>(options.integer("level", 1, 1, 9)));
}

}  // namespace
}  // namespace tessera::detail

namespace tessera::codec {

const known_codec bz2::known{"bz2", &detail::make_bz2_codec};

configuration bz2::chosen() const { return chosen_by({{"id", known.id}, {"level", level}}); }

}  // namespace tessera::codec
