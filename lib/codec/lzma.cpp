// SPDX-License-Identifier: Apache-2.0
#include "codec/buffer_checks.hpp"
#include "codec/chosen.hpp"
#include "codec/lzma_filters.hpp"
#include "codec/option_reader.hpp"

#include <algorithm>
#include <tuple>

namespace tessera::detail {

namespace {

/// The values of "format" are those of Python's lzma module.
enum lzma_format : int { xz_format = 1, alone_format = 2, raw_format = 3 };

/// A stream of liblzma, which its destructor ends.
class lzma_coder {
 public:
  lzma_coder() = default;
  lzma_coder(const lzma_coder&) = delete;
  lzma_coder& operator=(const lzma_coder&) = delete;
  ~lzma_coder() { lzma_end(&stream_); }
  [[nodiscard]] lzma_stream* get() { return &stream_; }

  /// Runs the stream over all of `in`. Returns liblzma's result and the number of bytes written.
  std::pair<lzma_ret, std::size_t> run(std::span<const std::byte> in, std::span<std::byte> out) {
    std::byte nowhere{};
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    stream_.avail_in = in.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(out.empty() ? &nowhere : out.data());
    stream_.avail_out = out.size();
    lzma_ret result = LZMA_OK;
    while (result == LZMA_OK) result = lzma_code(&stream_, LZMA_FINISH);
    return {result, out.size() - stream_.avail_out};
  }

  /// Reads the end of the stream after the output is full: liblzma reads it only with room for
  /// another byte.
  lzma_ret find_end() {
    std::uint8_t extra = 0;
    stream_.next_out = &extra;
    stream_.avail_out = 1;
    lzma_ret result = LZMA_OK;
    while (result == LZMA_OK && stream_.avail_out > 0) result = lzma_code(&stream_, LZMA_FINISH);
    return stream_.avail_out > 0 ? result : LZMA_BUF_ERROR;
  }

  [[nodiscard]] bool has_input_left() const { return stream_.avail_in > 0; }

 private:
  lzma_stream stream_ = LZMA_STREAM_INIT;
};

const char* reason_of(lzma_ret result) {
  switch (result) {
    case LZMA_MEMLIMIT_ERROR:
      return "its dictionary takes more memory than the configuration's";
    case LZMA_FORMAT_ERROR:
      return "it is of another format";
    case LZMA_OPTIONS_ERROR:
      return "it has options that are not supported";
    case LZMA_BUF_ERROR:
      return "it is cut short or decodes to more";
    default:
      return "it is damaged";
  }
}

class lzma_codec final : public byte_codec {
 public:
  lzma_codec(lzma_format format, int check, lzma_filter_chain filters, std::string text)
      : format_(format), check_(check), filters_(std::move(filters)), text_(std::move(text)) {}

  [[nodiscard]] std::string_view id() const override { return "lzma"; }
  [[nodiscard]] std::string to_json() const override { return text_; }

  [[nodiscard]] std::size_t max_encoded_size(std::size_t decoded_size) const override {
    // lzma_stream_buffer_bound assumes the uncompressed blocks of LZMA2, which LZMA1 does not have.
    const std::size_t old = decoded_size / 16;
    return lzma_stream_buffer_bound(decoded_size) + decoded_size / 256 + old + 512;
  }

  [[nodiscard]] std::size_t workspace_size(std::size_t decoded_size) const override {
    return std::max(encoder_memory(decoded_size), decoder_memory()) + (std::size_t{64} << 10);
  }

  [[nodiscard]] std::size_t encode(std::span<const std::byte> in,
                                   std::span<std::byte> out) const override {
    require_encode_room(id(), in.size(), max_encoded_size(in.size()), out.size());
    lzma_filter_chain filters = filters_;
    filters.shrink(in.size());
    lzma_coder coder;
    const lzma_ret begun = begin_encoding(coder, filters);
    if (begun != LZMA_OK) {
      throw codec_error(fmt::format("codec lzma: the filters cannot be used so (liblzma's code {})",
                                    static_cast<int>(begun)));
    }
    const auto [result, size] = coder.run(in, out);
    if (result != LZMA_STREAM_END) {
      throw codec_error(fmt::format("codec lzma: encoding {} B failed with code {}", in.size(),
                                    static_cast<int>(result)));
    }
    return size;
  }

  [[nodiscard]] std::size_t decode_at_most(std::span<const std::byte> in,
                                           std::span<std::byte> out) const override {
    lzma_coder coder;
    lzma_ret result = begin_decoding(coder);
    std::size_t size = 0;
    if (result == LZMA_OK) std::tie(result, size) = coder.run(in, out);
    if (result == LZMA_BUF_ERROR && size == out.size()) result = coder.find_end();
    if (result == LZMA_STREAM_END && !coder.has_input_left()) return size;
    if (result == LZMA_BUF_ERROR && coder.has_input_left()) {
      throw codec_error(fmt::format("codec lzma: {} B must decode to {} B, found more than that",
                                    in.size(), out.size()));
    }
    throw codec_error(fmt::format(
        "codec lzma: {} B are no whole stream: it breaks after {} of {} B are decoded ({})",
        in.size(), size, out.size(),
        result == LZMA_STREAM_END ? "more follows its end" : reason_of(result)));
  }

 private:
  [[nodiscard]] std::size_t encoder_memory(std::size_t decoded_size) const {
    lzma_filter_chain filters = filters_;
    filters.shrink(decoded_size);
    return static_cast<std::size_t>(lzma_raw_encoder_memusage(filters.get()));
  }

  /// Returns the limit of the decoder's memory; a stream that needs more is refused. The limit is
  /// at least the need of the usual preset, because a stream may differ from the configuration.
  [[nodiscard]] std::size_t decoder_memory() const {
    const lzma_filter_chain usual(LZMA_PRESET_DEFAULT, format_ == alone_format);
    constexpr std::size_t container = 64 << 10;
    return static_cast<std::size_t>(std::max(lzma_raw_decoder_memusage(filters_.get()),
                                             lzma_raw_decoder_memusage(usual.get()))) +
           container;
  }

  lzma_ret begin_encoding(lzma_coder& coder, const lzma_filter_chain& filters) const {
    if (format_ == xz_format) {
      return lzma_stream_encoder(coder.get(), filters.get(), static_cast<lzma_check>(check_));
    }
    if (format_ == raw_format) return lzma_raw_encoder(coder.get(), filters.get());
    return lzma_alone_encoder(coder.get(),
                              static_cast<const lzma_options_lzma*>(filters.get()[0].options));
  }

  lzma_ret begin_decoding(lzma_coder& coder) const {
    if (format_ == xz_format) {
      return lzma_stream_decoder(coder.get(), decoder_memory(), LZMA_CONCATENATED);
    }
    if (format_ == raw_format) return lzma_raw_decoder(coder.get(), filters_.get());
    return lzma_alone_decoder(coder.get(), decoder_memory());
  }

  lzma_format format_;
  int check_;
  lzma_filter_chain filters_;
  std::string text_;
};

lzma_filter_chain read_filters(const option_reader& options, lzma_format format) {
  if (options.raw("filters").is_null()) {
    if (format == raw_format) options.refuse("filters", "a list where \"format\" is 3 (raw)");
    constexpr std::int64_t usual = LZMA_PRESET_DEFAULT;
    const auto preset =
        options.raw("preset").is_null() ? usual : options.integer("preset", 0, 0, 9);
    return {static_cast<int>(preset), format == alone_format};
  }
  if (!options.raw("preset").is_null()) {
    options.refuse("preset", "null where \"filters\" are given");
  }
  lzma_filter_chain filters(options);
  if (format == alone_format && !filters.has_only(LZMA_FILTER_LZMA1)) {
    options.refuse("filters", "LZMA1 alone where \"format\" is 2");
  }
  if (lzma_raw_encoder_memusage(filters.get()) == UINT64_MAX ||
      lzma_raw_decoder_memusage(filters.get()) == UINT64_MAX) {
    options.refuse("filters", "a chain that liblzma supports");
  }
  return filters;
}

int read_check(const option_reader& options, lzma_format format) {
  const auto check = static_cast<int>(options.integer("check", -1, -1, LZMA_CHECK_ID_MAX));
  if (format != xz_format) {
    if (check > 0) options.refuse("check", "-1 or 0 where \"format\" is not 1 (.xz)");
    return LZMA_CHECK_NONE;
  }
  if (check == -1) return LZMA_CHECK_CRC64;
  if (lzma_check_is_supported(static_cast<lzma_check>(check)) == 0) {
    options.refuse("check", "0, 1, 4 or 10");
  }
  return check;
}

std::shared_ptr<const byte_codec> make_lzma_codec(std::string_view configuration, codec_elements) {
  const option_reader options(configuration, {"format", "check", "preset", "filters"});
  const auto format = static_cast<lzma_format>(options.integer("format", 1, 1, 3));
  const int check = read_check(options, format);
  nlohmann::json object{{"id", "lzma"},
                        {"format", static_cast<int>(format)},
                        {"check", options.integer("check", -1, -1, LZMA_CHECK_ID_MAX)},
                        {"preset", options.raw("preset")},
                        {"filters", options.raw("filters")}};
  return std::make_shared<lzma_codec>(format, check, read_filters(options, format), object.dump());
}

}  // namespace
}  // namespace tessera::detail

namespace tessera::codec {

const known_codec lzma::known{"lzma", &detail::make_lzma_codec};

configuration lzma::chosen() const {
  return chosen_by({{"id", known.id},
                    {"format", format},
                    {"check", check},
                    {"preset", preset ? nlohmann::json(*preset) : nlohmann::json()}});
}

}  // namespace tessera::codec
