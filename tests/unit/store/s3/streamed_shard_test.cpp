// SPDX-License-Identifier: Apache-2.0
/// \file
/// Shards in a bucket that are larger than the memory of a task.

#include "tessera/executor/memory.hpp"
#include "tessera/tessera.hpp"

#include "unit/store/s3/radosgw.hpp"
#include "unit/store/temporary_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <malloc.h>
#include <span>
#include <sstream>
#include <string>

namespace tessera::testing {
namespace {

using ::testing::HasSubstr;
using namespace tessera::literals;

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

// A shard of 96 MiB in chunks of 3 MiB. Its upload keeps 24 MiB, and the client of S3 12 MB.
TEST(StreamedShardOnS3, IsUploadedInPartsWithinTheMemoryOfTheTask) {
  const temporary_directory work;
  const auto store = new_radosgw_store();
  store_options sharded{.chunks = {128, 3072}, .shards = {4096, 3072}, .format = 3};
  const auto numbers = [&](bytes allowed) {
    const spec limits{.work_dir = work / "work", .allowed_memory = allowed};
    return random::uniform<double>({4096, 3072}, {.chunks = {4096, 3072}, .spec = limits});
  };
  const run_with serial{.executor = executors::serial()};
  const auto streamed = plan(stored(numbers(60_MB), store, "streamed", sharded), serial);
  std::ostringstream explained;
  explained << streamed.explain();
  EXPECT_THAT(explained.str(), HasSubstr("step by step"));
  EXPECT_LE(streamed.projected_memory(), 60_MB);

  mallopt(M_MMAP_THRESHOLD, 128 * 1024);
  malloc_trim(0);
  ASSERT_TRUE(reset_peak_memory());
  const bytes reserved = resident_memory();
  static_cast<void>(streamed.compute());
  // The plan itself, keys and the scheduler's books are no task's.
  constexpr bytes books = 1_MB;
  EXPECT_LE(peak_memory(), reserved + streamed.projected_memory() + books);

  tessera::store(numbers(2_GB), store, "whole", sharded, serial);
  EXPECT_TRUE(store->read_all("streamed/c/0/0", no_limit) ==
              store->read_all("whole/c/0/0", no_limit));
}

// The upload of a shard is aborted if its task fails.
TEST(StreamedShardOnS3, IsDiscardedIfItsTaskFails) {
  const temporary_directory work;
  const auto store = new_radosgw_store();
  const spec limits{.work_dir = work / "work", .allowed_memory = 60_MB};
  const auto source = std::make_shared<memory_store>();
  tessera::store(ones<double>({4096, 3072}, {.chunks = {128, 3072}, .spec = limits}), source, "x");
  source->write("x/30.0", {});
  const auto x = open<double, 2>(source, "x", {.spec = limits});
  const store_options sharded{
      .chunks = {128, 3072}, .shards = {4096, 3072}, .format = 3, .compressor = codec::none{}};
  EXPECT_THROW(tessera::store(x * 2.0, store, "streamed", sharded,
                              {.executor = executors::serial(), .max_attempts = 1}),
               error);
  EXPECT_FALSE(store->exists("streamed/c/0/0"));
}

// An upload cannot be changed, and its first bytes are known last.
TEST(StreamedShardOnS3, WithTheIndexInFrontIsRefusedWithTheRemedy) {
  const temporary_directory work;
  const auto store = new_radosgw_store();
  const std::string document = R"({"zarr_format": 3, "node_type": "array", "shape": [700, 600],
    "data_type": "float64", "fill_value": 0,
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [700, 600]}},
    "chunk_key_encoding": {"name": "default"},
    "codecs": [{"name": "sharding_indexed", "configuration": {"chunk_shape": [100, 100],
      "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
      "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}},
        {"name": "crc32c"}],
      "index_location": "start"}}]})";
  store->write("x/zarr.json", std::as_bytes(std::span(document)));
  const auto numbers = [&](bytes allowed) {
    const spec limits{.work_dir = work / "work", .allowed_memory = allowed};
    return reshape(arange(700.0 * 600, {.spec = limits}), {700, 600});
  };
  try {
    static_cast<void>(plan(stored(numbers(2_MB), store, "x", {.region = {whole, whole}})));
    ADD_FAILURE() << "no memory_error was thrown";
  } catch (const memory_error& failure) {
    EXPECT_THAT(failure.what(), HasSubstr("store it with the index at the end"));
  }
  tessera::store(numbers(100_MB), store, "x", {.region = {whole, whole}});
  EXPECT_EQ((open<double, 2>(store, "x").compute()), numbers(100_MB).compute());
}

}  // namespace
}  // namespace tessera::testing
