// SPDX-License-Identifier: Apache-2.0
/// \file
/// The codec "packbits" of Zarr version 3: eight booleans in a byte, the first in the lowest bit.
///
///     booleans  1 1 0 1 0 0 0 0 | 1      encoded   0b00001011  0b00000001
///
/// The padding, here 7 bits, may be stated in a byte of its own, before or behind the packed bytes.
/// `packbits.cpp` is the filter of the same name of numcodecs, with the opposite order of bits.
#include "tessera/core/error.hpp"

#include "codec/api/v3_filters.hpp"
#include "codec/buffer_checks.hpp"

#include <algorithm>

namespace tessera::detail {

namespace {

class bit_packing final : public byte_codec {
 public:
  explicit bit_packing(padding_byte padding) : padding_(padding) {}

  [[nodiscard]] std::string_view id() const override { return "packbits"; }
  [[nodiscard]] std::string to_json() const override {
    const char* const name = padding_ == padding_byte::none    ? "none"
                             : padding_ == padding_byte::first ? "first_byte"
                                                               : "last_byte";
    return fmt::format(R"({{"id":"packbits","padding_encoding":"{}"}})", name);
  }
  [[nodiscard]] std::size_t max_encoded_size(std::size_t decoded_size) const override {
    return packed_size(decoded_size) + extra();
  }
  [[nodiscard]] std::size_t workspace_size(std::size_t) const override { return 1024; }

  [[nodiscard]] std::size_t encode(std::span<const std::byte> in,
                                   std::span<std::byte> out) const override {
    const std::size_t size = max_encoded_size(in.size());
    require_encode_room(id(), in.size(), size, out.size());
    std::ranges::fill(out.first(size), std::byte{0});
    const std::span<std::byte> packed = packed_in(out.first(size));
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (in[i] != std::byte{0}) packed[i / 8] |= std::byte{1} << (i % 8);
    }
    const auto padding = static_cast<std::byte>(8 * packed.size() - in.size());
    if (padding_ == padding_byte::first) out[0] = padding;
    if (padding_ == padding_byte::last) out[size - 1] = padding;
    return size;
  }

  /// Fills all of `out` if the padding is not stated: a chunk states how many elements it has.
  [[nodiscard]] std::size_t decode_at_most(std::span<const std::byte> in,
                                           std::span<std::byte> out) const override {
    const std::size_t size = decoded_size(in, out.size());
    const auto packed = packed_in(in);
    for (std::size_t i = 0; i < size; ++i) out[i] = packed[i / 8] >> (i % 8) & std::byte{1};
    return size;
  }

 private:
  [[nodiscard]] static std::size_t packed_size(std::size_t count) {
    return count / 8 + (count % 8 == 0 ? 0 : 1);
  }
  [[nodiscard]] std::size_t extra() const { return padding_ == padding_byte::none ? 0 : 1; }

  template <class Bytes>
  [[nodiscard]] Bytes packed_in(Bytes bytes) const {
    return bytes.subspan(padding_ == padding_byte::first ? 1 : 0, bytes.size() - extra());
  }

  [[nodiscard]] std::size_t decoded_size(std::span<const std::byte> in, std::size_t room) const {
    if (in.size() < extra())
      throw codec_error("codec packbits: the byte of the padding is missing");
    const std::size_t bits = 8 * (in.size() - extra());
    if (padding_ == padding_byte::none) {
      if (in.size() == packed_size(room)) return room;
      throw codec_error(fmt::format("codec packbits: {} booleans must have {} B, found {} B", room,
                                    packed_size(room), in.size()));
    }
    const std::byte stated = padding_ == padding_byte::first ? in.front() : in.back();
    const auto padding = std::to_integer<std::size_t>(stated);
    if (padding > 7 || padding > bits) {
      throw codec_error(fmt::format(
          "codec packbits: {} B must state the number of padding bits of the last byte, found {}",
          in.size(), padding));
    }
    require_decode_room(id(), bits - padding, room);
    return bits - padding;
  }

  padding_byte padding_;
};

}  // namespace

std::shared_ptr<const byte_codec> make_bit_packing(padding_byte padding) {
  return std::make_shared<bit_packing>(padding);
}

}  // namespace tessera::detail
