// SPDX-License-Identifier: Apache-2.0
//
// Documents of nodes, as the specification of Zarr v2 has them, and the requests for them.
#include "zarr/api/node_format.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/zarr/zarr_array.hpp"
#include "tessera/zarr/zarr_group.hpp"

#include "unit/zarr/support.hpp"
#include "unit/zarr/watched_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace ts = tessera;

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ts::detail::find_node;
using ts::detail::has_array_node;
using ts::detail::has_group_node;
using ts::detail::kind_of_node;
using ts::detail::node_kind;
using ts::testing::zarr::put;
using ts::testing::zarr::watched_store;

constexpr auto array_text = R"({"zarr_format": 2, "shape": [4, 6], "chunks": [2, 3],
  "dtype": "<i4", "compressor": null, "fill_value": null, "order": "C", "filters": null,
  "dimension_separator": "/"})";

/// A group with the array "u", the group "deep", and a folder of both kinds.
std::shared_ptr<ts::memory_store> example() {
  auto store = std::make_shared<ts::memory_store>();
  put(*store, ".zgroup", R"({"zarr_format": 2})");
  put(*store, "u/.zarray", array_text);
  put(*store, "u/.zattrs", R"({"_ARRAY_DIMENSIONS": ["y", "x"]})");
  put(*store, "deep/.zgroup", R"({"zarr_format": 2})");
  put(*store, "both/.zgroup", R"({"zarr_format": 2})");
  put(*store, "both/.zarray", array_text);
  return store;
}

TEST(NodeFormat, TellsTheKindOfANode) {
  const auto store = example();
  EXPECT_EQ(kind_of_node(*store, ""), node_kind::group);
  EXPECT_EQ(kind_of_node(*store, "u"), node_kind::array);
  EXPECT_EQ(kind_of_node(*store, "deep"), node_kind::group);
  EXPECT_EQ(kind_of_node(*store, "nowhere"), node_kind::none);
  EXPECT_EQ(kind_of_node(*store, "both"), node_kind::array);
  EXPECT_TRUE(has_group_node(*store, "both"));
  EXPECT_FALSE(has_array_node(*store, "deep"));
}

TEST(NodeFormat, FindsTheDocumentOfANode) {
  const auto store = example();
  const auto array = find_node(*store, "u", node_kind::array);
  ASSERT_TRUE(array.has_value());
  EXPECT_EQ(array->format->number, 2);
  EXPECT_EQ(array->texts.at(".zarray"), array_text);
  EXPECT_FALSE(find_node(*store, "u", node_kind::group).has_value());
  EXPECT_FALSE(find_node(*store, "nowhere", node_kind::array).has_value());
}

TEST(NodeFormat, OutlinesAnArrayOfAnyCodec) {
  const auto& format = ts::detail::default_format();
  const std::string text = R"({"zarr_format": 2, "shape": [4, 6], "chunks": [2, 3],
    "dtype": "|O", "compressor": {"id": "unheard-of"}, "fill_value": 0, "order": "C",
    "filters": null})";
  const auto outline =
      format.outline(text, {{"_ARRAY_DIMENSIONS", std::vector<std::string>{"y", "x"}}});
  EXPECT_EQ(outline.dimensions.shape, (ts::index_vector{4, 6}));
  EXPECT_THAT(outline.dimensions.names, ElementsAre("y", "x"));
  EXPECT_EQ(outline.chunks, (ts::index_vector{2, 3}));
  EXPECT_EQ(outline.separator, '.');
  EXPECT_TRUE(outline.states_fill_value);
  const auto nested = format.outline(array_text, {});
  EXPECT_EQ(nested.separator, '/');
  EXPECT_FALSE(nested.states_fill_value);
  EXPECT_THROW((void)format.outline("{}", {}), ts::error);
}

TEST(NodeFormat, KnowsDocumentsByTheirNames) {
  for (const char* name : {".zarray", ".zattrs", ".zgroup", "zarr.json"}) {
    EXPECT_TRUE(ts::detail::is_node_document(name)) << name;
    EXPECT_TRUE(ts::detail::is_document(name)) << name;
  }
  EXPECT_FALSE(ts::detail::is_node_document(".zmetadata"));
  EXPECT_TRUE(ts::detail::is_document(".zmetadata"));
  for (const char* name : {"0.0", ".zarrays", "zarray", ""}) {
    EXPECT_FALSE(ts::detail::is_document(name)) << name;
  }
}

TEST(NodeFormat, OfANumberWithoutDocumentsIsRefused) {
  EXPECT_EQ(&ts::detail::format_of(2), &ts::detail::default_format());
  try {
    (void)ts::detail::format_of(1);
    FAIL() << "accepted";
  } catch (const ts::zarr_error& failure) {
    EXPECT_THAT(failure.what(), HasSubstr("Zarr v1 is not supported"));
  }
}

TEST(NodeFormat, ReadsTheDocumentsOfBothFormats) {
  const auto store = std::make_shared<watched_store>(example());
  std::vector<std::string> reads;
  store->after_read = [&reads](std::string_view key) { reads.emplace_back(key); };
  (void)ts::zarr_array::open(store, "u");
  EXPECT_THAT(reads, ElementsAre("u/zarr.json", "u/.zarray", "u/.zattrs"));
  reads.clear();
  (void)ts::zarr_group::open(store, "deep");
  EXPECT_THAT(reads,
              ElementsAre("deep/zarr.json", "deep/.zmetadata", "deep/.zgroup", "deep/.zattrs"));
}

}  // namespace
