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
#include <zstd.h>

namespace ts = tessera;

namespace {

// The output of numcodecs 0.11 for numpy.arange(40, dtype="<i4").
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

constexpr std::string_view gzip_6 =
    "1f8b0800a97c006b00ff0dc30b1281500000c02729faa85042224af7bfa1dd990d21848d915b637726a6ee3d98995b"
    "58"
    "7ab4b2b6f1e4d98bad9d577b6fde7d38f874f4e5dbc98f5f67177faefe0149acae04a0000000";
constexpr std::string_view zstd_3 =
    "28b52ffd20a0fd010002ca0e0b1058be19fca0cbe7114a016f9cf1c5154f1cf1c30d2f9cf0c1050f1cf0efdebb73df"
    "ae"
    "3d3bf6ebd6ab539f2e3d3af4e7ce9b335fae3c39f2e30300";
// The output of Python's gzip.compress for the first and for the last 80 B, one after the other.
constexpr std::string_view gzip_members =
    "1f8b08008b83006b02ff0dc3011240201000c053440ac5ffff6a776623221693d9d5cde2ee61f5b4d9bdbc7d1c4e5f"
    "3f"
    "7f894a6853500000001f8b08008b83006b02ff0dc3871180201000b01f424129166cfb6f68729729226693d9c5d562"
    "b5"
    "d9dddc3d3c1d5ede3ebe7efe5e41971150000000";
// The output of the zstd program for the same bytes from a pipe: two frames that do not state the
// size of their content, with a checksum.
constexpr std::string_view zstd_frames =
    "28b52ffd04581501000285070810483d07008c450a2f4e7cb8f0e0c0dfdddbd9d7d5d3d1cfcdcbc9c7070054fef7b9"
    "28"
    "b52ffd04583d010002c5080c10cf730f76118928010070293f6ebc38f1e1c283037f776f675f574f473f372f270100"
    "f4"
    "2e5a50";

// numcodecs again: BZ2(1), LZ4(), LZMA(preset=1) in the formats 1, 2 and, with a delta of 4 B, 3.
constexpr std::string_view bz2_1 =
    "425a68313141592653599bd81406000001f0007fffffffff802000223540d340d0d00c8308c86191a69a646132304d"
    "0188c80a59a7a0d49eaaecb6e45f8629cb3d35db7e14be7aefc635cff7e846008101f8bb9229c28484dec0a030";
constexpr std::string_view lz4_1 =
    "a0000000f0910000000001000000020000000300000004000000050000000600000007000000080000000900000"
    "00a0000000b0000000c0000000d0000000e0000000f000000100000001100000012000000130000001400000015"
    "000000160000001700000018000000190000001a0000001b0000001c0000001d0000001e0000001f00000020000"
    "000210000002200000023000000240000002500000026000000"
    "27000000";
constexpr std::string_view lzma_xz =
    "fd377a585a000004e6d6b4460200210110000000a8708e86e0009f00595d0000687e9e2040a60b69998b065a8b00"
    "94e93ec008161aa4a02e49651a68a7a470564bc3d0b1f86e3690d8fb653d1b413d5c3a7e2b7822d25e683bbeea38"
    "ce28463ab8fc4efa09a43518f020e1679ae62fa45806ec6db05d7000000000002008aba6d27a510e000175a00100"
    "00005cb02150b1c467fb020000000004595a";
constexpr std::string_view lzma_alone =
    "5d00001000ffffffffffffffff0000687e9e2040a60b69998b065a8b0094e93ec008161aa4a02e49651a68a7a470"
    "564bc3d0b1f86e3690d8fb653d1b413d5c3a7e2b7822d25e683bbeea38ce28463ab8fc4efa09a43518f020e1679a"
    "e62fa45806ec6e8986b125ffecf58000";
constexpr std::string_view lzma_raw = "e0009f00095d0000687ecc22776f400000";
// The output of Python's bz2.compress for the first and for the last 80 B, one after the other.
constexpr std::string_view bz2_streams =
    "425a6839314159265359c9a0e91f000001e0007ffff80020002194340d00c85309a680d311e0446493a56d75c675"
    "be77ccec4027e2ee48a70a1219341d23e0425a6839314159265359783f04f800001e7000400007ffff8020002235"
    "0d03400f50a069a1919310be0b194e956b5f19d6f9df128800f8bb9229c28483c1f827c0";

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
  EXPECT_EQ(decoded(R"({"id": "gzip"})", from_hex(gzip_6)), counted());
  EXPECT_EQ(decoded(R"({"id": "zstd"})", from_hex(zstd_3)), counted());
  EXPECT_EQ(decoded(R"({"id": "bz2"})", from_hex(bz2_1)), counted());
  EXPECT_EQ(decoded(R"({"id": "lz4"})", from_hex(lz4_1)), counted());
  EXPECT_EQ(decoded(R"({"id": "lzma"})", from_hex(lzma_xz)), counted());
  EXPECT_EQ(decoded(R"({"id": "lzma", "format": 2})", from_hex(lzma_alone)), counted());
  EXPECT_EQ(decoded(R"({"id": "lzma", "format": 3,
                        "filters": [{"id": 3, "dist": 4}, {"id": 33, "preset": 1}]})",
                    from_hex(lzma_raw)),
            counted());
  // Decoding depends on the header alone, not on the configuration.
  EXPECT_EQ(decoded(R"({"id": "blosc"})", from_hex(blosc_zstd_bit_shuffle)), counted());
}

TEST(ForeignBytes, OfSeveralMembersOrFramesAreDecoded) {
  EXPECT_EQ(decoded(R"({"id": "gzip"})", from_hex(gzip_members)), counted());
  EXPECT_EQ(decoded(R"({"id": "zstd"})", from_hex(zstd_frames)), counted());
  EXPECT_EQ(decoded(R"({"id": "bz2"})", from_hex(bz2_streams)), counted());
}

// Old numcodecs cannot read a frame that does not state its content's size.
TEST(ForeignBytes, ZstdFramesStateTheSizeOfTheirContent) {
  const std::vector<std::byte> data(300);
  const auto codec = ts::make_codec(R"({"id": "zstd"})", 4);
  std::vector<std::byte> stored(codec->max_encoded_size(data.size()));
  stored.resize(codec->encode(data, stored));
  EXPECT_EQ(ZSTD_getFrameContentSize(stored.data(), stored.size()), 300U);
}

TEST(ForeignBytes, BloscHeaderThatLiesIsRefused) {
  const std::vector<std::byte> honest = from_hex(blosc_lz4_byte_shuffle);
  struct lie {
    std::size_t offset;
    int value;
  };
  // README_CHUNK_FORMAT.rst: version, flags, itemsize; decoded size at 4, block at 8, encoded
  // at 12.
  for (const lie change :
       {lie{0, 9}, lie{2, 0x3F}, lie{4, 0xA4}, lie{7, 0x7F}, lie{7, 0xFF}, lie{8, 0}, lie{11, 0x7F},
        lie{12, 0x51}, lie{15, 0xFF}, lie{16, 0xFF}, lie{19, 0xFF}}) {
    std::vector<std::byte> stored = honest;
    stored[change.offset] = static_cast<std::byte>(change.value);
    EXPECT_THROW((void)decoded(R"({"id": "blosc"})", stored), ts::codec_error) << change.offset;
  }
}

TEST(ForeignBytes, BloscBombIsRefusedByItsHeader) {
  std::vector<std::byte> bomb = from_hex(blosc_lz4_byte_shuffle);
  bomb[7] = std::byte{0x40};  // a decoded size of 2^30 B and more
  EXPECT_THAT(refusal_of(bomb), ::testing::HasSubstr("must decode to 160 B, found 1073741984 B"));
}

}  // namespace
