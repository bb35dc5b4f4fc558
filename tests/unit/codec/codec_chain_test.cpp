// SPDX-License-Identifier: Apache-2.0
#include "codec/api/codec_chain.hpp"

#include "tessera/codec/registry.hpp"
#include "tessera/core/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

namespace ts = tessera;

namespace {

using buffer = std::vector<std::byte>;

buffer counted(std::size_t size) {
  buffer data(size);
  for (std::size_t i = 0; i < size; ++i) data[i] = static_cast<std::byte>(i / 3);
  return data;
}

buffer encoded(const ts::byte_codec& codec, const buffer& data) {
  buffer stored(codec.max_encoded_size(data.size()));
  stored.resize(codec.encode(data, stored));
  return stored;
}

buffer decoded(const ts::byte_codec& codec, const buffer& stored, std::size_t size) {
  buffer data(size, std::byte{0xEE});
  codec.decode(stored, data);
  return data;
}

TEST(CodecChain, OfNothingIsNothing) {
  EXPECT_EQ(ts::make_codec_chain({}, ts::codec::none{}, 4), nullptr);
}

TEST(CodecChain, OfOneCodecIsThatCodecInEitherPlace) {
  const std::vector<ts::codec::configuration> filters{ts::codec::zlib{.level = 3}};
  EXPECT_EQ(ts::make_codec_chain(filters, ts::codec::none{}, 4)->to_json(),
            R"({"id":"zlib","level":3})");
  EXPECT_EQ(ts::make_codec_chain({}, ts::codec::gzip{}, 4)->id(), "gzip");
}

// The output of the middle codec varies: the size between the two is unknown beforehand.
TEST(CodecChain, AppliesFiltersInOrderAndThenTheCompressor) {
  const std::vector<ts::codec::configuration> filters{ts::codec::zstd{}, ts::codec::gzip{}};
  const auto chain = ts::make_codec_chain(filters, ts::codec::zlib{}, 4);
  const buffer data = counted(5000);
  const buffer stored = encoded(*chain, data);
  EXPECT_EQ(decoded(*chain, stored, data.size()), data);

  const auto zlib = ts::make_codec(R"({"id": "zlib"})", 1);
  const auto gzip = ts::make_codec(R"({"id": "gzip"})", 1);
  const auto zstd = ts::make_codec(R"({"id": "zstd"})", 1);
  buffer outer(10000);
  outer.resize(zlib->decode_at_most(stored, outer));
  buffer middle(10000);
  middle.resize(gzip->decode_at_most(outer, middle));
  EXPECT_EQ(decoded(*zstd, middle, data.size()), data);
}

TEST(CodecChain, ChecksTheSizeInTheEnd) {
  const std::vector<ts::codec::configuration> filters{ts::codec::zstd{}};
  const auto chain = ts::make_codec_chain(filters, ts::codec::zlib{}, 4);
  const buffer stored = encoded(*chain, counted(1000));
  EXPECT_THROW((void)decoded(*chain, stored, 999), ts::codec_error);
  EXPECT_THROW((void)decoded(*chain, stored, 1001), ts::codec_error);
}

TEST(CodecChain, CountsTheBuffersBetweenTheCodecs) {
  const std::vector<ts::codec::configuration> filters{ts::codec::zlib{}, ts::codec::zlib{}};
  const auto zlib = ts::codec::configuration(ts::codec::zlib{}).make(1);
  const auto chain = ts::make_codec_chain(filters, ts::codec::zlib{}, 4);
  constexpr std::size_t size = 1 << 20;
  EXPECT_GE(chain->workspace_size(size), 2 * size + zlib->workspace_size(size));
  EXPECT_LT(chain->workspace_size(size), 3 * size + zlib->workspace_size(size));
}

}  // namespace
