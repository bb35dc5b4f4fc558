// SPDX-License-Identifier: Apache-2.0
#include "tessera/codec/registry.hpp"
#include "tessera/core/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ts = tessera;

namespace {

// What numcodecs 0.11 makes of numpy.arange(40, dtype="<i4").
constexpr std::string_view zlib_6 =
    "789c0dc30b1281500000c02729faa85042224af7bfa1dd990d21848d915b637726a6ee3d98995b587ab4b2b6f1e4d9"
    "8b"
    "ad9d577b6fde7d38f874f4e5dbc98f5f67177faefe01a730030d";
constexpr std::string_view blosc_lz4_byte_shuffle =
    "02013104a0000000a0000000500000001400000038000000ff1e000102030405060708090a0b0c0d0e0f1011121314"
    "15"
    "161718191a1b1c1d1e1f2021222324252627000000000005005b500000000000";
constexpr std::string_view blosc_zstd_bit_shuffle =
    "02019404a0000000a00000003e000000140000002600000028b52ffd20a0ed000098aaaaaaaaaaccf000ff00ff0000"
    "00"
    "ffff00ff000410003ef1e2deb508";

std::vector<std::byte> from_hex(std::string_view hex) {
  std::vector<std::byte> result;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    result.push_back(static_cast<std::byte>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return result;
}

std::vector<std::int32_t> decoded(const char* configuration, std::span<const std::byte> stored) {
  std::vector<std::int32_t> values(40);
  ts::make_codec(configuration, 4)->decode(stored, std::as_writable_bytes(std::span(values)));
  return values;
}

std::vector<std::int32_t> counted() {
  std::vector<std::int32_t> values(40);
  std::iota(values.begin(), values.end(), 0);
  return values;
}

std::string refusal_of(std::span<const std::byte> stored) {
  try {
    (void)decoded(R"({"id": "blosc"})", stored);
  } catch (const ts::codec_error& failure) {
    return failure.what();
  }
  return "accepted";
}

TEST(ForeignBytes, OfNumcodecsAreDecoded) {
  EXPECT_EQ(decoded(R"({"id": "zlib"})", from_hex(zlib_6)), counted());
  EXPECT_EQ(decoded(R"({"id": "blosc"})", from_hex(blosc_lz4_byte_shuffle)), counted());
  // Decoding depends on the header alone, not on the configuration.
  EXPECT_EQ(decoded(R"({"id": "blosc"})", from_hex(blosc_zstd_bit_shuffle)), counted());
}

TEST(ForeignBytes, BloscHeaderThatLiesIsRefused) {
  const std::vector<std::byte> honest = from_hex(blosc_lz4_byte_shuffle);
  struct lie {
    std::size_t offset;
    int value;
  };
  // README_CHUNK_FORMAT.rst: version, flags, itemsize; decoded size at 4, block at 8, encoded
  // at 12.
  for (const lie each :
       {lie{0, 9}, lie{2, 0x3F}, lie{4, 0xA4}, lie{7, 0x7F}, lie{7, 0xFF}, lie{8, 0}, lie{11, 0x7F},
        lie{12, 0x51}, lie{15, 0xFF}, lie{16, 0xFF}, lie{19, 0xFF}}) {
    std::vector<std::byte> stored = honest;
    stored[each.offset] = static_cast<std::byte>(each.value);
    EXPECT_THROW((void)decoded(R"({"id": "blosc"})", stored), ts::codec_error) << each.offset;
  }
}

TEST(ForeignBytes, BloscBombIsRefusedByItsHeader) {
  std::vector<std::byte> bomb = from_hex(blosc_lz4_byte_shuffle);
  bomb[7] = std::byte{0x40};  // a decoded size of 2^30 B and more
  EXPECT_THAT(refusal_of(bomb), ::testing::HasSubstr("must decode to 160 B, found 1073741984 B"));
}

}  // namespace
