// SPDX-License-Identifier: Apache-2.0
#include "codec/buffer_checks.hpp"
#include "codec/chosen.hpp"
#include "codec/option_reader.hpp"

#include <algorithm>
#include <array>

namespace tessera::detail {

namespace {

constexpr std::string_view letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t no_letter = 0xFF;

constexpr std::array<std::uint8_t, 256> value_of_letter = [] {
  std::array<std::uint8_t, 256> values{};
  values.fill(no_letter);
  for (std::size_t i = 0; i < letters.size(); ++i) {
    values[static_cast<std::uint8_t>(letters[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}();

/// Encodes three bytes as four letters, padded by '=' (RFC 4648, section 4), without line breaks.
class base64_codec final : public byte_codec {
 public:
  [[nodiscard]] std::string_view id() const override { return "base64"; }
  [[nodiscard]] std::string to_json() const override { return R"({"id":"base64"})"; }
  [[nodiscard]] std::size_t max_encoded_size(std::size_t decoded_size) const override {
    return 4 * (decoded_size / 3 + (decoded_size % 3 == 0 ? 0 : 1));
  }
  [[nodiscard]] std::size_t workspace_size(std::size_t) const override { return 1024; }

  [[nodiscard]] std::size_t encode(std::span<const std::byte> in,
                                   std::span<std::byte> out) const override {
    const std::size_t size = max_encoded_size(in.size());
    require_encode_room(id(), in.size(), size, out.size());
    std::size_t to = 0;
    for (std::size_t from = 0; from < in.size(); from += 3) {
      const std::size_t count = std::min<std::size_t>(3, in.size() - from);
      std::uint32_t bits = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        bits = bits << 8 | (i < count ? std::to_integer<std::uint32_t>(in[from + i]) : 0);
      }
      for (std::size_t i = 0; i < 4; ++i) {
        const char letter = i > count ? '=' : letters[bits >> (18 - 6 * i) & 63];
        out[to++] = static_cast<std::byte>(letter);
      }
    }
    return size;
  }

  [[nodiscard]] std::size_t decode_at_most(std::span<const std::byte> in,
                                           std::span<std::byte> out) const override {
    if (in.size() % 4 != 0) refuse(in.size(), in.size());
    std::size_t padding = 0;
    while (padding < 2 && padding < in.size() && in[in.size() - 1 - padding] == std::byte{'='}) {
      ++padding;
    }
    const std::size_t size = in.size() / 4 * 3 - padding;
    require_decode_room(id(), size, out.size());
    std::size_t to = 0;
    for (std::size_t from = 0; from < in.size(); from += 4) {
      const std::size_t count = from + 4 == in.size() ? 4 - padding : 4;
      std::uint32_t bits = 0;
      for (std::size_t i = 0; i < 4; ++i) {
        const auto letter = std::to_integer<std::uint8_t>(in[from + i]);
        const std::uint8_t value = i < count ? value_of_letter[letter] : std::uint8_t{0};
        if (value == no_letter) refuse(in.size(), from + i);
        bits = bits << 6 | value;
      }
      for (std::size_t i = 0; i + 1 < count; ++i) {
        out[to++] = static_cast<std::byte>(bits >> (16 - 8 * i) & 0xFF);
      }
    }
    return size;
  }

 private:
  [[noreturn]] static void refuse(std::size_t size, std::size_t position) {
    throw codec_error(
        fmt::format("codec base64: {} B are no base64 text: it breaks at byte {}", size, position));
  }
};

std::shared_ptr<const byte_codec> make_base64_codec(std::string_view configuration,
                                                    codec_elements) {
  const option_reader options(configuration, {});
  return std::make_shared<base64_codec>();
}

}  // namespace
}  // namespace tessera::detail

namespace tessera::codec {

const known_codec base64::known{"base64", &detail::make_base64_codec};

configuration base64::chosen() const { return chosen_by({{"id", known.id}}); }

}  // namespace tessera::codec
