// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/zarr/zarr_group.hpp"

#include "zarr/v2/consolidated_metadata.hpp"

#include <atomic>
#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace ts = tessera;

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const ts::zarr_metadata small{.shape = {3}, .chunks = {2}};

void put(ts::key_value_store& store, const std::string& key, std::string_view text) {
  store.write(key, std::as_bytes(std::span(text)));
}

std::string text_of(const ts::key_value_store& store, const std::string& key) {
  const auto value = store.read_all(key, 1 << 20);
  return value ? std::string(reinterpret_cast<const char*>(value->data()), value->size()) : "";
}

/// A store that counts the requests for metadata.
class counting_store final : public ts::key_value_store {
 public:
  std::string name() const override { return inner_.name(); }
  std::optional<std::size_t> read(std::string_view key, std::span<std::byte> into) const override {
    count(key);
    return inner_.read(key, into);
  }
  std::optional<std::vector<std::byte>> read_all(std::string_view key,
                                                 std::size_t limit) const override {
    count(key);
    return inner_.read_all(key, limit);
  }
  std::optional<std::size_t> size(std::string_view key) const override {
    count(key);
    return inner_.size(key);
  }
  void write(std::string_view key, std::span<const std::byte> value) override {
    inner_.write(key, value);
  }
  void erase(std::string_view key) override { inner_.erase(key); }
  void erase_all(std::string_view folder) override { inner_.erase_all(folder); }
  std::vector<std::string> list(std::string_view folder) const override {
    count(folder);
    return inner_.list(folder);
  }
  std::vector<std::string> list_folder(std::string_view folder) const override {
    count(folder);
    return inner_.list_folder(folder);
  }

  mutable std::atomic<int> num_requests = 0;

 private:
  void count(std::string_view) const { ++num_requests; }

  ts::memory_store inner_;
};

/// A hierarchy of a group with the arrays u, v and monthly/u, consolidated.
template <class Store = ts::memory_store>
std::shared_ptr<Store> hierarchy() {
  auto store = std::make_shared<Store>();
  const auto root = ts::zarr_group::create(store, "", {{"title", "winds"}});
  (void)ts::zarr_array::create(store, "u", small, {{"units", "m/s"}});
  (void)ts::zarr_array::create(store, "v", small);
  (void)ts::zarr_array::create(store, "monthly/u", small);
  ts::consolidate(root);
  return store;
}

/// The keys in the `.zmetadata` at the root.
std::vector<std::string> keys_of(const ts::key_value_store& store) {
  std::vector<std::string> keys;
  for (const auto& file : ts::detail::parse_consolidated(text_of(store, ".zmetadata"), "test")) {
    keys.push_back(file.first);
  }
  return keys;
}

TEST(Consolidated, HoldsEachMetadataFile) {
  EXPECT_THAT(keys_of(*hierarchy()),
              ElementsAre(".zattrs", ".zgroup", "monthly/.zgroup", "monthly/u/.zarray", "u/.zarray",
                          "u/.zattrs", "v/.zarray"));
}

TEST(Consolidated, ServesMembersWithoutTheStore) {
  const auto store = hierarchy<counting_store>();
  store->num_requests = 0;
  const auto root = ts::zarr_group::open(store, "");
  EXPECT_TRUE(root.is_consolidated());
  // The documents of both formats.
  EXPECT_EQ(store->num_requests, 2);
  EXPECT_THAT(root.arrays(), ElementsAre("u", "v"));
  EXPECT_THAT(root.groups(), ElementsAre("monthly"));
  EXPECT_EQ(root.members().size(), 4U);
  EXPECT_EQ(root.attributes().get<std::string>("title"), "winds");
  EXPECT_EQ(root.array("u").attributes().get<std::string>("units"), "m/s");
  EXPECT_EQ(root.group("monthly").array("u").shape(), (ts::index_vector{3}));
  EXPECT_EQ(store->num_requests, 2);
  EXPECT_THROW((void)root.array("w"), ts::zarr_error);
}

TEST(Consolidated, IsIgnoredWhenAsked) {
  const auto store = hierarchy();
  put(*store, ".zmetadata", "{}");
  EXPECT_THROW((void)ts::zarr_group::open(store, ""), ts::zarr_error);
  const auto root = ts::zarr_group::open(store, "", ts::consolidated::ignore);
  EXPECT_FALSE(root.is_consolidated());
  EXPECT_THAT(root.arrays(), ElementsAre("u", "v"));
}

TEST(Consolidated, ReadsAndWritesChunksInTheStore) {
  const auto store = hierarchy();
  const auto array = ts::zarr_group::open(store, "").array("u");
  const double values[2] = {1, 2};
  std::vector<std::byte> encoded(array.encoded_bound());
  const ts::index_vector first{0};
  array.write_chunk(first, std::as_bytes(std::span(values)).data(), encoded);
  EXPECT_TRUE(store->exists("u/0"));
  EXPECT_TRUE(array.has_chunk(first));
}

TEST(Consolidated, StaysTrueWhenNodesAreCreated) {
  const auto store = hierarchy();
  (void)ts::zarr_array::create(store, "daily/t", small, {{"units", "K"}});
  EXPECT_THAT(
      keys_of(*store),
      ElementsAre(".zattrs", ".zgroup", "daily/.zgroup", "daily/t/.zarray", "daily/t/.zattrs",
                  "monthly/.zgroup", "monthly/u/.zarray", "u/.zarray", "u/.zattrs", "v/.zarray"));
  EXPECT_EQ(ts::zarr_group::open(store, "daily").array("t").attributes().size(), 1U);
}

TEST(Consolidated, StaysTrueWhenNodesAreRewritten) {
  const auto store = hierarchy();
  (void)ts::zarr_array::create(store, "u", {.shape = {7}, .chunks = {2}}, {},
                               ts::existing::replace);
  (void)ts::zarr_group::create(store, "", {{"title", "changed"}});
  const auto root = ts::zarr_group::open(store, "");
  ASSERT_TRUE(root.is_consolidated());
  EXPECT_EQ(root.array("u").shape(), (ts::index_vector{7}));
  EXPECT_TRUE(root.array("u").attributes().empty());
  EXPECT_EQ(root.attributes().get<std::string>("title"), "changed");
}

TEST(Consolidated, StaysTrueWhenNodesAreRemoved) {
  const auto store = hierarchy();
  const auto root = ts::zarr_group::open(store, "");
  root.erase("monthly");
  EXPECT_THAT(keys_of(*store),
              ElementsAre(".zattrs", ".zgroup", "u/.zarray", "u/.zattrs", "v/.zarray"));
  EXPECT_TRUE(root.groups().empty()) << "the open group knows as well";
  EXPECT_THAT(store->list("monthly"), ElementsAre());
  root.erase("u");
  EXPECT_THAT(keys_of(*store), ElementsAre(".zattrs", ".zgroup", "v/.zarray"));
  EXPECT_THROW(root.erase("u"), ts::zarr_error);
  EXPECT_THROW(root.erase(""), ts::zarr_error);
}

TEST(Consolidated, StaysTrueWhenCreatingFails) {
  const auto store = hierarchy();
  const std::string before = text_of(*store, ".zmetadata");
  EXPECT_THROW((void)ts::zarr_array::create(store, "u", small), ts::zarr_error);
  EXPECT_EQ(text_of(*store, ".zmetadata"), before);
}

TEST(Consolidated, IsRemovedWhenItCannotBeKeptTrue) {
  const auto store = hierarchy();
  put(*store, ".zmetadata", "[");
  (void)ts::zarr_array::create(store, "w", small);
  EXPECT_FALSE(store->exists(".zmetadata"));
}

TEST(Consolidated, OfGroupsWithinGroupsStaysTrueInEach) {
  const auto store = hierarchy();
  ts::consolidate(ts::zarr_group::open(store, "monthly"));
  (void)ts::zarr_array::create(store, "monthly/v", small);
  const auto monthly = ts::zarr_group::open(store, "monthly");
  ASSERT_TRUE(monthly.is_consolidated());
  EXPECT_THAT(monthly.arrays(), ElementsAre("u", "v"));
  EXPECT_THAT(ts::zarr_group::open(store, "").group("monthly").arrays(), ElementsAre("u", "v"));
}

// Python writes NaN bare; zarr-python 3 puts members into `.zgroup` that version 2 does not know.
TEST(Consolidated, ReadsWhatPythonWrites) {
  const auto store = hierarchy();
  put(*store, "u/.zattrs", R"({"_FillValue": NaN})");
  put(*store, ".zmetadata",
      R"({"zarr_consolidated_format": 1, "metadata": {
    ".zgroup": {"zarr_format": 2, "consolidated_metadata": {"metadata": {}}},
    "u/.zarray": )" +
          text_of(*store, "u/.zarray") +
          R"(, "u/.zattrs": {"_FillValue": NaN}, "other.json": 3}})");
  const auto root = ts::zarr_group::open(store, "");
  EXPECT_THAT(root.arrays(), ElementsAre("u"));
  EXPECT_TRUE(std::isnan(root.array("u").attributes().get<double>("_FillValue")));
  ts::consolidate(root);
  EXPECT_THAT(text_of(*store, ".zmetadata"),
              AllOf(HasSubstr(R"("_FillValue": NaN)"), HasSubstr("v/.zarray")));
}

TEST(Consolidated, ErrorsNameTheFileAndTheMember) {
  const auto refusal_of = [](const char* text) -> std::string {
    const auto store = std::make_shared<ts::memory_store>();
    put(*store, ".zgroup", R"({"zarr_format": 2})");
    put(*store, ".zmetadata", text);
    try {
      (void)ts::zarr_group::open(store, "").arrays();
    } catch (const ts::zarr_error& failure) {
      return failure.what();
    }
    return "accepted";
  };
  for (const char* text :
       {"", "[]", "{}", R"({"metadata": {}})", R"({"zarr_consolidated_format": 2, "metadata": {}})",
        R"({"zarr_consolidated_format": 1})"}) {
    EXPECT_THAT(refusal_of(text), HasSubstr("memory/.zmetadata")) << text;
  }
  const auto with = [&](const std::string& members) {
    return refusal_of(("{\"zarr_consolidated_format\": 1, \"metadata\": " + members + "}").c_str());
  };
  EXPECT_THAT(with("[]"), HasSubstr("\"metadata\""));
  EXPECT_THAT(with(R"({"../x/.zarray": {}})"), HasSubstr("../x/.zarray"));
  EXPECT_THAT(with(R"({"/etc/.zarray": {}})"), HasSubstr("/etc/.zarray"));
  EXPECT_THAT(with(R"({"u/.zattrs": "{}"})"), HasSubstr("metadata.u/.zattrs"));
  EXPECT_THAT(with(R"({".zgroup": {}, ".zgroup": {}})"), HasSubstr("twice"));
  EXPECT_THAT(with(R"({".zgroup": {"zarr_format": 3}})"), HasSubstr("\"zarr_format\""));
  EXPECT_THAT(with("{}"), HasSubstr("neither zarr.json nor .zgroup"));
}

// zarr-python's consolidate_metadata takes each key of the store that is a document.
TEST(Consolidated, HoldsNodesBelowFoldersThatAreNoGroups) {
  const auto store = std::make_shared<ts::memory_store>();
  const auto root = ts::zarr_group::create(store, "");
  (void)ts::zarr_array::create(store, "monthly/means/u", small);
  for (const char* group : {"monthly/.zgroup", "monthly/means/.zgroup"}) store->erase(group);
  put(*store, "notes/readme.txt", "no node");
  ts::consolidate(root);
  EXPECT_THAT(keys_of(*store), ElementsAre(".zgroup", "monthly/means/u/.zarray"));
  const auto consolidated = ts::zarr_group::open(store, "");
  ASSERT_TRUE(consolidated.is_consolidated());
  for (const ts::zarr_group& group : {root, consolidated}) {
    EXPECT_THAT(group.members(), ElementsAre(ts::zarr_member{"monthly/means/u", true}));
    EXPECT_EQ(group.array("monthly/means/u").shape(), (ts::index_vector{3}));
  }
}

TEST(ZarrGroup, ListsMembersAtEachDepth) {
  const auto store = std::make_shared<ts::memory_store>();
  (void)ts::zarr_array::create(store, "a/b/c", small);
  (void)ts::zarr_array::create(store, "a/d", small);
  put(*store, "notes/readme.txt", "no node");
  using member = ts::zarr_member;
  EXPECT_THAT(ts::zarr_group::open(store, "").members(),
              ElementsAre(member{"a", false}, member{"a/b", false}, member{"a/b/c", true},
                          member{"a/d", true}));
  EXPECT_THAT(ts::zarr_group::open(store, "a").members(),
              ElementsAre(member{"b", false}, member{"b/c", true}, member{"d", true}));
}

}  // namespace
