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

}  // namespace
}  // namespace tessera::testing
