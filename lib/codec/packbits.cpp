// SPDX-License-Identifier: Apache-2.0
/// \file
/// The filter "packbits" of numcodecs, for Zarr version 2: a byte with the number of padding bits,
/// then eight booleans in a byte, the first in the highest bit. `bit_packing.cpp` is the codec of
/// version 3, with the opposite order of bits.
#include "codec/buffer_checks.hpp"
#include "codec/chosen.hpp"
#include "codec/option_reader.hpp"

#include <algorithm>

namespace tessera::detail {

namespace {

class packbits_codec final : public byte_codec {
 public:
  [[nodiscard]] std::string_view id() const override { return "packbits"; }
  [[nodiscard]] std::string to_json() const override { return R"({"id":"packbits"})"; }
  [[nodiscard]] std::size_t max_encoded_size(std::size_t decoded_size) const override {
    return 1 + decoded_size / 8 + (decoded_size % 8 == 0 ? 0 : 1);
  }
  [[nodiscard]] std::size_t workspace_size(std::size_t) const override { return 1024; }

  [[nodiscard]] std::size_t encode(std::span<const std::byte> in,
                                   std::span<std::byte> out) const override {
    const std::size_t size = max_encoded_size(in.size());
    require_encode_room(id(), in.size(), size, out.size());
    out[0] = static_cast<std::byte>((8 - in.size() % 8) % 8);
    for (std::size_t i = 1; i < size; ++i) {
      const auto part =
          in.subspan(8 * (i - 1)).first(std::min(in.size() - 8 * (i - 1), std::size_t{8}));
      unsigned bits = 0;
      for (std::size_t bit = 0; bit < part.size(); ++bit) {
        if (part[bit] != std::byte{0}) bits |= 0x80U >> bit;
      }
      out[i] = static_cast<std::byte>(bits);
    }
    return size;
  }

  [[nodiscard]] std::size_t decode_at_most(std::span<const std::byte> in,
                                           std::span<std::byte> out) const override {
    const std::size_t padding = in.empty() ? 0 : std::to_integer<std::size_t>(in[0]);
    if (in.empty() || padding > 7 || (padding > 0 && in.size() == 1)) {
      throw codec_error(
          fmt::format("codec packbits: {} B must begin with the number of padding bits of the last "
                      "byte, found {}",
                      in.size(), padding));
    }
    const std::size_t size = 8 * (in.size() - 1) - padding;
    require_decode_room(id(), size, out.size());
    for (std::size_t i = 0; i < size; ++i) {
      out[i] = (in[1 + i / 8] >> (7 - i % 8)) & std::byte{1};
    }
    return size;
  }
};

std::shared_ptr<const byte_codec> make_packbits_codec(std::string_view configuration,
                                                      codec_elements) {
  const option_reader options(configuration, {});
  return std::make_shared<packbits_codec>();
}

}  // namespace
}  // namespace tessera::detail

namespace tessera::codec {

const known_codec packbits::known{"packbits", &detail::make_packbits_codec};

configuration packbits::chosen() const { return chosen_by({{"id", known.id}}); }

}  // namespace tessera::codec
