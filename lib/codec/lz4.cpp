// SPDX-License-Identifier: Apache-2.0
#include "codec/buffer_checks.hpp"
#include "codec/chosen.hpp"
#include "codec/option_reader.hpp"

#include <algorithm>
#include <limits>
#include <lz4.h>

namespace tessera::detail {

namespace {

/// The decoded size in 4 bytes, little-endian, and a single block of LZ4.
class lz4_codec final : public byte_codec {
 public:
  explicit lz4_codec(int acceleration) : acceleration_(acceleration) {}

  [[nodiscard]] std::string_view id() const override { return "lz4"; }
  [[nodiscard]] std::string to_json() const override {
    return nlohmann::json{{"id", "lz4"}, {"acceleration", acceleration_}}.dump();
  }

  [[nodiscard]] std::size_t max_encoded_size(std::size_t decoded_size) const override {
    if (decoded_size > LZ4_MAX_INPUT_SIZE) {
      throw codec_error(
          fmt::format("codec lz4: a chunk may have at most {} B, found {} B: choose smaller chunks",
                      LZ4_MAX_INPUT_SIZE, decoded_size));
    }
    return head + static_cast<std::size_t>(LZ4_compressBound(static_cast<int>(decoded_size)));
  }

  [[nodiscard]] std::size_t workspace_size(std::size_t) const override {
    return sizeof(LZ4_stream_t) + 4096;  // on the stack
  }

  [[nodiscard]] std::size_t encode(std::span<const std::byte> in,
                                   std::span<std::byte> out) const override {
    require_encode_room(id(), in.size(), max_encoded_size(in.size()), out.size());
    for (std::size_t i = 0; i < head; ++i) {
      out[i] = static_cast<std::byte>(in.size() >> (8 * i) & 0xFF);
    }
    const int written =
        LZ4_compress_fast(letters(in.data()), letters(out.data() + head),
                          static_cast<int>(in.size()), count(out.size() - head), acceleration_);
    if (written <= 0) {
      throw codec_error(fmt::format("codec lz4: encoding {} B failed", in.size()));
    }
    return head + static_cast<std::size_t>(written);
  }

  [[nodiscard]] std::size_t decode_at_most(std::span<const std::byte> in,
                                           std::span<std::byte> out) const override {
    if (in.size() < head) {
      throw codec_error(fmt::format("codec lz4: {} B are too short to state a size", in.size()));
    }
    std::size_t stated = 0;
    for (std::size_t i = 0; i < head; ++i) {
      stated |= std::to_integer<std::size_t>(in[i]) << (8 * i);
    }
    require_decode_room(id(), stated, out.size());
    if (in.size() - head > std::numeric_limits<int>::max()) {
      throw codec_error(fmt::format("codec lz4: {} B are too many for a block", in.size()));
    }
    std::byte nowhere{};
    std::byte* const begin = out.empty() ? &nowhere : out.data();
    const int size = LZ4_decompress_safe(letters(in.data() + head), letters(begin),
                                         static_cast<int>(in.size() - head), count(stated));
    if (size < 0 || static_cast<std::size_t>(size) != stated) {
      throw codec_error(
          fmt::format("codec lz4: {} B state that they decode to {} B, but the block is damaged",
                      in.size(), stated));
    }
    return stated;
  }

 private:
  static constexpr std::size_t head = 4;

  static int count(std::size_t size) {
    return static_cast<int>(std::min<std::size_t>(size, std::numeric_limits<int>::max()));
  }
  static const char* letters(const std::byte* bytes) {
    return reinterpret_cast<const char*>(bytes);
  }
  static char* letters(std::byte* bytes) { return reinterpret_cast<char*>(bytes); }

  int acceleration_;
};

std::shared_ptr<const byte_codec> make_lz4_codec(std::string_view configuration, codec_elements) {
  const option_reader options(configuration, {"acceleration"});
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  // numcodecs replaces an acceleration below 1 by 1.
  return std::make_shared<lz4_codec>(
      static_cast<int>(std::max<std::int64_t>(1, options.integer("acceleration", 1, -most, most))));
}

}  // namespace
}  // namespace tessera::detail

namespace tessera::codec {

const known_codec lz4::known{"lz4", &detail::make_lz4_codec};

configuration lz4::chosen() const {
  return chosen_by({{"id", known.id}, {"acceleration", acceleration}});
}

}  // namespace tessera::codec
