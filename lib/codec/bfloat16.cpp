// SPDX-License-Identifier: Apache-2.0
#include "codec/api/v3_filters.hpp"
#include "codec/number_filter.hpp"

#include <bit>

namespace tessera::detail {

namespace {

/// Elements of bfloat16 count as unsigned integers: no other filter takes them for float16.
class bfloat16_codec final : public number_filter {
 public:
  explicit bfloat16_codec(std::endian order)
      : number_filter("bfloat16", {'f', 4, order}, {'u', 2, order}) {}

  [[nodiscard]] std::string to_json() const override { return R"({"id":"bfloat16"})"; }

 private:
  void encode_numbers(const std::byte* in, std::size_t count, std::byte* out) const override {
    std::array<std::uint16_t, numbers_at_a_time> results;
    for_each_strip<float>(count, [&](std::size_t first, std::span<float> strip) {
      read_numbers(in + first * sizeof(float), decoded_.is_swapped(), strip);
      for (std::size_t i = 0; i < strip.size(); ++i) results[i] = to_bfloat16(strip[i]);
      write_numbers(std::span<const std::uint16_t>(results).first(strip.size()),
                    encoded_.is_swapped(), out + first * sizeof(std::uint16_t));
    });
  }

  void decode_numbers(const std::byte* in, std::size_t count, std::byte* out) const override {
    std::array<float, numbers_at_a_time> results;
    for_each_strip<std::uint16_t>(count, [&](std::size_t first, std::span<std::uint16_t> strip) {
      read_numbers(in + first * sizeof(std::uint16_t), encoded_.is_swapped(), strip);
      for (std::size_t i = 0; i < strip.size(); ++i) results[i] = from_bfloat16(strip[i]);
      write_numbers(std::span<const float>(results).first(strip.size()), decoded_.is_swapped(),
                    out + first * sizeof(float));
    });
  }
};

}  // namespace

float from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t to_bfloat16(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  // A rounded NaN might become infinity; it keeps the upper bits, and stays a NaN.
  if (number != number) {
    const std::uint32_t upper = bits >> 16;
    return static_cast<std::uint16_t>((upper & 0x7F) == 0 ? upper | 0x40 : upper);
  }
  return static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

std::shared_ptr<const byte_codec> make_bfloat16_codec(std::endian order) {
  return std::make_shared<bfloat16_codec>(order);
}

}  // namespace tessera::detail
