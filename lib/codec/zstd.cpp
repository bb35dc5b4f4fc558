// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"

#include "codec/buffer_checks.hpp"
#include "codec/chosen.hpp"
#include "codec/option_reader.hpp"
#include "codec/zstd_workspace.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <zstd.h>

namespace tessera::detail {

namespace {

struct free_encoder {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

class zstd_codec final : public byte_codec {
 public:
  zstd_codec(int level, bool has_checksum) : level_(level), has_checksum_(has_checksum) {}

  [[nodiscard]] std::string_view id() const override { return "zstd"; }

  [[nodiscard]] std::string to_json() const override {
    // TensorStore and zarrs refuse the member "checksum": it is written only if it is true.
    nlohmann::json configuration{{"id", "zstd"}, {"level", level_}};
    if (has_checksum_) configuration["checksum"] = true;
    return configuration.dump();
  }

  [[nodiscard]] std::size_t max_encoded_size(std::size_t decoded_size) const override {
    const std::size_t bound = ZSTD_compressBound(decoded_size);
    if (ZSTD_isError(bound) != 0) {
      throw codec_error(fmt::format("codec zstd: a chunk may not have {} B: choose smaller chunks",
                                    decoded_size));
    }
    // ZSTD_compressBound bounds a single call; a streaming writer adds a header for each 128 KiB.
    constexpr std::size_t slack = 64;
    return bound + (decoded_size >> 12) + slack;
  }

  [[nodiscard]] std::size_t workspace_size(std::size_t decoded_size) const override {
    return std::max(zstd_encoder_size(level_, decoded_size), zstd_decoder_size);
  }

  [[nodiscard]] std::size_t encode(std::span<const std::byte> in,
                                   std::span<std::byte> out) const override {
    require_encode_room(id(), in.size(), max_encoded_size(in.size()), out.size());
    const std::unique_ptr<ZSTD_CCtx, free_encoder> encoder(ZSTD_createCCtx());
    if (encoder == nullptr) throw codec_error("codec zstd: ZSTD_createCCtx failed");
    set(*encoder, ZSTD_c_compressionLevel, level_);
    set(*encoder, ZSTD_c_checksumFlag, has_checksum_ ? 1 : 0);
    // A single call: the frame then states the size of its content, which old readers need.
    const std::size_t size =
        ZSTD_compress2(encoder.get(), out.data(), out.size(), in.data(), in.size());
    if (ZSTD_isError(size) != 0) {
      throw codec_error(
          fmt::format("codec zstd: encoding {} B failed: {}", in.size(), ZSTD_getErrorName(size)));
    }
    return size;
  }

  [[nodiscard]] std::size_t decode_at_most(std::span<const std::byte> in,
                                           std::span<std::byte> out) const override {
    const std::size_t size = ZSTD_decompress(out.data(), out.size(), in.data(), in.size());
    if (ZSTD_isError(size) != 0) {
      throw codec_error(fmt::format("codec zstd: {} B do not decode to {} B: {}", in.size(),
                                    out.size(), ZSTD_getErrorName(size)));
    }
    return size;
  }

 private:
  static void set(ZSTD_CCtx& encoder, ZSTD_cParameter parameter, int value) {
    const std::size_t result = ZSTD_CCtx_setParameter(&encoder, parameter, value);
    if (ZSTD_isError(result) != 0) {
      throw codec_error(fmt::format("codec zstd: {}", ZSTD_getErrorName(result)));
    }
  }

  int level_;
  bool has_checksum_;
};

std::shared_ptr<const byte_codec> make_zstd_codec(std::string_view configuration, codec_elements) {
  const option_reader options(configuration, {"level", "checksum"});
  const std::int64_t level =
      options.integer("level", 0, ZSTD_minCLevel(), std::numeric_limits<int>::max());
  // numcodecs lowers levels above the greatest level.
  return std::make_shared<zstd_codec>(
      static_cast<int>(std::min<std::int64_t>(level, ZSTD_maxCLevel())),
      options.boolean("checksum", false));
}

}  // namespace
}  // namespace tessera::detail

namespace tessera::codec {

const known_codec zstd::known{"zstd", &detail::make_zstd_codec};

configuration zstd::chosen() const {
  return chosen_by({{"id", known.id}, {"level", level}, {"checksum", checksum}});
}

}  // namespace tessera::codec
