// SPDX-License-Identifier: Apache-2.0
#include "zarr/v3/group_text.hpp"

#include "tessera/core/error.hpp"

#include "zarr/v3/node_document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace {

namespace ts = tessera;
namespace v3 = tessera::detail::v3;

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

// The document that zarr-python 3.1.6 writes for a group with the attribute title, a group a in it,
// and zarr.consolidate_metadata, without the array's document.
const std::string group = R"({
  "attributes": {
    "title": "winds"
  },
  "zarr_format": 3,
  "consolidated_metadata": {
    "kind": "inline",
    "must_understand": false,
    "metadata": {
      "a": {
        "attributes": {},
        "zarr_format": 3,
        "consolidated_metadata": {
          "kind": "inline",
          "must_understand": false,
          "metadata": {}
        },
        "node_type": "group"
      },
      "a/b": {"zarr_format": 3,  "node_type": "group"}
    }
  },
  "node_type": "group"
})";

std::string refusal_of(const std::string& text) {
  try {
    static_cast<void>(v3::parse_consolidated(text));
  } catch (const ts::zarr_error& failure) {
    return failure.what();
  }
  return "accepted";
}

std::string with_metadata(const std::string& metadata) {
  return R"({"zarr_format": 3, "node_type": "group", "consolidated_metadata": )" + metadata + "}";
}

TEST(V3Group, ReadsTheDocumentsBelow) {
  const auto nodes = v3::parse_consolidated(group);
  ASSERT_TRUE(nodes.has_value());
  EXPECT_THAT(*nodes, ElementsAre(Pair("a", HasSubstr("\"kind\": \"inline\"")),
                                  Pair("a/b", R"({"zarr_format": 3,  "node_type": "group"})")));
}

TEST(V3Group, IsToldFromOtherDocumentsInOnePass) {
  EXPECT_TRUE(v3::states_group(R"({"attributes": {}, "zarr_format": 3, "node_type": "group"})"));
  EXPECT_TRUE(v3::states_group(R"({"zarr_format": 3, "node\u005ftype": "gr\u006fup"})"));
  EXPECT_TRUE(v3::states_group(R"({"zarr_format": 3, "node_type": "gr\u006fup"})"));
  EXPECT_FALSE(v3::states_group(R"({"zarr_format": 3, "node_type": "array"})"));
  EXPECT_FALSE(v3::states_group(R"({"zarr_format": 2, "node_type": "group"})"));
  EXPECT_FALSE(v3::states_group(R"({"node_type": "group"})"));
  EXPECT_FALSE(
      v3::states_group(R"({"zarr_format": 3, "node_type": "group", "node_type": "group"})"));
  EXPECT_FALSE(v3::states_group(R"({"zarr_format": 3, "a": {"node_type": "group"}})"));
  EXPECT_THROW(static_cast<void>(v3::states_group(R"({"zarr_format": 3)")), ts::zarr_error);
}

TEST(V3Group, HasNoDocumentsBelowUnlessTheyAreInline) {
  EXPECT_EQ(v3::parse_consolidated(R"({"zarr_format": 3, "node_type": "group"})"), std::nullopt);
  EXPECT_EQ(v3::parse_consolidated(with_metadata("null")), std::nullopt);
  EXPECT_EQ(v3::parse_consolidated(with_metadata(R"({"kind": "url"})")), std::nullopt);
  EXPECT_THAT(refusal_of(with_metadata("[]")), HasSubstr("consolidated_metadata"));
}

TEST(V3Group, RefusesMalformedDocuments) {
  const auto refusal = [](const std::string& metadata) {
    return refusal_of(with_metadata(R"({"kind": "inline", "must_understand": false, "metadata": )" +
                                    metadata + "}"));
  };
  EXPECT_EQ(refusal("{}"), "accepted");
  EXPECT_THAT(refusal("[]"), HasSubstr("consolidated_metadata.metadata"));
  EXPECT_THAT(refusal(R"({"a": 1})"), HasSubstr("metadata.a"));
  EXPECT_THAT(refusal(R"({"a": {}, "a": {}})"), HasSubstr("twice"));
  for (const char* path : {"", "/a", "a/", "a//b", "..", "a/../b", "...", "__x", "a/zarr.json"}) {
    EXPECT_THAT(refusal("{\"" + std::string(path) + "\": {}}"), HasSubstr("no path")) << path;
  }
  EXPECT_THAT(refusal_of(R"({"zarr_format": 3, "node_type": "array"})"), HasSubstr("node_type"));
  EXPECT_THAT(refusal_of(R"({"zarr_format": 3, "node_type": "group", "x": 1})"),
              HasSubstr("\"x\""));
}

TEST(V3Group, StaysLetterForLetterWhereNothingChanges) {
  v3::group_text text(group);
  text.set("a/b", R"({"zarr_format": 3,  "node_type": "group"})");
  text.erase("c");
  EXPECT_FALSE(text.is_changed());
  EXPECT_EQ(text.text(), group);
}

TEST(V3Group, ChangesOneEntry) {
  v3::group_text text(group);
  text.set("a/b", "{\"x\": 1}");
  text.set("c", " {\"y\": 2}\n");
  const auto nodes = v3::parse_consolidated(text.text());
  EXPECT_EQ(nodes->at("a"), v3::parse_consolidated(group)->at("a"));
  EXPECT_EQ(nodes->at("a/b"), "{\"x\": 1}");
  EXPECT_EQ(nodes->at("c"), "{\"y\": 2}");
  EXPECT_THAT(text.text(), ::testing::StartsWith(group.substr(0, group.find("{\n      \"a\""))));
  EXPECT_THROW(text.set("c", "1"), ts::zarr_error);
  EXPECT_THROW(text.set("../c", "{}"), ts::zarr_error);
}

TEST(V3Group, RemovesEntries) {
  v3::group_text text(group);
  text.erase_folder("a", true);
  EXPECT_THAT(*v3::parse_consolidated(text.text()), ElementsAre(Pair("a", HasSubstr("inline"))));
  text.erase_folder("a");
  EXPECT_TRUE(v3::parse_consolidated(text.text())->empty());
}

TEST(V3Group, SetsAttributes) {
  v3::group_text text(group);
  text.erase("a/b");
  text.set_attributes("{\"z\": NaN}");
  const std::string changed = text.text();
  EXPECT_EQ(v3::group_document::parse(changed).attributes, "{\"z\": NaN}");
  EXPECT_EQ(v3::parse_consolidated(changed)->size(), 1U);
  v3::group_text plain(R"({"zarr_format": 3, "node_type": "group"})");
  plain.set("a", "{}");
  EXPECT_FALSE(plain.is_changed());
  plain.set_attributes("{\"z\": 1}");
  EXPECT_EQ(v3::group_document::parse(plain.text()).attributes, "{\"z\": 1}");
}

TEST(V3Group, ReplacesAttributesBehindTheMetadata) {
  v3::group_text text(R"({"zarr_format": 3, "node_type": "group", "consolidated_metadata": {"kind":
      "inline", "must_understand": false, "metadata": {"a": {}}}, "attributes": {"b": 1}})");
  text.set("c", "{}");
  text.set_attributes("{}");
  EXPECT_EQ(v3::group_document::parse(text.text()).attributes, "{}");
  EXPECT_EQ(v3::parse_consolidated(text.text())->size(), 2U);
}

// zarr-python 2921: inner metadata may be stale.
TEST(V3Group, ConsolidatesWithoutInnerMetadata) {
  v3::node_documents nodes{{"a", group}, {"a/b", "{\"x\": 1}"}};
  const std::string text = v3::with_consolidated(group, nodes);
  EXPECT_EQ(v3::group_document::parse(text).attributes,
            v3::group_document::parse(group).attributes);
  const auto result = v3::parse_consolidated(text);
  EXPECT_EQ(result->at("a/b"), "{\"x\": 1}");
  EXPECT_EQ(v3::group_document::parse(result->at("a")).consolidated, "");
  EXPECT_EQ(v3::group_document::parse(v3::without_consolidated(text)).consolidated, "");
}

TEST(V3Group, GivesBackItsDocument) {
  const auto document = v3::group_document::parse(group);
  EXPECT_EQ(v3::group_document::parse(document.to_json()), document);
  const std::string unknown =
      R"({"zarr_format": 3, "node_type": "group", "x": {"must_understand": false}})";
  EXPECT_EQ(v3::group_document::parse(unknown).other_members.size(), 1U);
}

}  // namespace
