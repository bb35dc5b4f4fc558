// SPDX-License-Identifier: Apache-2.0

/// \file
/// A group of version 3 with a document that changes while it is consolidated.

#include "tessera/store/filesystem_store.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/zarr/zarr_group.hpp"

#include "unit/zarr/support.hpp"
#include "unit/zarr/watched_store.hpp"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <utility>

namespace tessera::testing::zarr {
namespace {

using ::testing::HasSubstr;

zarr_group make_group(const std::shared_ptr<key_value_store>& store, const attributes& values) {
  return zarr_group::create(store, "", values, 3);
}

std::string text_of(const key_value_store& store, const std::string& key) {
  const auto value = store.read_all(key, 1 << 20);
  return value ? std::string(reinterpret_cast<const char*>(value->data()), value->size()) : "";
}

/// Returns the attribute "title" that the document of the root states.
std::string title_of(const std::shared_ptr<key_value_store>& store) {
  return zarr_group::open(store, "", consolidated::ignore).attributes().get<std::string>("title");
}

// Another program writes attributes after the consolidation has read the document, and before it
// writes it.
TEST(ConsolidatedGroup, KeepsAttributesThatAreWrittenMeanwhile) {
  const auto inner = std::make_shared<memory_store>();
  const auto store = std::make_shared<watched_store>(inner);
  store->has_locks = false;
  store->has_conditions = true;
  make_group(inner, {{"title", "old"}});
  static_cast<void>(zarr_group::create(inner, "below"));
  bool is_changed = false;
  store->before_write = [&](std::string_view) {
    if (!std::exchange(is_changed, true)) make_group(inner, {{"title", "new"}});
  };
  consolidate(zarr_group::open(store, "", consolidated::ignore));
  EXPECT_TRUE(is_changed);
  EXPECT_EQ(title_of(inner), "new");
  EXPECT_TRUE(zarr_group::open(inner, "").is_consolidated());
}

// The other way round: a consolidation is between the reading and the writing of attributes.
TEST(ConsolidatedGroup, StaysConsolidatedWhenAttributesAreWrittenMeanwhile) {
  const auto inner = std::make_shared<memory_store>();
  const auto store = std::make_shared<watched_store>(inner);
  store->has_locks = false;
  store->has_conditions = true;
  const auto group = make_group(inner, {{"title", "old"}});
  bool is_changed = false;
  store->before_write = [&](std::string_view) {
    if (!std::exchange(is_changed, true)) consolidate(group);
  };
  make_group(store, {{"title", "new"}});
  EXPECT_TRUE(is_changed);
  EXPECT_EQ(title_of(inner), "new");
  EXPECT_THAT(text_of(*inner, "zarr.json"), HasSubstr("consolidated_metadata"));
}

TEST(ConsolidatedGroup, ChangesAlthoughTheServerIgnoresConditions) {
  const auto inner = std::make_shared<memory_store>();
  const auto store = std::make_shared<watched_store>(inner);
  store->has_locks = false;
  store->has_conditions = true;
  store->ignores_conditions = true;
  make_group(store, {{"title", "old"}});
  make_group(store, {{"title", "new"}});
  EXPECT_EQ(title_of(inner), "new");
  consolidate(zarr_group::open(store, "", consolidated::ignore));
  EXPECT_TRUE(zarr_group::open(inner, "").is_consolidated());
  make_group(store, {{"title", "newest"}});
  EXPECT_EQ(title_of(inner), "newest");
}

// Two threads, many times, in a folder: its locks keep them apart.
TEST(ConsolidatedGroup, KeepsAttributesOfAnotherThread) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "tessera-consolidated-race";
  std::filesystem::remove_all(folder);
  const auto store = std::make_shared<filesystem_store>(folder.string());
  make_group(store, {{"title", "none"}});
  for (int i = 0; i < 30; ++i) {
    std::jthread writer([&] { make_group(store, {{"title", std::to_string(i)}}); });
    consolidate(zarr_group::open(store, "", consolidated::ignore));
    writer.join();
    ASSERT_EQ(title_of(store), std::to_string(i));
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace tessera::testing::zarr
