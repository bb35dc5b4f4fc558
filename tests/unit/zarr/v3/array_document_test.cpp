// SPDX-License-Identifier: Apache-2.0
#include "zarr/v3/array_document.hpp"

#include "tessera/codec/options.hpp"

#include "unit/zarr/v3/foreign_chunks.hpp"
#include "unit/zarr/v3/support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace {

namespace ts = tessera;
namespace v3 = tessera::detail::v3;

using ::testing::AllOf;
using ::testing::HasSubstr;
using ts::index_vector;
using ts::testing::document_with;
using ts::testing::parsed;
using ts::testing::refusal_of;
using ts::testing::refusal_of_text;

// The example of the specification's section "Array metadata".
TEST(V3ArrayDocument, ReadsTheExampleOfTheSpecification) {
  const auto document = v3::array_document::parse(R"({
    "zarr_format": 3, "node_type": "array", "shape": [10000, 1000],
    "dimension_names": ["rows", "columns"], "data_type": "float64",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [1000, 100]}},
    "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
    "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
    "fill_value": "NaN", "attributes": {"foo": 42, "bar": "apples", "baz": [1, 2, 3, 4]}})");
  EXPECT_EQ(document.shape, (index_vector{10000, 1000}));
  EXPECT_EQ(document.chunks(), (index_vector{1000, 100}));
  EXPECT_TRUE(document.shards().empty());
  EXPECT_EQ(document.dtype, ts::dtype::float64);
  EXPECT_EQ(document.dimension_names.at(1), "columns");
  EXPECT_EQ(document.attributes, R"({"foo": 42, "bar": "apples", "baz": [1, 2, 3, 4]})");
  EXPECT_EQ(document.make_codec(), nullptr);
}

TEST(V3ArrayDocument, GivesBackTheDocumentsOfOtherWriters) {
  for (const auto& chunk : ts::testing::foreign_chunks) {
    const auto document = v3::array_document::parse(chunk.document);
    EXPECT_EQ(v3::array_document::parse(document.to_json()), document) << chunk.name;
  }
}

TEST(V3ArrayDocument, ReadsExtensionsInBothSpellings) {
  const auto document =
      v3::array_document::parse(document_with("data_type", R"({"name": "int8"})"));
  EXPECT_EQ(document.dtype, ts::dtype::int8);
  EXPECT_EQ(parsed("chunk_key_encoding", "\"default\""), parsed("attributes", "{}"));
  EXPECT_EQ(parsed("codecs", R"([{"name": "bytes", "configuration": {"endian": "little"},
                                  "must_understand": true}])"),
            parsed("attributes", "{}"));
  EXPECT_EQ(parsed("codecs", R"([{"name": "bytes", "configuration": {"endian": "little"}},
                                 "crc32c"])")
                .codecs.compressors.at(0)
                .codec,
            ts::codec::configuration(ts::codec::crc32c{}));
}

TEST(V3ArrayDocument, RefusesEveryMemberByItsPath) {
  for (const char* name :
       {"shape", "data_type", "chunk_grid", "chunk_key_encoding", "fill_value", "codecs"}) {
    EXPECT_THAT(refusal_of(name, ""), AllOf(HasSubstr("zarr.json"), HasSubstr(name))) << name;
    EXPECT_THAT(refusal_of(name, "null"), HasSubstr(std::string("\"") + name + "\"")) << name;
  }
  EXPECT_THAT(refusal_of("zarr_format", "2"), HasSubstr("\"zarr_format\" must be 3"));
  EXPECT_THAT(refusal_of("node_type", "\"group\""), HasSubstr("\"node_type\""));
  EXPECT_THAT(refusal_of("shape", "[10, -1]"), HasSubstr("\"shape[1]\""));
  EXPECT_THAT(refusal_of("shape", "[9223372036854775808, 1]"), HasSubstr("\"shape[0]\""));
  EXPECT_THAT(refusal_of("shape", "[4611686018427387904, 2]"), HasSubstr("2^63 - 1 B"));
  EXPECT_THAT(refusal_of("data_type", R"({"name": "int8", "configuration": {"a": 1}})"),
              AllOf(HasSubstr("data_type.configuration"), HasSubstr("\"a\"")));
  EXPECT_THAT(refusal_of("data_type", R"({"name": "int8", "extra": 1})"),
              HasSubstr("data_type.extra"));
  EXPECT_THAT(refusal_of("attributes", "[]"), HasSubstr("\"attributes\""));
}

TEST(V3ArrayDocument, RefusesRanksAbove32) {
  std::string ones = "1";
  for (int axis = 1; axis < 33; ++axis) ones += ", 1";
  EXPECT_THAT(refusal_of("shape", "[" + ones + "]"), HasSubstr("at most 32"));
}

TEST(V3ArrayDocument, RefusesTextsAbove32MiB) {
  const std::string blanks(std::size_t{32} << 20, ' ');
  EXPECT_THAT(refusal_of("attributes", "{" + blanks + "}"), HasSubstr("at most 33554432 B"));
}

TEST(V3ArrayDocument, RefusesMembersThatOccurTwice) {
  std::string text = document_with("attributes", "{}");
  text.insert(1, "\"shape\": [10, 20], ");
  EXPECT_THAT(refusal_of_text(text), AllOf(HasSubstr("\"shape\""), HasSubstr("twice")));
}

TEST(V3ArrayDocument, KeepsUnknownMembersThatNeedNotBeUnderstood) {
  const std::string member = R"({"must_understand": false, "x": [1.50, NaN]})";
  const auto document = parsed("other", member);
  EXPECT_EQ(document.other_members.at(0).text, member);
  EXPECT_THAT(document.to_json(), HasSubstr("\"other\": " + member));
  for (const char* value : {"1", "{}", R"({"must_understand": true})", "null"}) {
    EXPECT_THAT(refusal_of("other", value), HasSubstr("\"other\"")) << value;
  }
}

TEST(V3ArrayDocument, RefusesStorageTransformersByName) {
  EXPECT_EQ(refusal_of("storage_transformers", "[]"), "accepted");
  EXPECT_THAT(refusal_of("storage_transformers", R"([{"name": "sharding"}])"),
              AllOf(HasSubstr("storage_transformers[0]"), HasSubstr("sharding")));
}

TEST(V3ArrayDocument, KeepsAttributesLetterForLetter) {
  const std::string attributes = "{\"a\":NaN, \"b\" : [-Infinity, 1e400], \"c\": 1.50}";
  EXPECT_EQ(parsed("attributes", attributes).attributes, attributes);
  EXPECT_THAT(parsed("attributes", attributes).to_json(), HasSubstr(attributes));
}

TEST(V3ArrayDocument, ReadsNamesOfAxes) {
  EXPECT_TRUE(parsed("dimension_names", "null").dimension_names.empty());
  const auto document = parsed("dimension_names", R"(["x", null])");
  EXPECT_EQ(document.dimension_names.at(0), "x");
  EXPECT_EQ(document.dimension_names.at(1), std::nullopt);
  EXPECT_EQ(v3::array_document::parse(document.to_json()), document);
  EXPECT_EQ(refusal_of("dimension_names", R"(["x", "x"])"), "accepted");
  EXPECT_THAT(refusal_of("dimension_names", R"(["x"])"), HasSubstr("\"dimension_names\""));
  EXPECT_THAT(refusal_of("dimension_names", R"(["x", 1])"), HasSubstr("\"dimension_names[1]\""));
}

std::string regular(const std::string& chunks) {
  return R"({"name": "regular", "configuration": {"chunk_shape": )" + chunks + "}}";
}

TEST(V3ArrayDocument, ReadsRegularGrids) {
  EXPECT_EQ(parsed("chunk_grid", regular("[1, 100]")).chunks(), (index_vector{1, 100}));
  EXPECT_THAT(refusal_of("chunk_grid", regular("[1]")), HasSubstr("chunk_shape"));
  EXPECT_THAT(refusal_of("chunk_grid", regular("[1, 0]")), HasSubstr("chunk_shape[1]"));
  EXPECT_THAT(refusal_of("chunk_grid", R"({"name": "voronoi"})"), HasSubstr("voronoi"));
}

// zarr-python 3.0 to 3.3 wrote 0 for axes without elements, and `true` for 1.
TEST(V3ArrayDocument, ReadsGridsOfOlderZarrPython) {
  std::string text = document_with("chunk_grid", regular("[0, true]"));
  EXPECT_THAT(refusal_of_text(text), HasSubstr("chunk_shape[0]"));
  text.replace(text.find("[10, 20]"), 8, "[0, 20]");
  EXPECT_EQ(v3::array_document::parse(text).chunks(), (index_vector{1, 1}));
}

std::string rectilinear(const std::string& lists) {
  return R"({"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": )" + lists +
         "}}";
}

TEST(V3ArrayDocument, ReadsRectilinearGridsOfEqualEdges) {
  EXPECT_EQ(parsed("chunk_grid", rectilinear("[4, [10, 10]]")).chunks(), (index_vector{4, 10}));
  EXPECT_EQ(parsed("chunk_grid", rectilinear("[[[5, 2]], [7, [7, 2]]]")).chunks(),
            (index_vector{5, 7}));
}

TEST(V3ArrayDocument, RefusesOtherRectilinearGridsWithTheRemedy) {
  EXPECT_THAT(refusal_of("chunk_grid", rectilinear("[4, [10, 6, 4]]")),
              AllOf(HasSubstr("chunk_shapes[1]"), HasSubstr("make its chunks regular")));
  EXPECT_THAT(refusal_of("chunk_grid", rectilinear("[4, [10]]")), HasSubstr("cover 20"));
  EXPECT_THAT(refusal_of("chunk_grid", rectilinear("[4, [[4611686018427387904, 4]]]")),
              HasSubstr("2^63"));
}

TEST(V3ArrayDocument, FormsKeysOfEachEncoding) {
  const auto key = [](const char* encoding, const index_vector& chunk) {
    return v3::chunk_key(parsed("chunk_key_encoding", encoding).keys, chunk);
  };
  const char* const dotted = R"({"name": "default", "configuration": {"separator": "."}})";
  const char* const nested = R"({"name": "v2", "configuration": {"separator": "/"}})";
  EXPECT_EQ(key("\"default\"", {0, 1}), "c/0/1");
  EXPECT_EQ(key("\"default\"", {}), "c");
  EXPECT_EQ(key(dotted, {10, 1}), "c.10.1");
  EXPECT_EQ(key("\"v2\"", {0, 1}), "0.1");
  EXPECT_EQ(key(nested, {0, 1}), "0/1");
  EXPECT_EQ(key(nested, {}), "0");
  EXPECT_THAT(refusal_of("chunk_key_encoding", "\"suffix\""), HasSubstr("\"chunk_key_encoding\""));
  EXPECT_THAT(
      refusal_of("chunk_key_encoding", R"({"name": "v2", "configuration": {"separator": "-"}})"),
      HasSubstr("chunk_key_encoding.configuration.separator"));
}

}  // namespace
