// SPDX-License-Identifier: Apache-2.0
#include "tessera/codec/configuration.hpp"

#include "tessera/codec/registry.hpp"
#include "tessera/core/error.hpp"

#include <blosc.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ts = tessera;

namespace {

using ::testing::HasSubstr;

struct options {
  ts::codec::configuration compressor = {};
};

std::string refusal_of(const std::string& json) {
  try {
    (void)ts::codec::configuration::from_json(json);
  } catch (const ts::codec_error& failure) {
    return failure.what();
  }
  return "accepted";
}

/// The type of element, in bytes, and the flags that a blosc header states.
std::pair<std::size_t, int> header_of(const ts::codec::configuration& choice,
                                      std::size_t itemsize) {
  const auto codec = choice.make(itemsize);
  const std::vector<std::byte> data(4096);
  std::vector<std::byte> stored(codec->max_encoded_size(data.size()));
  (void)codec->encode(data, stored);
  std::size_t typesize = 0;
  int flags = 0;
  blosc_cbuffer_metainfo(stored.data(), &typesize, &flags);
  return {typesize, flags & (BLOSC_DOSHUFFLE | BLOSC_DOBITSHUFFLE)};
}

TEST(Configuration, IsWhatZarrPythonWritesByDefault) {
  EXPECT_EQ(options{}.compressor, (ts::codec::blosc{.cname = "lz4", .clevel = 5}));
  EXPECT_EQ(options{}.compressor.to_json(),
            R"({"blocksize":0,"clevel":5,"cname":"lz4","id":"blosc","shuffle":1})");
}

TEST(Configuration, IsChosenByTheOptionsOfACodec) {
  const options zstd{.compressor =
                         ts::codec::blosc{.cname = "zstd", .shuffle = ts::codec::bit_shuffle}};
  EXPECT_THAT(zstd.compressor.to_json(), HasSubstr(R"("cname":"zstd")"));
  EXPECT_THAT(zstd.compressor.to_json(), HasSubstr(R"("shuffle":2)"));
  EXPECT_EQ(options{.compressor = ts::codec::zlib{.level = 6}}.compressor.to_json(),
            R"({"id":"zlib","level":6})");
  EXPECT_EQ(options{.compressor = ts::codec::gzip{}}.compressor.to_json(),
            R"({"id":"gzip","level":1})");
  EXPECT_EQ(options{.compressor = ts::codec::zstd{.level = 30}}.compressor.to_json(),
            R"({"id":"zstd","level":22})");
  EXPECT_EQ(
      (options{.compressor = ts::codec::zstd{.level = 3, .checksum = true}}.compressor).to_json(),
      R"({"checksum":true,"id":"zstd","level":3})");
  const options plain{.compressor = ts::codec::none{}};
  EXPECT_TRUE(plain.compressor.is_none());
  EXPECT_EQ(plain.compressor.to_json(), "null");
  EXPECT_EQ(plain.compressor.make(4), nullptr);
}

TEST(Configuration, IsReadFromMetadataWithDefaultsAndHarmlessMembers) {
  EXPECT_EQ(ts::codec::configuration::from_json(R"({"id": "blosc"})"), ts::codec::configuration{});
  EXPECT_EQ(ts::codec::configuration::from_json(R"({"id": "blosc", "typesize": 8})"),
            ts::codec::configuration{});
  EXPECT_EQ(ts::codec::configuration::from_json(R"({"id": "zlib"})"), ts::codec::zlib{.level = 1});
  EXPECT_EQ(ts::codec::configuration::from_json(R"({"id": "zstd", "checksum": false})"),
            ts::codec::zstd{});
  EXPECT_EQ(ts::codec::configuration::from_json("null"), ts::codec::none{});
}

TEST(Configuration, RefusesOptionsOutOfRangeByName) {
  EXPECT_THAT(refusal_of(R"({"id": "blosc", "clevel": 10})"), HasSubstr("\"clevel\""));
  EXPECT_THAT(refusal_of(R"({"id": "blosc", "clevel": 5.5})"), HasSubstr("found 5.5"));
  EXPECT_THAT(refusal_of(R"({"id": "blosc", "shuffle": 3})"), HasSubstr("[-1, 2]"));
  EXPECT_THAT(refusal_of(R"({"id": "blosc", "blocksize": -1})"), HasSubstr("\"blocksize\""));
  EXPECT_THAT(refusal_of(R"({"id": "blosc", "blocksize": 18446744073709551615})"),
              HasSubstr("\"blocksize\""));
  EXPECT_THAT(refusal_of(R"({"id": "blosc", "cname": "lzo"})"), HasSubstr("lz4hc"));
  EXPECT_THAT(refusal_of(R"({"id": "blosc", "cname": 7})"), HasSubstr("must be a string"));
  EXPECT_THAT(refusal_of(R"({"id": "zlib", "level": "1"})"), HasSubstr("\"level\""));
  EXPECT_THAT(refusal_of(R"({"id": "zstd", "checksum": 1})"), HasSubstr("\"checksum\""));
  EXPECT_THAT(refusal_of(R"({"id": "zstd", "level": -131073})"), HasSubstr("\"level\""));
  EXPECT_THAT(refusal_of(R"({"id": "zfpy"})"), HasSubstr("unsupported codec id \"zfpy\""));
  EXPECT_THAT(refusal_of(R"({"id": "ztsd"})"),
              HasSubstr("unsupported codec id \"ztsd\" (did you mean \"zstd\"?); known are "));
  EXPECT_THAT(refusal_of(R"({"id": "zlib", "window": 9})"), HasSubstr("\"window\""));
  EXPECT_THAT(refusal_of(R"({"id": "bz2", "level": 0})"), HasSubstr("[1, 9]"));
  EXPECT_THAT(refusal_of(R"({"id": "delta", "dtype": "<M8[ns]"})"), HasSubstr("\"dtype\""));
  EXPECT_THAT(refusal_of(R"({"id": "delta", "dtype": "|i4"})"), HasSubstr("\"dtype\""));
  EXPECT_THAT(refusal_of(R"({"id": "crc32", "location": "middle"})"), HasSubstr("\"location\""));
  EXPECT_THAT(refusal_of(R"({"id": "lzma", "format": 3})"), HasSubstr("\"filters\""));
  EXPECT_THAT(refusal_of(R"({"id": "lzma", "filters": [{"id": 33}, {"id": 3}]})"),
              HasSubstr("filters[0]"));
  EXPECT_THAT(refusal_of(R"({"id": "lzma", "filters": [{"id": 33, "dictsize": 4096}]})"),
              HasSubstr("filters[0]"));
  EXPECT_THAT(refusal_of(R"({"cname": "lz4"})"), HasSubstr("\"id\""));
  EXPECT_THAT(refusal_of("[1]"), HasSubstr("must be a JSON object"));
  EXPECT_THAT(refusal_of("{"), HasSubstr("must be a JSON object"));
  EXPECT_THROW(ts::codec::configuration(ts::codec::blosc{.clevel = 11}), ts::codec_error);
  EXPECT_THROW(ts::codec::configuration(ts::codec::zlib{.level = -2}), ts::codec_error);
}

// The dtype that a filter leaves open is that of the elements that come to it.
TEST(Configuration, TakesTheDtypeOfTheArrayWhereItIsLeftOpen) {
  using namespace ts::codec;
  const ts::codec_elements int16{2, 'i', std::endian::big};
  EXPECT_EQ(configuration(delta{}).completed(int16).to_json(),
            R"({"astype":">i2","dtype":">i2","id":"delta"})");
  EXPECT_EQ(configuration(delta{.astype = ts::dtype::int8}).completed(int16).to_json(),
            R"({"astype":"|i1","dtype":">i2","id":"delta"})");
  EXPECT_EQ(configuration(astype{.encode_dtype = ts::dtype::int8}).completed(int16).to_json(),
            R"({"decode_dtype":">i2","encode_dtype":"|i1","id":"astype"})");
  const ts::codec_elements float32{4, 'f'};
  EXPECT_EQ(configuration(quantize{.digits = 2}).completed(float32).to_json(),
            R"({"astype":"<f4","digits":2,"dtype":"<f4","id":"quantize"})");
  EXPECT_EQ(configuration(fixedscaleoffset{.offset = 1, .scale = 2}).completed(float32),
            (configuration(fixedscaleoffset{1, 2, ts::dtype::float32})));
  EXPECT_EQ(configuration(delta{}).completed({8, 'M'}).to_json(),
            R"({"astype":"<i8","dtype":"<i8","id":"delta"})");
  for (const ts::codec_elements none : {ts::codec_elements{8, 'c'}, {3, 'S'}, {1, 'b'}}) {
    EXPECT_THROW((void)configuration(delta{}).completed(none), ts::codec_error) << none.kind;
  }
  EXPECT_THROW(configuration(delta{.dtype = ts::dtype::boolean}), ts::codec_error);
}

TEST(Configuration, ShufflesByTheItemsizeOfTheArray) {
  using ts::codec::blosc;
  EXPECT_EQ(header_of(blosc{}, 8), (std::pair<std::size_t, int>{8, BLOSC_DOSHUFFLE}));
  EXPECT_EQ(header_of(blosc{.shuffle = ts::codec::bit_shuffle}, 2),
            (std::pair<std::size_t, int>{2, BLOSC_DOBITSHUFFLE}));
  EXPECT_EQ(header_of(blosc{.shuffle = ts::codec::no_shuffle}, 4),
            (std::pair<std::size_t, int>{4, 0}));
  // Source: blosc.h, BLOSC_MAX_TYPESIZE; greater elements, records for example, count as bytes.
  EXPECT_EQ(header_of(blosc{}, 255).first, 255U);
  EXPECT_EQ(header_of(blosc{}, 256).first, 1U);
  // Source: numcodecs, "AUTOSHUFFLE".
  EXPECT_EQ(header_of(blosc{.shuffle = ts::codec::auto_shuffle}, 1),
            (std::pair<std::size_t, int>{1, BLOSC_DOBITSHUFFLE}));
  EXPECT_EQ(header_of(blosc{.shuffle = ts::codec::auto_shuffle}, 4),
            (std::pair<std::size_t, int>{4, BLOSC_DOSHUFFLE}));
}

TEST(Configuration, RefusesChunksThatBloscCannotHold) {
  const auto codec = ts::codec::configuration{}.make(4);
  EXPECT_EQ(codec->max_encoded_size(2147483631), 2147483631U + 16);
  EXPECT_THROW((void)codec->max_encoded_size(2147483632), ts::codec_error);
}

TEST(Registry, KnowsCodecsByTheirIdentifier) {
  EXPECT_THAT(ts::codec_ids(), ::testing::IsSupersetOf({"blosc", "gzip", "zlib", "zstd"}));
  EXPECT_EQ(ts::make_codec(R"({"id": "zlib"})", 1)->id(), "zlib");
}

TEST(Registry, HasOptionsForEachCodecThatItKnows) {
  const ts::codec::configuration lookup3 = ts::codec::jenkins_lookup3{.initval = 1};
  EXPECT_EQ(lookup3.to_json(), R"({"id":"jenkins_lookup3","initval":1})");
  EXPECT_EQ(lookup3, ts::codec::configuration::from_json(
                         R"({"id": "jenkins_lookup3", "initval": 1, "prefix": null})"));
}

TEST(Registry, TakesFurtherCodecs) {
  ts::register_codec("zlib by another name", [](std::string_view, ts::codec_elements elements) {
    return ts::make_codec(R"({"id": "zlib", "level": 7})", elements);
  });
  EXPECT_EQ(ts::make_codec(R"({"id": "zlib by another name"})", 1)->to_json(),
            R"({"id":"zlib","level":7})");
  // An earlier codec does not stand for a codec that is registered later.
  ts::register_codec("zlib by another name", [](std::string_view, ts::codec_elements elements) {
    return ts::make_codec(R"({"id": "zlib", "level": 8})", elements);
  });
  EXPECT_EQ(ts::make_codec(R"({"id": "zlib by another name"})", 1)->to_json(),
            R"({"id":"zlib","level":8})");
}

TEST(Registry, SharesCodecsOfTheSameConfigurationAndElements) {
  const auto shuffle_of = [](int level, std::size_t itemsize) {
    return ts::make_codec(R"({"id": "shuffle", "elementsize": )" + std::to_string(level) + "}",
                          itemsize);
  };
  const auto first = shuffle_of(4, 4);
  EXPECT_EQ(shuffle_of(4, 4), first);
  EXPECT_NE(shuffle_of(8, 4), first);
  EXPECT_NE(shuffle_of(4, 8), first) << "of other elements";
  for (int level = 1; level < 100; ++level) EXPECT_EQ(shuffle_of(level, 1)->id(), "shuffle");
}

}  // namespace
