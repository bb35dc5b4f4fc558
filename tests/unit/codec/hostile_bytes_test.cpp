// SPDX-License-Identifier: Apache-2.0

/// \file
/// Encodings with false sizes, memory and ends. And ranges of blocks.

#include "tessera/codec/configuration.hpp"

#include "unit/codec/hex.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::testing {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<const byte_codec> codec_of(const std::string& json) { return make_codec(json, 4); }

TEST(HostileBytes, BombsAreRefusedWithoutRoomForThem) {
  const buffer zeros(std::size_t{16} << 20);
  for (const char* json :
       {R"({"id": "blosc"})", R"({"id": "zlib"})", R"({"id": "gzip"})", R"({"id": "bz2"})",
        R"({"id": "zstd"})", R"({"id": "lz4"})", R"({"id": "lzma", "preset": 0})",
        R"({"id": "lzma", "format": 2, "preset": 0})", R"({"id": "base64"})",
        R"({"id": "packbits"})", R"({"id": "crc32"})", R"({"id": "delta", "dtype": "<i4"})"}) {
    const auto codec = codec_of(json);
    const buffer bomb = encoded(*codec, zeros);
    EXPECT_THROW((void)decoded(*codec, bomb, 160), codec_error) << json;
  }
}

TEST(HostileBytes, LZ4StatesItsSizeInFront) {
  const auto codec = codec_of(R"({"id": "lz4"})");
  buffer stored = encoded(*codec, buffer(160));
  stored[0] = std::byte{161};
  EXPECT_THAT(refusal_of(*codec, stored, 160), HasSubstr("must decode to 160 B, found 161 B"));
  EXPECT_THAT(refusal_of(*codec, stored, 161), HasSubstr("damaged"));
  stored[3] = std::byte{0xFF};
  EXPECT_THAT(refusal_of(*codec, stored, 160), HasSubstr("found 4278190241 B"));
  EXPECT_THAT(refusal_of(*codec, from_hex("a000"), 160), HasSubstr("too short"));
}

// Bytes 1 to 4 of the .lzma format: the dictionary's size, here 1.5 GiB.
TEST(HostileBytes, LZMAWithAHugeDictionaryIsRefused) {
  const auto codec = codec_of(R"({"id": "lzma", "format": 2, "preset": 0})");
  buffer stored = encoded(*codec, buffer(160));
  stored[4] = std::byte{0x60};
  EXPECT_THAT(refusal_of(*codec, stored, 160), HasSubstr("more memory"));
}

TEST(HostileBytes, OptionsThatAreNestedDeeplyAreRefused) {
  const std::string deep(100000, '[');
  EXPECT_THROW((void)codec_of(R"({"id": "lzma", "filters": )" + deep), codec_error);
  const std::string closed = deep + std::string(100000, ']');
  EXPECT_THROW((void)codec_of(R"({"id": "lzma", "filters": )" + closed + "}"), codec_error);
}

TEST(HostileBytes, AChecksPlaceIsNoSizeOfAnything) {
  for (const char* id : {"crc32", "crc32c", "adler32", "fletcher32"}) {
    const auto codec = codec_of(std::string(R"({"id": ")") + id + "\"}");
    EXPECT_THAT(refusal_of(*codec, from_hex("010203"), 0), HasSubstr("too short"));
  }
}

class BloscRange : public ::testing::Test {
 protected:
  BloscRange() : data_(std::size_t{1} << 20) {
    for (std::size_t i = 0; i < data_.size(); ++i) data_[i] = static_cast<std::byte>(i / 64 % 251);
    stored_ = encoded(*codec_, data_);
  }

  bool decode(std::size_t first, buffer& part) {
    return codec_->decode_range(stored_, data_.size(), first, part);
  }

  std::shared_ptr<const byte_codec> codec_ = codec_of(R"({"id": "blosc", "blocksize": 65536})");
  buffer data_;
  buffer stored_;
};

TEST_F(BloscRange, IsDecodedAcrossBlocks) {
  buffer part(100000);
  ASSERT_TRUE(decode(60000, part));
  EXPECT_TRUE(std::equal(part.begin(), part.end(), data_.begin() + 60000));
}

// Damage in another block is not seen, which tells that it was not decoded.
TEST_F(BloscRange, TouchesNoOtherBlocks) {
  std::fill(stored_.end() - 200, stored_.end(), std::byte{0xFF});
  EXPECT_THROW((void)decoded(*codec_, stored_, data_.size()), codec_error);
  buffer part(4096);
  ASSERT_TRUE(decode(65536, part));
  EXPECT_TRUE(std::equal(part.begin(), part.end(), data_.begin() + 65536));
}

TEST_F(BloscRange, IsLeftToDecodeWhereThatCostsNoMore) {
  buffer most(std::size_t{900} << 10);
  EXPECT_FALSE(decode(0, most));
  buffer unaligned(64);
  EXPECT_FALSE(decode(2, unaligned));
  buffer part(64);
  EXPECT_FALSE(codec_of(R"({"id": "zlib"})")->decode_range(stored_, data_.size(), 0, part));
}

TEST_F(BloscRange, MustLieWithinWhatIsThere) {
  buffer part(64);
  EXPECT_THROW((void)decode(data_.size() - 60, part), codec_error);
  EXPECT_THROW((void)decode(data_.size() + 4, part), codec_error);
  EXPECT_THROW((void)codec_->decode_range(stored_, data_.size() - 4, 0, part), codec_error);
  EXPECT_THROW((void)codec_->decode_range(stored_, data_.size() + 4, 0, part), codec_error);
}

TEST_F(BloscRange, IsCopiedFromWhatIsNotCompressed) {
  codec_ = codec_of(R"({"id": "blosc", "clevel": 0})");
  stored_ = encoded(*codec_, data_);
  buffer part(77);
  ASSERT_TRUE(decode(3, part));
  EXPECT_TRUE(std::equal(part.begin(), part.end(), data_.begin() + 3));
}

}  // namespace
}  // namespace tessera::testing
