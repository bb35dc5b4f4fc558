// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/testing/fault_injecting_store.hpp"
#include "tessera/zarr/zarr_array.hpp"

#include "unit/zarr/support.hpp"
#include "unit/zarr/watched_store.hpp"

#include <bit>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

namespace ts = tessera;

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using namespace ts::testing::zarr;

TEST(ZarrArrayWrite, MissingChunksAreErrorsWhenAsked) {
  const auto array = ts::zarr_array::create(in_memory(), "x", plain_int32({4}, {2}))
                         .with({.missing = ts::missing_chunks::error});
  write_iota(array, {0}, 1);
  EXPECT_THAT(refusal_of<ts::zarr_error>([&] { read_all(array); }),
              AllOf(HasSubstr("\"x/1\""), HasSubstr("missing")));
  buffer decoded(array.decoded_bytes());
  EXPECT_THAT(
      refusal_of<ts::zarr_error>([&] { (void)array.read_chunk(ts::index_vector{1}, decoded, {}); }),
      HasSubstr("\"x/1\""));
  EXPECT_TRUE(array.read_chunk(ts::index_vector{0}, decoded, {}));
  // A chunk that is only begun is no chunk that is missing.
  const std::int32_t element = 9;
  array.write_region({{2}, {3}}, std::as_bytes(std::span(&element, 1)), decoded, {});
  EXPECT_THAT(read_all(array), ElementsAre(1, 2, 9, -1));
}

TEST(ZarrArrayWrite, TakesAnotherSeparatorThanTheMetadataSay) {
  const auto store = in_memory();
  const auto nested =
      ts::zarr_array::create(store, "", plain_int32({2, 2}, {2, 2})).with({.separator = '/'});
  EXPECT_EQ(nested.chunk_key(ts::index_vector{0, 0}), "0/0");
  EXPECT_THROW((void)nested.with({.separator = '-'}), ts::value_error);
}

/// Tells whether an array that leaves out empty chunks stores one of these two values.
template <class T>
bool is_stored(T fill, T first, T second) {
  const auto array =
      ts::zarr_array::create(
          in_memory(), "",
          {.shape = {2}, .chunks = {2}, .dtype = ts::dtype_of<T>, .fill_value = fill})
          .with({.empty = ts::empty_chunks::omit});
  buffer encoded(array.encoded_bound());
  const T values[] = {first, second};
  array.write_chunk(ts::index_vector{0}, reinterpret_cast<const std::byte*>(values), encoded);
  return array.has_chunk(ts::index_vector{0});
}

TEST(ZarrArrayWrite, OmitsChunksThatEqualTheFillValueBitForBit) {
  const double nan = std::bit_cast<double>(0x7FF8000000000000);
  const double other_nan = std::bit_cast<double>(0x7FF8000000000001);
  EXPECT_FALSE(is_stored(nan, nan, nan));
  EXPECT_TRUE(is_stored(nan, nan, other_nan));
  EXPECT_TRUE(is_stored(nan, other_nan, other_nan));
  EXPECT_FALSE(is_stored(0.0, 0.0, 0.0));
  EXPECT_TRUE(is_stored(0.0, -0.0, -0.0));
  EXPECT_TRUE(is_stored(0.0, 0.0, -0.0));
  EXPECT_FALSE(is_stored<std::int8_t>(3, 3, 3));
  EXPECT_TRUE(is_stored<std::int8_t>(3, 3, 4));
}

TEST(ZarrArrayWrite, OmittingRemovesWhatWasStored) {
  ts::zarr_metadata metadata = plain_int32({2}, {1});
  const auto store = in_memory();
  const auto array =
      ts::zarr_array::create(store, "", metadata).with({.empty = ts::empty_chunks::omit});
  write_iota(array, {0}, 5);
  EXPECT_TRUE(array.has_chunk(ts::index_vector{0}));
  write_iota(array, {0}, -1);
  EXPECT_FALSE(array.has_chunk(ts::index_vector{0}));
  EXPECT_THAT(read_all(array), ElementsAre(-1, -1));
  // Without a fill value the value of a missing chunk is unknown.
  metadata.fill_value = std::nullopt;
  const auto undefined = ts::zarr_array::create(store, "", metadata, {}, ts::existing::replace)
                             .with({.empty = ts::empty_chunks::omit});
  write_iota(undefined, {0}, 0);
  EXPECT_TRUE(undefined.has_chunk(ts::index_vector{0}));
}

// Elements beyond the end, and chunks that a resize left behind when it died, must not come back.
TEST(ZarrArrayWrite, GrowingShowsFillValues) {
  const auto store = in_memory();
  auto array = ts::zarr_array::create(store, "", plain_int32({5}, {3}));
  write_iota(array, {0}, 0);
  write_iota(array, {1}, 3);
  store->write("2", buffer(12));
  array = array.resize(ts::index_vector{8});
  EXPECT_THAT(read_all(array), ElementsAre(0, 1, 2, 3, 4, -1, -1, -1));
  array = array.resize(ts::index_vector{2});
  EXPECT_FALSE(store->exists("1"));
  EXPECT_THAT(read_all(array.resize(ts::index_vector{4})), ElementsAre(0, 1, -1, -1));
  EXPECT_EQ(ts::zarr_array::open(store, "").shape(), (ts::index_vector{4}));
  EXPECT_THROW((void)array.resize(ts::index_vector{4, 1}), ts::shape_error);
  EXPECT_THROW((void)array.resize(ts::index_vector{-1}), ts::shape_error);
}

// Far more chunks than could be asked for one by one: the chunks that exist are found by listing.
TEST(ZarrArrayWrite, ResizesBetweenHugeGrids) {
  const auto store = in_memory();
  const ts::index_t huge = ts::index_t{1} << 40;
  for (const char separator : {'.', '/'}) {
    ts::zarr_metadata metadata = plain_int32({huge, 4}, {1, 2});
    metadata.dimension_separator = separator;
    auto array = ts::zarr_array::create(store, "x", metadata, {}, ts::existing::replace);
    write_iota(array, {0, 1}, 0);
    write_iota(array, {huge - 1, 0}, 0);
    write_iota(array, {7, 0}, 0);
    store->write("x/007", buffer(8));
    store->write("x/9.0.0", buffer(8));
    array = array.resize(ts::index_vector{8, 2});
    EXPECT_EQ(store->list("x").size(), 4U) << "all but one chunk must go, and nothing else";
    EXPECT_TRUE(array.has_chunk(ts::index_vector{7, 0}));
    (void)array.resize(ts::index_vector{huge, 4});
    EXPECT_EQ(store->list("x").size(), 4U);
  }
}

// A request of an object store removes 1,000 keys.
TEST(ZarrArrayWrite, RemovesManyChunksByFewRequests) {
  const auto inner = in_memory();
  const auto store = std::make_shared<watched_store>(inner);
  auto array = ts::zarr_array::create(store, "x", plain_int32({1500}, {1}));
  for (int i = 0; i < 1500; ++i) inner->write("x/" + std::to_string(i), buffer(4));
  array = array.resize(ts::index_vector{10});
  EXPECT_EQ(store->num_erase_many, 2);
  EXPECT_EQ(inner->list("x").size(), 11U);
  (void)ts::zarr_array::create(store, "x", plain_int32({5}, {1}), {}, ts::existing::replace);
  EXPECT_EQ(store->num_erase_many, 3);
  EXPECT_EQ(inner->list("x").size(), 1U);
}

TEST(ZarrArrayWrite, AppendsAlongAnAxis) {
  const auto store = in_memory();
  const auto array = ts::zarr_array::create(store, "", plain_int32({2, 3}, {2, 2}));
  write_iota(array, {0, 0}, 0);
  write_iota(array, {0, 1}, 4);
  buffer decoded(array.decoded_bytes());
  const std::vector<std::int32_t> part = {10, 11, 12, 13};
  const auto longer = array.append(1, std::as_bytes(std::span(part)), decoded, {});
  EXPECT_EQ(longer.shape(), (ts::index_vector{2, 5}));
  EXPECT_THAT(read_all(ts::zarr_array::open(store, "")),
              ElementsAre(0, 1, 4, 10, 11, 2, 3, 6, 12, 13));
  const auto refused = [&](std::size_t axis, std::size_t size) {
    EXPECT_THROW((void)array.append(axis, buffer(size), decoded, {}), ts::shape_error);
  };
  refused(0, 4);
  refused(0, 13);
  refused(2, 12);
}

// An appended part that fails half-way is not there, and the array is as it was.
TEST(ZarrArrayWrite, AppendsAllOrNothing) {
  const auto store =
      std::make_shared<ts::testing::fault_injecting_store>(std::make_shared<ts::memory_store>());
  const auto array = ts::zarr_array::create(store, "x", plain_int32({3}, {2}));
  write_iota(array, {0}, 0);
  write_iota(array, {1}, 2);
  buffer decoded(array.decoded_bytes());
  const std::vector<std::int32_t> part = {10, 11, 12, 13};
  for (std::uint64_t write = 1; write <= 5; ++write) {
    store->inject({.on = ts::testing::store_operation::write,
                   .first = write,
                   .cause = std::errc::no_space_on_device});
    EXPECT_THAT(refusal_of<ts::store_error>(
                    [&] { (void)array.append(0, std::as_bytes(std::span(part)), decoded, {}); }),
                HasSubstr("No space left on device"))
        << write;
    EXPECT_THAT(read_all(ts::zarr_array::open(store, "x")), ElementsAre(0, 1, 2));
    store->clear();
  }
  (void)array.append(0, std::as_bytes(std::span(part)), decoded, {});
  EXPECT_THAT(read_all(ts::zarr_array::open(store, "x")), ElementsAre(0, 1, 2, 10, 11, 12, 13));
}

TEST(ZarrArrayWrite, ThreadsThatShareChunksWriteAllTheirElements) {
  const auto store = in_memory();
  constexpr int num_threads = 4;
  constexpr ts::index_t count = 400;
  const auto metadata = plain_int32({count}, {8});
  (void)ts::zarr_array::create(store, "", metadata);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < num_threads; ++t) {
      threads.emplace_back([&store, t] {
        // Each with a handle of its own, element by element: every chunk is shared by all.
        const auto array = ts::zarr_array::open(store, "");
        buffer decoded(array.decoded_bytes());
        for (ts::index_t i = t; i < count; i += num_threads) {
          const auto value = static_cast<std::int32_t>(i);
          array.write_region({{i}, {i + 1}}, std::as_bytes(std::span(&value, 1)), decoded, {});
        }
      });
    }
  }
  std::vector<std::int32_t> expected(count);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(read_all(ts::zarr_array::open(store, "")), expected);
}

}  // namespace
