// SPDX-License-Identifier: Apache-2.0
/// \file
/// The memory of shards that grow chunk by chunk in stores in memory.

#include "tessera/executor/memory.hpp"
#include "tessera/tessera.hpp"

#include "unit/store/temporary_directory.hpp"

#include <gtest/gtest.h>
#include <malloc.h>
#include <memory>

namespace {

namespace ts = tessera;
using namespace ts::literals;

// The value of a store in memory is no memory of a task; it is held once while it grows.
TEST(MemoryOfAShard, ThatGrowsInAStoreInMemory) {
  const ts::testing::temporary_directory directory;
  const ts::spec little{.work_dir = directory / "work", .allowed_memory = 100_MB};
  const auto x =
      ts::random::uniform<double>({5000, 5000}, {.chunks = {5000, 5000}, .spec = little});
  const ts::store_options sharded{
      .chunks = {500, 1000}, .shards = {5000, 5000}, .format = 3, .compressor = ts::codec::none{}};
  const auto store = std::make_shared<ts::memory_store>();
  const auto plan =
      ts::plan(ts::stored(x + 1.0, store, "x", sharded), {.executor = ts::executors::serial()});
  EXPECT_LE(plan.projected_memory(), 100_MB);
  // Large pieces go back to the system at once: glibc's cache is not the library's memory.
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);
  malloc_trim(0);
  ASSERT_TRUE(ts::reset_peak_memory());
  const ts::bytes reserved = ts::resident_memory();
  (void)plan.compute();
  const ts::bytes value{*store->size("x/c/0/0")};
  EXPECT_GE(value, 200_MB);
  // A piece of the value is there twice while it is copied; the scheduler has books.
  constexpr ts::bytes piece = 4_MB;
  constexpr ts::bytes books = 1_MB;
  EXPECT_LE(ts::peak_memory(), reserved + plan.projected_memory() + value + piece + books);
}

}  // namespace
