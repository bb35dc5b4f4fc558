// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/any_array.hpp"
#include "tessera/array/append.hpp"
#include "tessera/array/compute.hpp"
#include "tessera/array/from_memory.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/array/ndarray.hpp"
#include "tessera/core/error.hpp"
#include "tessera/function/arithmetic.hpp"
#include "tessera/zarr/zarr_group.hpp"

#include "unit/zarr/support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

namespace ts = tessera;

using namespace ts::testing::zarr;
using ::testing::HasSubstr;

/// Returns element [i, j] = 100 (i + `first`) + j.
ts::ndarray<std::int32_t, 2> numbers(ts::index_t first, ts::index_t rows, ts::index_t columns) {
  ts::ndarray<std::int32_t, 2> result({rows, columns});
  for (ts::index_t i = 0; i < rows; ++i) {
    for (ts::index_t j = 0; j < columns; ++j) {
      result(i, j) = static_cast<std::int32_t>(100 * (i + first) + j);
    }
  }
  return result;
}

/// Shards of other extents along each axis than the chunks: exchanged grids show.
const ts::store_options sharded{.chunks = {2, 2}, .shards = {4, 6}, .format = 3};

TEST(Version3Plans, StoreAndReadShards) {
  const auto memory = in_memory();
  const auto x = numbers(0, 7, 9);
  const auto stored = ts::store(ts::asarray(x), memory, "x", sharded);
  EXPECT_EQ(stored.compute(), x);
  EXPECT_TRUE(memory->exists("x/c/1/1"));
  EXPECT_FALSE(memory->exists("x/c/2/0"));
  const auto array = ts::zarr_array::open(memory, "x");
  EXPECT_EQ(array.chunks(), (ts::index_vector{2, 2}));
  EXPECT_EQ(array.shards(), (ts::index_vector{4, 6}));
  const auto opened = ts::open<std::int32_t, 2>(memory, "x");
  EXPECT_EQ((opened + 1).compute(), (ts::asarray(x) + 1).compute());
}

// Chunks may be longer than the array, as long as the shard has room for them.
TEST(Version3Plans, StoreAShortArrayInLongChunksOfShards) {
  const auto memory = in_memory();
  const auto x = numbers(0, 3, 2);
  ts::store(ts::asarray(x), memory, "x", {.chunks = {4, 2}, .shards = {8, 4}, .format = 3});
  const auto array = ts::zarr_array::open(memory, "x");
  EXPECT_EQ(array.chunks(), (ts::index_vector{4, 2}));
  EXPECT_EQ(array.shards(), (ts::index_vector{8, 4}));
  EXPECT_EQ((ts::open<std::int32_t, 2>(memory, "x").compute()), x);
}

TEST(Version3Plans, WriteRegionsOfShards) {
  const auto memory = in_memory();
  ts::store(ts::asarray(numbers(0, 7, 9)), memory, "x", sharded);
  ts::store_options options;
  options.region = {ts::slice(3, 5), ts::slice(1, 8)};
  ts::store(ts::asarray(numbers(50, 2, 7)), memory, "x", options);
  auto expected = numbers(0, 7, 9);
  for (ts::index_t i = 0; i < 2; ++i) {
    for (ts::index_t j = 0; j < 7; ++j) {
      expected(i + 3, j + 1) = static_cast<std::int32_t>(100 * (i + 50) + j);
    }
  }
  EXPECT_EQ((ts::open<std::int32_t, 2>(memory, "x").compute()), expected);
}

TEST(Version3Plans, AppendToShards) {
  const auto memory = in_memory();
  ts::store(ts::asarray(numbers(0, 5, 9)), memory, "x", sharded);
  ts::append(ts::asarray(numbers(5, 4, 9)), memory, "x", ts::axis<0>);
  EXPECT_EQ((ts::open<std::int32_t, 2>(memory, "x").compute()), numbers(0, 9, 9));
}

TEST(Version3Plans, CopyToTheVersionOfTheGroup) {
  const auto two = in_memory();
  const auto three = in_memory();
  (void)ts::zarr_group::create(two, "", {}, 2);
  (void)ts::zarr_group::create(three, "", {}, 3);
  ts::store(ts::asarray(numbers(0, 7, 9)), three, "x",
            {.chunks = {2, 2}, .shards = {4, 6}, .dimension_names = {"y", "x"}});
  ts::store(ts::open_any(three, "x"), two, "x");
  ts::store(ts::open_any(two, "x"), three, "y");
  ts::store(ts::open_any(three, "x"), three, "z");
  const auto expect_numbers = [](const auto& memory, const char* path) {
    const auto array = ts::zarr_array::open(memory, path);
    EXPECT_THAT(array.dimension_names(), ::testing::ElementsAre("y", "x")) << path;
    EXPECT_EQ((ts::open<std::int32_t, 2>(memory, path).compute()), numbers(0, 7, 9)) << path;
  };
  expect_numbers(two, "x");
  expect_numbers(three, "y");
  expect_numbers(three, "z");
  EXPECT_EQ(ts::zarr_array::open(two, "x").metadata().format, 2);
  EXPECT_FALSE(ts::zarr_array::open(three, "y").attributes().contains("_ARRAY_DIMENSIONS"));
  EXPECT_EQ(ts::zarr_array::open(three, "z").shards(), (ts::index_vector{4, 6}));
}

TEST(Version3Plans, RefuseAnotherVersionThanThatOfTheGroup) {
  const auto memory = in_memory();
  (void)ts::zarr_group::create(memory, "two", {}, 2);
  const auto refusal = [&](const ts::store_options& options) {
    return refusal_of<ts::value_error>(
        [&] { ts::store(ts::asarray(numbers(0, 2, 2)), memory, "two/x", options); });
  };
  EXPECT_THAT(refusal({.format = 3}), HasSubstr("format = 2"));
  EXPECT_THAT(refusal({.chunks = {2, 2}, .shards = {4, 4}}), HasSubstr("format = 3"));
}

// 2^20 chunks have an index of 16 MiB, 16 B for each.
TEST(Version3Plans, RefuseIndexesOfMoreThanAQuarterOfTheMemory) {
  const auto memory = in_memory();
  ts::zarr_metadata metadata = plain_int32({1 << 20}, {1});
  metadata.format = 3;
  metadata.shards = {1 << 20};
  static_cast<void>(ts::zarr_array::create(memory, "x", metadata));
  const auto open = [&](std::uint64_t allowed) {
    static_cast<void>(ts::open<std::int32_t, 1>(
        memory, "x", {.spec = ts::spec{.allowed_memory = ts::bytes{allowed}}}));
  };
  open(64 << 20);
  EXPECT_THAT(refusal_of<ts::memory_error>([&] { open(63 << 20); }),
              HasSubstr("shards of 1048576 chunks, whose index takes 16.8 MB"));
}

}  // namespace
