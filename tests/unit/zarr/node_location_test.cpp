// SPDX-License-Identifier: Apache-2.0
/// \file
/// Arrays of one place in stores with other options, and the folders above a store.

#include "zarr/api/node_location.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/filesystem_store.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/store/open_store.hpp"
#include "tessera/zarr/zarr_array.hpp"
#include "tessera/zarr/zarr_destination.hpp"
#include "tessera/zarr/zarr_group.hpp"
#include "tessera/zarr/zarr_location.hpp"

#include "core/api/hashed.hpp"
#include "unit/store/temporary_directory.hpp"
#include "unit/zarr/support.hpp"
#include "unit/zarr/watched_store.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace tessera::testing::zarr {
namespace {

/// Returns a store with a recipe, as that of a bucket at an endpoint.
std::shared_ptr<key_value_store> with_recipe(std::shared_ptr<key_value_store> inner,
                                             const store_recipe& recipe) {
  auto store = std::make_shared<watched_store>(std::move(inner));
  store->given_recipe = recipe;
  return store;
}

std::shared_ptr<const array_source> source_in(const store_recipe& recipe) {
  const auto store = with_recipe(std::make_shared<memory_store>(), recipe);
  static_cast<void>(zarr_array::create(store, "x", plain_int32({4}, {2})));
  return as_source(zarr_array::open(store, "x"));
}

std::size_t hash_of(const array_source& source) {
  return dynamic_cast<const hashed&>(source).hash();
}

TEST(StorePlace, WithOtherOptionsIsOfAnotherArray) {
  const auto here = source_in({"s3", "bucket", "endpoint=a"});
  const auto again = source_in({"s3", "bucket", "endpoint=a"});
  const auto there = source_in({"s3", "bucket", "endpoint=b"});
  const auto plain = source_in({"s3", "bucket", ""});
  EXPECT_TRUE(here->is_same(*again));
  EXPECT_EQ(hash_of(*here), hash_of(*again));
  EXPECT_FALSE(here->is_same(*there));
  EXPECT_FALSE(there->is_same(*here));
  EXPECT_FALSE(here->is_same(*plain));
  EXPECT_NE(hash_of(*here), hash_of(*there));
  EXPECT_NE(hash_of(*here), hash_of(*plain));
}

// The options of a directory tell how it is written, and links are followed or refused.
TEST(StorePlace, OfADirectoryIsOneArrayWithAllOptions) {
  const temporary_directory directory;
  const auto store = std::make_shared<filesystem_store>(directory / "a.zarr");
  static_cast<void>(zarr_array::create(store, "x", plain_int32({4}, {2})));
  const auto synced =
      std::make_shared<filesystem_store>(directory / "a.zarr", filesystem_options{.fsync = true});
  const auto plain_source = as_source(zarr_array::open(store, "x"));
  const auto synced_source = as_source(zarr_array::open(synced, "x"));
  EXPECT_TRUE(plain_source->is_same(*synced_source));
  EXPECT_EQ(hash_of(*plain_source), hash_of(*synced_source));
}

TEST(StorePlace, OfAFolderInMemoryIsOneForAllItsNames) {
  const auto root = open_store("memory://store-place-test");
  const auto inner = open_store("memory://store-place-test/a/b");
  EXPECT_EQ(detail::location_of_node(root, "a/b/x"), detail::location_of_node(inner, "x"));
  EXPECT_EQ(detail::location_of_node(root, "a/b"), detail::location_of_node(inner, ""));
  EXPECT_FALSE(detail::location_of_node(root, "x") == detail::location_of_node(inner, "x"));
  const auto elsewhere = open_store("memory://store-place-test-2/a/b");
  EXPECT_FALSE(detail::location_of_node(elsewhere, "x") == detail::location_of_node(inner, "x"));
}

TEST(StorePlace, OfAFolderInMemoryIsNotInsideOfAnArray) {
  static_cast<void>(zarr_array::create("memory://store-place-test-3/x", plain_int32({4}, {2})));
  EXPECT_THAT(refusal_of<zarr_error>([] {
                static_cast<void>(zarr_array::create("memory://store-place-test-3/x/y.zarr",
                                                     plain_int32({4}, {2})));
              }),
              ::testing::HasSubstr("memory://store-place-test-3/x is an array"));
  EXPECT_EQ(zarr_array::open("memory://store-place-test-3/x").shape(), index_vector(1, 4));
}

/// The stores of the scheme "rooted", by place; each place that was opened.
std::map<std::string, std::shared_ptr<key_value_store>>& opened_stores() {
  static std::map<std::string, std::shared_ptr<key_value_store>> stores;
  return stores;
}

const bool is_rooted = register_store("rooted",
                                      [](const store_recipe& recipe) {
                                        auto& store = opened_stores()[recipe.place];
                                        if (store == nullptr)
                                          store = std::make_shared<memory_store>();
                                        return with_recipe(store, recipe);
                                      },
                                      {.root_names = 2, .option_names = {"anonymous"}});

void make_group(const std::string& location) {
  static_cast<void>(zarr_group::create(open_store("rooted://" + location), ""));
}

TEST(StorePlace, EndsAtItsRootNames) {
  opened_stores().clear();
  make_group("host/bucket/a");
  make_group("host/bucket");
  // A group of the host would be of another bucket as well.
  make_group("host");
  const zarr_location found = locate("rooted://host/bucket/a/x");
  EXPECT_EQ(found.store->recipe()->place, "host/bucket");
  EXPECT_EQ(found.path, "a/x");
  opened_stores().clear();
  const auto store = open_store("rooted://host/bucket/a");
  static_cast<void>(zarr_array::create(store, "x", plain_int32({4}, {2})));
  EXPECT_TRUE(opened_stores().contains("host/bucket"));
  EXPECT_FALSE(opened_stores().contains("host"));
}

TEST(StorePlace, BeginsAHierarchyBelowItsRootNames) {
  EXPECT_EQ(locate("rooted://host.zarr/bucket/a.zarr/x").store->recipe()->place,
            "host.zarr/bucket/a.zarr");
  EXPECT_EQ(locate("rooted://host/bucket.zarr/a/x").path, "a/x");
  EXPECT_EQ(locate("rooted://host.zarr/bucket/a").store->recipe()->place, "host.zarr/bucket/a");
}

TEST(StorePlace, KeepsTheOptionsOfItsLocation) {
  const zarr_location found = locate("rooted://host/bucket/a.zarr/x?anonymous");
  EXPECT_EQ(found.store->recipe(), (store_recipe{"rooted", "host/bucket/a.zarr", "anonymous"}));
  EXPECT_EQ(found.path, "x");
}

}  // namespace
}  // namespace tessera::testing::zarr
