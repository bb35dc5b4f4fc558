// SPDX-License-Identifier: Apache-2.0
/// \file
/// The file `.zmetadata` in a store with conditional writes and without locks.

#include "tessera/store/memory_store.hpp"
#include "tessera/zarr/zarr_group.hpp"

#include "unit/zarr/support.hpp"
#include "unit/zarr/watched_store.hpp"
#include "zarr/v2/consolidated_metadata.hpp"

#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tessera::testing::zarr {
namespace {

using ::testing::ElementsAre;

std::string text_of(const key_value_store& store, const std::string& key) {
  const auto value = store.read_all(key, 1 << 20);
  return value ? std::string(reinterpret_cast<const char*>(value->data()), value->size()) : "";
}

/// Returns the arrays that the `.zmetadata` of the root knows.
std::vector<std::string> known_in(const key_value_store& store) {
  std::vector<std::string> names;
  for (const auto& file : detail::parse_consolidated(text_of(store, ".zmetadata"), "test")) {
    if (file.first.ends_with("/.zarray")) {
      names.push_back(file.first.substr(0, file.first.size() - 8));
    }
  }
  return names;
}

void make_array(const std::shared_ptr<key_value_store>& store, const std::string& path) {
  static_cast<void>(zarr_array::create(store, path, plain_int32({4}, {2})));
}

/// A consolidated group with the array "first", in a store without locks.
struct ConditionalZmetadata : ::testing::Test {
  ConditionalZmetadata() {
    const auto group = zarr_group::create(inner, "");
    make_array(inner, "first");
    consolidate(group);
    store->has_locks = false;
    store->has_conditions = true;
  }

  std::shared_ptr<memory_store> inner = std::make_shared<memory_store>();
  std::shared_ptr<watched_store> store = std::make_shared<watched_store>(inner);
};

TEST_F(ConditionalZmetadata, KeepsUpWithoutLocks) {
  make_array(store, "second");
  EXPECT_THAT(known_in(*inner), ElementsAre("first", "second"));
  zarr_group::open(store, "").erase("first");
  EXPECT_THAT(known_in(*inner), ElementsAre("second"));
}

TEST_F(ConditionalZmetadata, IsRemovedWithoutLocksAndConditions) {
  store->has_conditions = false;
  make_array(store, "second");
  EXPECT_FALSE(inner->exists(".zmetadata"));
  EXPECT_THAT(zarr_group::open(store, "").arrays(), ElementsAre("first", "second"));
}

// A conflict: another program writes the document after it was read.
TEST_F(ConditionalZmetadata, IsReadAgainAfterAConflict) {
  int num_writes = 0;
  store->before_write = [&](std::string_view key) {
    if (key == ".zmetadata" && ++num_writes == 1) make_array(inner, "theirs");
  };
  make_array(store, "ours");
  EXPECT_EQ(num_writes, 2);
  EXPECT_THAT(known_in(*inner), ElementsAre("first", "ours", "theirs"));
}

TEST_F(ConditionalZmetadata, StaysRemovedIfAnotherProgramRemovesIt) {
  bool is_removed = false;
  store->before_write = [&](std::string_view key) {
    if (key == ".zmetadata" && !std::exchange(is_removed, true)) inner->erase(".zmetadata");
  };
  make_array(store, "ours");
  EXPECT_TRUE(is_removed);
  EXPECT_FALSE(inner->exists(".zmetadata"));
}

TEST_F(ConditionalZmetadata, KeepsArraysOfSeveralThreads) {
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 10; ++i) {
        make_array(store, "a" + std::to_string(t) + std::to_string(i));
      }
    });
  }
  threads.clear();
  EXPECT_EQ(known_in(*inner).size(), 41U);
}

}  // namespace
}  // namespace tessera::testing::zarr
