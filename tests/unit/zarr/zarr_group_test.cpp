// SPDX-License-Identifier: Apache-2.0
#include "tessera/zarr/zarr_group.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/memory_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <span>
#include <string>

namespace ts = tessera;

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

void put(ts::key_value_store& store, const std::string& key, std::string_view text) {
  store.write(key, std::as_bytes(std::span(text)));
}

TEST(ZarrGroup, ListsItsArraysAndGroups) {
  const auto store = std::make_shared<ts::memory_store>();
  const ts::zarr_metadata metadata{.shape = {3}, .chunks = {2}};
  const auto root = ts::zarr_group::create(store, "", {{"title", "winds"}});
  (void)ts::zarr_array::create(store, "v", metadata);
  (void)ts::zarr_array::create(store, "u", metadata);
  (void)ts::zarr_array::create(store, "monthly/u", metadata);
  put(*store, "notes/readme.txt", "no node");
  EXPECT_THAT(root.arrays(), ElementsAre("u", "v"));
  EXPECT_THAT(root.groups(), ElementsAre("monthly"));
  EXPECT_THAT(root.group("monthly").arrays(), ElementsAre("u"));
  EXPECT_EQ(root.group("monthly").array("u").path(), "monthly/u");
  EXPECT_EQ(ts::zarr_group::open(store, "").attributes().get<std::string>("title"), "winds");
}

TEST(ZarrGroup, IsCreatedOnceAndKeepsItsAttributes) {
  const auto store = std::make_shared<ts::memory_store>();
  (void)ts::zarr_group::create(store, "a/b", {{"x", std::int64_t{1}}});
  EXPECT_EQ(ts::zarr_group::create(store, "a/b").attributes().get<std::int64_t>("x"), 1);
  EXPECT_EQ(ts::zarr_group::create(store, "a/b", {{"y", std::int64_t{2}}}).attributes().size(), 1U);
  EXPECT_TRUE(store->exists("a/.zgroup"));
  (void)ts::zarr_array::create(store, "a/c", {.shape = {1}, .chunks = {1}});
  EXPECT_THROW((void)ts::zarr_group::create(store, "a/c"), ts::zarr_error);
}

// zarr-python 3 puts members into the `.zgroup` that the specification does not know.
TEST(ZarrGroup, IgnoresMembersThatItDoesNotKnow) {
  const auto store = std::make_shared<ts::memory_store>();
  put(*store, ".zgroup", R"({"zarr_format": 2, "consolidated_metadata": null})");
  put(*store, ".zattrs", R"({"_FillValue": NaN})");
  EXPECT_TRUE(ts::zarr_group::open(store, "").attributes().contains("_FillValue"));
}

TEST(ZarrGroup, ErrorsNamePathAndCause) {
  const auto store = std::make_shared<ts::memory_store>();
  const auto refusal_of = [&](const char* path) -> std::string {
    try {
      (void)ts::zarr_group::open(store, path);
    } catch (const ts::zarr_error& failure) {
      return failure.what();
    }
    return "accepted";
  };
  (void)ts::zarr_array::create(store, "x", {.shape = {1}, .chunks = {1}});
  put(*store, "y/.zgroup", R"({"zarr_format": 3})");
  put(*store, "z/.zgroup", "[");
  EXPECT_THAT(refusal_of("nothing"),
              AllOf(HasSubstr("memory/nothing"), HasSubstr("neither zarr.json nor .zgroup")));
  EXPECT_THAT(refusal_of("x"), HasSubstr("it is an array"));
  EXPECT_THAT(refusal_of("y"), AllOf(HasSubstr("y/.zgroup"), HasSubstr("\"zarr_format\"")));
  EXPECT_THAT(refusal_of("z"), HasSubstr("z/.zgroup"));
  EXPECT_THAT(refusal_of("a/.."), HasSubstr("\"..\""));
}

}  // namespace
