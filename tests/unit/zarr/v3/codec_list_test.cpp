// SPDX-License-Identifier: Apache-2.0
#include "zarr/v3/codec_list.hpp"

#include "tessera/codec/options.hpp"

#include "unit/codec/hex.hpp"
#include "unit/zarr/v3/chunks.hpp"
#include "unit/zarr/v3/foreign_chunks.hpp"
#include "unit/zarr/v3/support.hpp"
#include "zarr/v3/array_metadata.hpp"

#include <bit>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <string>
#include <utility>

namespace {

namespace ts = tessera;
namespace v3 = tessera::detail::v3;

using ::testing::AllOf;
using ::testing::HasSubstr;
using ts::index_vector;
using ts::testing::buffer;
using ts::testing::decode_chunk;
using ts::testing::encode_chunk;
using ts::testing::foreign_chunk;
using ts::testing::foreign_chunks;
using ts::testing::from_hex;
using ts::testing::refusal_of;
using ts::testing::to_hex;

const foreign_chunk& foreign(std::string_view name) {
  for (const foreign_chunk& chunk : foreign_chunks) {
    if (chunk.name == name) return chunk;
  }
  throw std::logic_error("no such chunk");
}

TEST(V3CodecList, DecodesTheChunksOfOtherWriters) {
  for (const foreign_chunk& chunk : foreign_chunks) {
    const auto document = v3::array_document::parse(chunk.document);
    EXPECT_EQ(to_hex(decode_chunk(document, from_hex(chunk.value))), chunk.elements) << chunk.name;
  }
}

TEST(V3CodecList, DecodesItsOwnEncoding) {
  for (const foreign_chunk& chunk : foreign_chunks) {
    const auto document = v3::array_document::parse(chunk.document);
    for (const bool skips_fill : {false, true}) {
      const buffer value = encode_chunk(document, from_hex(chunk.elements), skips_fill);
      EXPECT_EQ(to_hex(decode_chunk(document, value)), chunk.elements) << chunk.name;
    }
  }
}

// Without compression the bytes follow from the specification, and from the row-major order of
// parts.
TEST(V3CodecList, EncodesTheBytesOfOtherWriters) {
  for (const char* name : {"big_complex", "big_text", "tensorstore_nested"}) {
    const foreign_chunk& chunk = foreign(name);
    const auto document = v3::array_document::parse(chunk.document);
    EXPECT_EQ(to_hex(encode_chunk(document, from_hex(chunk.elements), true)), chunk.value) << name;
  }
}

TEST(V3CodecList, HasTheLayoutOfParts) {
  const auto document = v3::array_document::parse(foreign("tensorstore_transposed_shard").document);
  // Shards (6, 2, 4), transposed by (2, 0, 1) to (4, 6, 2), have parts (2, 3, 1) there.
  EXPECT_EQ(document.shards(), (index_vector{6, 2, 4}));
  EXPECT_EQ(document.chunks(), (index_vector{3, 1, 2}));
  // The parts' own order (1, 2, 0) of the axes (2, 0, 1).
  EXPECT_EQ(document.chunk_layout(), (index_vector{0, 1, 2}));
  const auto outer = v3::array_document::parse(foreign("gzip_behind_shards").document);
  EXPECT_FALSE(outer.has_parts());
  EXPECT_EQ(outer.chunks(), (index_vector{4, 6}));
}

/// Returns the part at `part` of a shard in row-major order, or no bytes if it is missing.
buffer read_part(const v3::array_document& document, const buffer& value,
                 const index_vector& part) {
  const index_vector shape = document.chunks();
  const ts::detail::shard_index index =
      ts::detail::shard_index::of_value(document.codecs.shards->index, document.part_grid(), value);
  const auto codec = document.make_chunk_codec();
  const std::size_t itemsize = document.dtype.itemsize();
  buffer stored(itemsize * static_cast<std::size_t>(ts::num_elements(shape)));
  const std::size_t bound =
      codec == nullptr ? stored.size() : codec->max_encoded_size(stored.size());
  const auto range = index.part(document.number_of_part(part), value.size(), bound,
                                document.has_parts_of_fixed_size());
  if (!range) return {};
  const auto bytes = std::span(value).subspan(range->offset, range->size);
  if (codec == nullptr) {
    std::copy(bytes.begin(), bytes.end(), stored.begin());
  } else {
    codec->decode(bytes, stored);
  }
  ts::detail::make_native(stored, document.dtype);
  const index_vector layout = document.chunk_layout();
  buffer result(stored.size());
  ts::detail::strided_copy(
      result.data(), ts::testing::row_major(shape), stored.data(),
      v3::unpermuted(ts::testing::row_major(v3::permuted(shape, layout)), layout), shape, itemsize);
  return result;
}

// Index and part alone, with no other bytes of the shard.
TEST(V3CodecList, ReadsEachPartOfAShard) {
  for (const foreign_chunk& chunk : foreign_chunks) {
    const auto document = v3::array_document::parse(chunk.document);
    if (!document.has_parts()) continue;
    const buffer whole = from_hex(chunk.elements);
    const index_vector shard = document.shards();
    const index_vector shape = document.chunks();
    const index_vector strides = ts::testing::row_major(shard);
    const std::size_t itemsize = document.dtype.itemsize();
    index_vector grid(shape.size());
    for (std::size_t axis = 0; axis < grid.size(); ++axis) grid[axis] = shard[axis] / shape[axis];
    for (ts::index_t number = 0; number < ts::num_elements(grid); ++number) {
      index_vector part(grid.size());
      ts::index_t rest = number;
      ts::index_t first = 0;
      for (std::size_t axis = grid.size(); axis-- > 0;) {
        part[axis] = rest % grid[axis];
        rest /= grid[axis];
        first += part[axis] * shape[axis] * strides[axis];
      }
      buffer expected(itemsize * static_cast<std::size_t>(ts::num_elements(shape)));
      ts::detail::strided_copy(expected.data(), ts::testing::row_major(shape),
                               whole.data() + static_cast<std::size_t>(first) * itemsize, strides,
                               shape, itemsize);
      buffer read = read_part(document, from_hex(chunk.value), part);
      read.resize(expected.size());
      EXPECT_EQ(to_hex(read), to_hex(expected)) << chunk.name << " part " << number;
    }
  }
}

std::string list(const std::string& codecs) {
  return R"([{"name": "bytes", "configuration": {"endian": "little"}}, )" + codecs + "]";
}

v3::codec_list parsed_list(const std::string& codecs) {
  return ts::testing::parsed("codecs", codecs).codecs;
}

TEST(V3CodecList, ComposesTransposes) {
  // numpy.transpose(numpy.transpose(x, (2, 0, 1)), (1, 0, 2)) has the axes (0, 2, 1) of x.
  std::string text = ts::testing::document_with("codecs", R"([
      {"name": "transpose", "configuration": {"order": [2, 0, 1]}},
      {"name": "numcodecs.bitround", "configuration": {"keepbits": 4}},
      {"name": "transpose", "configuration": {"order": [1, 0, 2]}},
      {"name": "bytes", "configuration": {"endian": "little"}}])");
  text.replace(text.find("[10, 20]"), 8, "[10, 20, 30]");
  text.replace(text.find("[4, 6]"), 6, "[4, 6, 5]");
  const auto document = v3::array_document::parse(text);
  EXPECT_EQ(document.codecs.order, (index_vector{0, 2, 1}));
  EXPECT_EQ(document.codecs.filters.size(), 1U);
}

TEST(V3CodecList, KeepsTheConfigurationOfEachCodec) {
  for (const char* codec :
       {R"({"name": "blosc", "configuration": )"
        R"({"blocksize":0,"clevel":5,"cname":"zstd","shuffle":"bitshuffle","typesize":3}})",
        R"({"name": "blosc", "configuration": )"
        R"({"blocksize":64,"clevel":9,"cname":"lz4","shuffle":"noshuffle","typesize":1}})",
        R"({"name": "gzip", "configuration": {"level":0}})",
        R"({"name": "zstd", "configuration": {"checksum":true,"level":-5}})",
        R"({"name": "zstd", "configuration": {"checksum":false,"level":22}})",
        R"({"name": "crc32c"})",
        R"({"name": "numcodecs.lz4", "configuration": {"acceleration":1}})",
        R"({"name": "numcodecs.zlib", "configuration": {"level":3}})",
        R"({"name": "numcodecs.shuffle", "configuration": {"elementsize":4}})",
        R"({"name": "numcodecs.fletcher32", "configuration": {}})"}) {
    const auto document = ts::testing::parsed("codecs", list(codec));
    EXPECT_THAT(document.to_json(), HasSubstr(codec));
    EXPECT_EQ(v3::array_document::parse(document.to_json()), document) << codec;
  }
}

TEST(V3CodecList, GivesFiltersTheByteOrderOfTheChunk) {
  const v3::codec_list codecs = parsed_list(R"([
      {"name": "numcodecs.delta", "configuration": {"dtype": "f8", "astype": "float32"}},
      {"name": "bytes", "configuration": {"endian": "big"}}])");
  EXPECT_EQ(codecs.filters.at(0), ts::codec::configuration::from_json(
                                      R"({"id": "delta", "dtype": ">f8", "astype": ">f4"})"));
  EXPECT_THAT(v3::format_codec_list(codecs, ts::dtype::float64),
              AllOf(HasSubstr("\"<f8\""), HasSubstr("\"<f4\"")));
}

/// Returns a document of 11 elements in one chunk.
std::string line_document(const std::string& type, const std::string& fill,
                          const std::string& codecs) {
  return R"({"zarr_format": 3, "node_type": "array", "shape": [11], "data_type": ")" + type +
         R"(", "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [11]}},
         "chunk_key_encoding": {"name": "default"}, "fill_value": )" +
         fill + R"(, "codecs": )" + codecs + "}";
}

// TensorStore 0.1.86 wrote 0 to 10 in big-endian bfloat16.
TEST(V3CodecList, ReadsBfloat16AsFloat32) {
  const auto document = v3::array_document::parse(line_document(
      "bfloat16", "1.5", R"([{"name": "bytes", "configuration": {"endian": "big"}}])"));
  EXPECT_EQ(document.dtype, (ts::data_type{ts::dtype::float32, std::endian::big}));
  const std::string value = "00003f8040004040408040a040c040e0410041104120";
  const buffer elements = decode_chunk(document, from_hex(value));
  for (std::size_t i = 0; i < 11; ++i) {
    float number = -1;
    std::memcpy(&number, elements.data() + i * sizeof number, sizeof number);
    EXPECT_EQ(number, static_cast<float>(i));
  }
  EXPECT_EQ(to_hex(encode_chunk(document, elements, true)), value);
  EXPECT_THAT(document.to_json(), AllOf(HasSubstr("\"bfloat16\""), HasSubstr("\"big\"")));
  EXPECT_EQ(v3::array_document::parse(document.to_json()), document);
  EXPECT_THAT(
      ts::testing::refusal_of_text(line_document("bfloat16", "0", R"([{"name": "scale_offset"},
                  {"name": "bytes", "configuration": {"endian": "big"}}])")),
      AllOf(HasSubstr("codecs[0]"), HasSubstr("bfloat16")));
  EXPECT_THAT(ts::testing::refusal_of_text(line_document("bfloat16", "0", R"(["bytes"])")),
              HasSubstr("endian"));
}

// The algorithm of the registry by hand: elements 0 to 7 are the bits of the first byte.
TEST(V3CodecList, PacksBooleans) {
  const std::string front = R"([{"name": "packbits", "configuration": {"padding_encoding": )";
  const buffer elements = from_hex("0100010100000000010000");
  for (const auto& [padding, value] :
       {std::pair("\"none\"", "0d01"), {"\"first_byte\"", "050d01"}, {"\"last_byte\"", "0d0105"}}) {
    const auto document =
        v3::array_document::parse(line_document("bool", "false", front + padding + "}}]"));
    EXPECT_EQ(to_hex(encode_chunk(document, elements, true)), value);
    EXPECT_EQ(decode_chunk(document, from_hex(value)), elements);
    EXPECT_EQ(v3::array_document::parse(document.to_json()), document);
  }
  EXPECT_EQ(ts::testing::refusal_of_text(line_document("bool", "false", R"(["packbits"])")),
            "accepted");
  EXPECT_THAT(ts::testing::refusal_of_text(line_document("int8", "0", R"(["packbits"])")),
              HasSubstr("the data type bool alone"));
  EXPECT_THAT(ts::testing::refusal_of_text(line_document("bool", "false", front + "\"start\"}}]")),
              HasSubstr("codecs[0].configuration.padding_encoding"));
}

// The example of the registry: (x + 10) * 0.1 as uint8, 0 for NaN. 2540 is 255, as zarr-python has
// it.
TEST(V3CodecList, CastsScaledNumbers) {
  const std::string codecs = R"([
      {"name": "scale_offset", "configuration": {"offset": -10, "scale": 0.1}},
      {"name": "cast_value", "configuration": {"data_type": "uint8", "rounding": "nearest-even",
       "scalar_map": {"encode": [["NaN", 0]], "decode": [[0, "NaN"]]}}}, "bytes"])";
  const auto document = v3::array_document::parse(line_document("float64", "\"NaN\"", codecs));
  EXPECT_EQ(v3::array_document::parse(document.to_json()), document);
  buffer elements;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double number : {nan, 0.0, 2540.0, 10.0, 14.0, 16.0, 0.0, 0.0, 0.0, 0.0, nan}) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(&number);
    elements.insert(elements.end(), bytes, bytes + sizeof number);
  }
  EXPECT_EQ(to_hex(encode_chunk(document, elements, true)),
            "0001ff02020301010101"
            "00");
}

// Elements of one byte have no order, but their casts have: -2 is 0xfffe in big-endian int16.
TEST(V3CodecList, CastsBytesToTheByteOrderOfTheChunk) {
  const auto document = v3::array_document::parse(line_document(
      "int8", "0", R"([{"name": "cast_value", "configuration": {"data_type": "int16"}},
                       {"name": "bytes", "configuration": {"endian": "big"}}])"));
  const buffer elements = from_hex("fe01000000000000000000");
  const std::string value = "fffe0001" + std::string(36, '0');
  EXPECT_EQ(to_hex(encode_chunk(document, elements, true)), value);
  EXPECT_EQ(decode_chunk(document, from_hex(value)), elements);
  const auto again = v3::document_of(v3::metadata_of(document));
  EXPECT_EQ(to_hex(encode_chunk(again, elements, true)), value);
}

TEST(V3CodecList, RefusesFillValuesThatACastLoses) {
  const std::string codecs =
      R"([{"name": "cast_value", "configuration": {"data_type": "uint8"}}, "bytes"])";
  const auto refusal = [&](const std::string& fill) -> std::string {
    try {
      static_cast<void>(
          v3::array_document::parse(line_document("float32", fill, codecs)).make_codec());
    } catch (const ts::codec_error& failure) {
      return failure.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal("7.0"), "accepted");
  EXPECT_THAT(refusal("7.5"), HasSubstr("the fill value is another one"));
  EXPECT_THAT(refusal("300.0"), HasSubstr("300 is no value of uint8"));
  EXPECT_THAT(ts::testing::refusal_of_text(line_document("bool", "false", codecs)),
              AllOf(HasSubstr("codecs[0]"), HasSubstr("must be integers")));
  EXPECT_THAT(ts::testing::refusal_of_text(
                  line_document("float32", "0", R"([{"name": "numcodecs.cast_value"}, "bytes"])")),
              HasSubstr("unsupported codec name"));
}

TEST(V3CodecList, RefusesCodecsByTheirPath) {
  const auto refusal = [](const std::string& codec) { return refusal_of("codecs", list(codec)); };
  EXPECT_THAT(refusal(R"({"name": "vlen-utf8"})"),
              AllOf(HasSubstr("\"codecs[1]\""), HasSubstr("vlen-utf8")));
  EXPECT_THAT(refusal(R"({"name": "numcodecs.pcodec"})"), HasSubstr("pcodec"));
  EXPECT_THAT(refusal(R"({"name": "gzip", "configuration": {"level": 10}})"),
              AllOf(HasSubstr("codecs[1]"), HasSubstr("\"level\"")));
  EXPECT_THAT(refusal(R"({"name": "gzip"})"), HasSubstr("\"level\" is missing"));
  EXPECT_THAT(refusal(R"({"name": "gzip", "configuration": {"level": 1, "id": "zlib"}})"),
              HasSubstr("\"id\""));
  EXPECT_THAT(refusal(R"({"name": "zstd", "configuration": {"level": 1, "window": 3}})"),
              HasSubstr("\"window\""));
  EXPECT_THAT(refusal(R"({"name": "blosc", "configuration": {"cname": "lz4", "clevel": 5,
                          "shuffle": "shuffle", "blocksize": 0}})"),
              HasSubstr("\"typesize\""));
  EXPECT_THAT(refusal(R"({"name": "blosc", "configuration": {"shuffle": 1, "typesize": 4}})"),
              HasSubstr("\"shuffle\""));
  EXPECT_THAT(refusal(R"({"name": "crc32c", "configuration": {"location": "start"}})"),
              HasSubstr("crc32c"));
  EXPECT_THAT(refusal(R"({"name": "bytes", "configuration": {"endian": "little"}})"),
              HasSubstr("in front of"));
  EXPECT_THAT(refusal(R"({"name": "numcodecs.delta"})"), HasSubstr("in front of"));
}

TEST(V3CodecList, RefusesListsWithoutOneCodecOfBytes) {
  EXPECT_THAT(refusal_of("codecs", "[]"), HasSubstr("\"codecs\""));
  EXPECT_THAT(refusal_of("codecs", R"([{"name": "gzip", "configuration": {"level": 1}},
                                       {"name": "bytes", "configuration": {"endian": "big"}}])"),
              AllOf(HasSubstr("codecs[0]"), HasSubstr("behind")));
  EXPECT_THAT(refusal_of("codecs", R"([{"name": "numcodecs.delta"}])"), HasSubstr("one of bytes"));
  EXPECT_THAT(refusal_of("codecs", R"([{"name": "bytes"}])"),
              HasSubstr("codecs[0].configuration.endian"));
  EXPECT_THAT(refusal_of("codecs", R"([{"name": "bytes", "configuration": {"endian": "native"}}])"),
              HasSubstr("native"));
}

TEST(V3CodecList, RefusesTransposes) {
  const auto refusal = [](const std::string& order, const std::string& front = "") {
    return refusal_of("codecs", "[" + front +
                                    R"({"name": "transpose", "configuration": {"order": )" + order +
                                    R"(}}, {"name": "bytes", "configuration":
                                    {"endian": "little"}}])");
  };
  EXPECT_EQ(refusal("[1, 0]"), "accepted");
  for (const char* order : {"[0, 0]", "[0]", "[0, 2]", "[-1, 0]", "\"F\"", "[0, 1, 2]"}) {
    EXPECT_THAT(refusal(order), HasSubstr("codecs[0].configuration.order")) << order;
  }
  EXPECT_THAT(refusal("[1, 0]", R"({"name": "numcodecs.delta"}, )"),
              AllOf(HasSubstr("codecs[1]"), HasSubstr("numcodecs.delta")));
}

std::string shards(const std::string& shape, const std::string& index,
                   const std::string& more = "") {
  return R"([{"name": "sharding_indexed", "configuration": {"chunk_shape": )" + shape +
         R"(, "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}], )" +
         R"("index_codecs": )" + index + more + "}}]";
}

TEST(V3CodecList, RefusesShards) {
  const std::string index =
      R"([{"name": "bytes", "configuration": {"endian": "little"}}, "crc32c"])";
  EXPECT_EQ(refusal_of("codecs", shards("[2, 3]", index)), "accepted");
  EXPECT_THAT(refusal_of("codecs", shards("[3, 3]", index)),
              AllOf(HasSubstr("codecs[0].configuration.chunk_shape"), HasSubstr("divide")));
  EXPECT_THAT(refusal_of("codecs", shards("[2]", index)), HasSubstr("divide"));
  EXPECT_THAT(refusal_of("codecs", shards("[2, 0]", index)), HasSubstr("chunk_shape[1]"));
  EXPECT_THAT(refusal_of("codecs", shards("[2, 3]", index, R"(, "index_location": "middle")")),
              HasSubstr("index_location"));
  EXPECT_THAT(refusal_of("codecs", shards("[2, 3]", "[]")), HasSubstr("index_codecs"));
  EXPECT_THAT(refusal_of("codecs", shards("[2, 3]", R"([{"name": "bytes"}])")),
              HasSubstr("endian"));
  EXPECT_THAT(refusal_of("codecs", shards("[2, 3]", R"([{"name": "bytes", "configuration":
      {"endian": "little"}}, {"name": "gzip", "configuration": {"level": 1}}])")),
              AllOf(HasSubstr("index_codecs[1]"), HasSubstr("fixed size")));
  EXPECT_THAT(refusal_of("codecs", shards("[2, 3]", index, R"(, "other": 1)")),
              HasSubstr("\"other\""));
}

}  // namespace
