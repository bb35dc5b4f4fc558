// SPDX-License-Identifier: Apache-2.0
#include "tessera/storage/chunk_buffers.hpp"
#include "tessera/store/filesystem_store.hpp"
#include "tessera/zarr/zarr_array.hpp"

#include "core/api/kept_memory.hpp"
#include "unit/store/temporary_directory.hpp"
#include "unit/zarr/support.hpp"
#include "unit/zarr/watched_store.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

namespace ts = tessera;

using namespace ts::testing::zarr;

/// Makes an array of int64 in one shard of 8 chunks, each compressed by itself.
ts::zarr_array make_shard(const std::shared_ptr<ts::key_value_store>& store) {
  ts::zarr_metadata metadata = plain_int32({32}, {4});
  metadata.dtype = ts::dtype::int64;
  metadata.fill_value = ts::element_bytes(std::int64_t{-1});
  metadata.compressor = ts::codec::zstd{};
  metadata.format = 3;
  metadata.shards = {32};
  return ts::zarr_array::create(store, "x", metadata);
}

void write(const ts::zarr_array& array, const std::vector<std::int64_t>& values) {
  ts::chunk_buffers buffers(array);
  array.write_region(ts::region::whole(array.shape()), std::as_bytes(std::span(values)),
                     buffers.decoded(), buffers.encoded());
}

std::vector<std::int64_t> read(const ts::zarr_array& array, ts::index_t first, ts::index_t stop) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(stop - first));
  ts::chunk_buffers buffers(array);
  array.read_region({{first}, {stop}}, std::as_writable_bytes(std::span(values)), buffers.decoded(),
                    buffers.encoded());
  return values;
}

std::vector<std::int64_t> numbers(std::int64_t first, std::size_t count, std::int64_t step = 1) {
  std::vector<std::int64_t> values(count);
  for (std::int64_t& value : values) value = std::exchange(first, first + step);
  return values;
}

TEST(ShardReads, TakeTheIndexOnceForTheChunksOfAShard) {
  const auto store = std::make_shared<watched_store>(in_memory());
  const ts::zarr_array array = make_shard(store);
  write(array, numbers(0, 32));
  std::size_t num_reads = 0;
  store->after_read = [&](std::string_view key) { num_reads += !key.ends_with(".json"); };
  for (ts::index_t first = 0; first < 32; first += 4) {
    EXPECT_EQ(read(array, first, first + 4), numbers(first, 4));
  }
  EXPECT_EQ(num_reads, 1 + 8U);
}

// The chunks of a box, row by row, would lead from one shard to the other and back.
TEST(ShardReads, TakeTheIndexOnceForShardsBesideEachOther) {
  const auto store = std::make_shared<watched_store>(in_memory());
  ts::zarr_metadata metadata = plain_int32({4, 12}, {2, 2});
  metadata.format = 3;
  metadata.shards = {4, 6};
  const ts::zarr_array array = ts::zarr_array::create(store, "x", metadata);
  std::vector<std::int32_t> values(48);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i);
  ts::chunk_buffers buffers(array);
  array.write_region(ts::region::whole(array.shape()), std::as_bytes(std::span(values)),
                     buffers.decoded(), buffers.encoded());
  std::size_t num_reads = 0;
  store->after_read = [&](std::string_view key) { num_reads += !key.ends_with(".json"); };
  EXPECT_EQ(read_all(array), values);
  EXPECT_EQ(num_reads, 2 * (1 + 6U));
}

// The index of 8 chunks has 16 B for each, and the 4 B of its check.
TEST(ShardReads, TakeTheIndexOnceForMissingChunks) {
  const auto store = std::make_shared<watched_store>(in_memory());
  const ts::zarr_array array = make_shard(store);
  std::vector<std::int64_t> values = numbers(0, 32);
  std::fill_n(values.begin(), 16, -1);
  write(array.with({.empty = ts::empty_chunks::omit}), values);
  store->num_part_bytes = 0;
  EXPECT_EQ(read(array, 0, 16), std::vector<std::int64_t>(16, -1));
  EXPECT_EQ(store->num_part_bytes, 8 * 16 + 4U);
}

// Without compression, a shard has the bytes of its chunks, 16 B for each entry of the index, and
// the 4 B of its check.
TEST(ShardWrites, LeaveOutChunksOfFill) {
  const auto store = in_memory();
  ts::zarr_metadata metadata = plain_int32({32}, {4});
  metadata.format = 3;
  metadata.shards = {16};
  const ts::zarr_array array = ts::zarr_array::create(store, "x", metadata);
  const ts::zarr_array omitting = array.with({.empty = ts::empty_chunks::omit});
  std::vector<std::int32_t> values(32, -1);
  for (std::int32_t i = 0; i < 4; ++i) values[static_cast<std::size_t>(8 + i)] = i;
  ts::chunk_buffers buffers(array);
  const auto write_by = [&](const ts::zarr_array& writer) {
    writer.write_region(ts::region::whole(array.shape()), std::as_bytes(std::span(values)),
                        buffers.decoded(), buffers.encoded());
  };
  write_by(array);
  EXPECT_EQ(store->size("x/0"), 4 * 16 + 4 * 16 + 4U);
  EXPECT_EQ(store->size("x/1"), 4 * 16 + 4 * 16 + 4U);
  write_by(omitting);
  EXPECT_EQ(store->size("x/0"), 16 + 4 * 16 + 4U);
  EXPECT_FALSE(store->exists("x/1"));
  EXPECT_EQ(read_all(array), values);
}

// 2^15 chunks have an index of 512 KiB.
TEST(ShardReads, TakeALargeIndexOnceForACall) {
  const auto inner = in_memory();
  const auto store = std::make_shared<watched_store>(inner);
  constexpr ts::index_t size = 1 << 15;
  ts::zarr_metadata metadata = plain_int32({size}, {1});
  metadata.format = 3;
  metadata.shards = {size};
  const ts::zarr_array array = ts::zarr_array::create(store, "x", metadata);
  ts::chunk_buffers buffers(array);
  std::vector<std::int32_t> values(size);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i);
  array.write_region(ts::region::whole(array.shape()), std::as_bytes(std::span(values)),
                     buffers.decoded(), buffers.encoded());
  std::size_t num_reads = 0;
  store->after_read = [&](std::string_view) { ++num_reads; };
  std::vector<std::int32_t> some(10);
  const auto read_some = [&] {
    array.read_region({{100}, {110}}, std::as_writable_bytes(std::span(some)), buffers.decoded(),
                      buffers.encoded());
  };
  read_some();
  EXPECT_EQ(num_reads, 1 + 10U);
  EXPECT_EQ(some.back(), 109);
  // The index is no longer there after the call.
  read_some();
  EXPECT_EQ(num_reads, 2 * (1 + 10U));
  const ts::kept_memory_scope task;
  read_some();
  read_some();
  EXPECT_EQ(num_reads, 3 * (1 + 10U) + 10U);
}

/// Writes two rows of `num_columns` chunks of 4 KiB, in one shard. Reads the first `num_read` of
/// each row, by a buffer of `room` bytes. Returns the number of reads.
std::size_t count_reads_of_rows(ts::index_t num_columns, ts::index_t num_read, std::size_t room) {
  const auto store = std::make_shared<watched_store>(in_memory());
  constexpr ts::index_t length = 1024;
  ts::zarr_metadata metadata = plain_int32({2, num_columns * length}, {1, length});
  metadata.format = 3;
  metadata.shards = metadata.shape;
  const ts::zarr_array array = ts::zarr_array::create(store, "x", metadata);
  ts::chunk_buffers buffers(array);
  std::vector<std::int32_t> values(static_cast<std::size_t>(2 * num_columns * length));
  std::iota(values.begin(), values.end(), 0);
  array.write_region(ts::region::whole(array.shape()), std::as_bytes(std::span(values)),
                     buffers.decoded(), buffers.encoded());
  std::size_t num_reads = 0;
  store->after_read = [&](std::string_view) { ++num_reads; };
  const auto width = static_cast<std::size_t>(num_read * length);
  std::vector<std::int32_t> elements(2 * width);
  std::vector<std::byte> encoded(room);
  array.read_region({{0, 0}, {2, num_read * length}}, std::as_writable_bytes(std::span(elements)),
                    buffers.decoded(), encoded);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const std::size_t row = i / width;
    EXPECT_EQ(elements[i], values[row * values.size() / 2 + i % width]) << i;
  }
  return num_reads;
}

// One read of the index, and at most 64 KiB between neighbours: 16 chunks.
TEST(ShardReads, TakeNeighboursAtOnce) {
  constexpr std::size_t room = 1 << 20;
  EXPECT_EQ(count_reads_of_rows(17, 17, room), 1 + 1U);
  EXPECT_EQ(count_reads_of_rows(17, 1, room), 1 + 1U);
  EXPECT_EQ(count_reads_of_rows(18, 1, room), 1 + 2U);
  EXPECT_EQ(count_reads_of_rows(18, 2, room), 1 + 1U);
}

// At most 64 chunks, and as many as the buffer holds.
TEST(ShardReads, TakeAsManyNeighboursAsThereIsRoomFor) {
  EXPECT_EQ(count_reads_of_rows(16, 16, 8 * 4096), 1 + 4U);
  EXPECT_EQ(count_reads_of_rows(16, 16, 8 * 4096 - 1), 1 + 5U);
  EXPECT_EQ(count_reads_of_rows(16, 16, 0), 1 + 32U);
  EXPECT_EQ(count_reads_of_rows(40, 40, 1 << 20), 1 + 2U);
}

/// Reads the first chunk of some shards, twice. Returns the number of reads.
std::size_t count_reads_of_shards(ts::index_t num_shards) {
  const auto store = std::make_shared<watched_store>(in_memory());
  constexpr ts::index_t num_chunks = 4096;
  ts::zarr_metadata metadata = plain_int32({num_shards * num_chunks}, {1});
  metadata.format = 3;
  metadata.shards = {num_chunks};
  const ts::zarr_array array = ts::zarr_array::create(store, "x", metadata);
  ts::chunk_buffers buffers(array);
  const std::vector<std::int32_t> values(static_cast<std::size_t>(num_shards * num_chunks), 7);
  array.write_region(ts::region::whole(array.shape()), std::as_bytes(std::span(values)),
                     buffers.decoded(), buffers.encoded());
  std::size_t num_reads = 0;
  store->after_read = [&](std::string_view) { ++num_reads; };
  for (ts::index_t i = 0; i < 2 * num_shards; ++i) {
    const ts::index_t first = i % num_shards * num_chunks;
    std::int32_t value = 0;
    array.read_region({{first}, {first + 1}}, std::as_writable_bytes(std::span(&value, 1)),
                      buffers.decoded(), buffers.encoded());
    EXPECT_EQ(value, 7);
  }
  return num_reads;
}

// Indexes of 16,384 chunks are kept.
TEST(ShardReads, TakeTheIndexesOfSeveralShardsOnce) {
  EXPECT_EQ(count_reads_of_shards(4), 4 + 2 * 4U);
  EXPECT_EQ(count_reads_of_shards(5), 2 * 5 + 2 * 5U);
}

/// Expects that a thread that has read a shard sees later writes.
void expect_current(const std::shared_ptr<ts::key_value_store>& store) {
  const ts::zarr_array array = make_shard(store);
  write(array, numbers(0, 32));
  EXPECT_EQ(read(array, 4, 8), numbers(4, 4));
  // Compressed chunks of other sizes, at other places.
  write(array, numbers(1'000'000'007, 32, 1'234'567'891));
  EXPECT_EQ(read(array, 0, 32), numbers(1'000'000'007, 32, 1'234'567'891));
  write(array, std::vector<std::int64_t>(32, 7));
  EXPECT_EQ(read(array, 28, 32), std::vector<std::int64_t>(4, 7));
}

TEST(ShardReads, SeeAShardThatWasReplacedInMemory) { expect_current(in_memory()); }

TEST(ShardReads, SeeAFileThatWasReplaced) {
  const ts::testing::temporary_directory directory;
  expect_current(std::make_shared<ts::filesystem_store>(directory / "store"));
}

TEST(ShardReads, FindNoIndexOfAnotherArrayOfTheSameName) {
  const auto store = in_memory();
  const ts::zarr_array array = make_shard(store);
  write(array, numbers(0, 32));
  EXPECT_EQ(read(array, 0, 4), numbers(0, 4));
  const auto other = in_memory();
  const ts::zarr_array same_name = make_shard(other);
  write(same_name, numbers(500, 32, 3));
  EXPECT_EQ(read(same_name, 0, 4), numbers(500, 4, 3));
  EXPECT_EQ(read(array, 4, 8), numbers(4, 4));
}

void write_part(const ts::zarr_array& array, ts::index_t first, std::int64_t value) {
  const std::vector<std::int64_t> values(4, value);
  ts::chunk_buffers buffers(array);
  array.write_region({{first}, {first + 4}}, std::as_bytes(std::span(values)), buffers.decoded(),
                     buffers.encoded());
}

TEST(ShardWrites, OfTwoProcessesLoseNoChunk) {
  const ts::testing::temporary_directory directory;
  const auto store = std::make_shared<ts::filesystem_store>(directory / "store");
  const ts::zarr_array array = make_shard(store);
  write(array, numbers(0, 32));
  constexpr std::int64_t rounds = 200;
  const pid_t child = ::fork();
  if (child == 0) {
    for (std::int64_t round = 1; round <= rounds; ++round) {
      write_part(array, 0, round);
      if (read(array, 0, 4) != std::vector<std::int64_t>(4, round)) ::_exit(1);
    }
    ::_exit(0);
  }
  for (std::int64_t round = 1; round <= rounds; ++round) {
    write_part(array, 4, round);
    EXPECT_EQ(read(array, 4, 8), std::vector<std::int64_t>(4, round)) << "round " << round;
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "the other process found an older value";
  EXPECT_EQ(read(array, 8, 32), numbers(8, 24));
  EXPECT_EQ(store->list("x").size(), 2U) << "a lock is left beside shard and document";
}

}  // namespace
