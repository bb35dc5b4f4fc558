// SPDX-License-Identifier: Apache-2.0
/// \file
/// The memory of shards that grow chunk by chunk.

#include "tessera/executor/memory.hpp"
#include "tessera/tessera.hpp"

#include "unit/store/temporary_directory.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <malloc.h>
#include <memory>
#include <string>

namespace {

namespace ts = tessera;
using namespace ts::literals;

/// The scheduler has books.
constexpr ts::bytes books = 1_MB;

/// Returns the memory of the process, from which its peak is measured.
ts::bytes reserved_memory() {
  // Large pieces go back to the system at once: glibc's cache is not the library's memory.
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);
  malloc_trim(0);
  EXPECT_TRUE(ts::reset_peak_memory());
  return ts::resident_memory();
}

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
  const ts::bytes reserved = reserved_memory();
  (void)plan.compute();
  const ts::bytes value{*store->size("x/c/0/0")};
  EXPECT_GE(value, 200_MB);
  // A piece of the value is there twice while it is copied.
  constexpr ts::bytes piece = 4_MB;
  EXPECT_LE(ts::peak_memory(), reserved + plan.projected_memory() + value + piece + books);
}

// An index of 20,004 B in front of 1,250 chunks of 160 kB.
TEST(MemoryOfAShard, ThatGrowsInAFileBehindItsIndex) {
  const ts::testing::temporary_directory directory;
  const std::string path = directory / "x";
  std::filesystem::create_directory(path);
  std::ofstream(path + "/zarr.json")
      << R"({"zarr_format": 3, "node_type": "array", "shape": [5000, 5000],
        "data_type": "float64", "fill_value": 0,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [5000, 5000]}},
        "chunk_key_encoding": {"name": "default"},
        "codecs": [{"name": "sharding_indexed", "configuration": {"chunk_shape": [20, 1000],
          "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
          "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}},
            {"name": "crc32c"}],
          "index_location": "start"}}]})";
  const ts::spec little{.work_dir = directory / "work", .allowed_memory = 100_MB};
  const auto x =
      ts::random::uniform<double>({5000, 5000}, {.chunks = {5000, 5000}, .spec = little});
  const auto plan = ts::plan(ts::stored(x + 1.0, path, {.region = {ts::whole, ts::whole}}),
                             {.executor = ts::executors::serial()});
  EXPECT_LE(plan.projected_memory(), 100_MB);
  const ts::bytes reserved = reserved_memory();
  (void)plan.compute();
  EXPECT_EQ(std::filesystem::file_size(path + "/c/0/0"), 200'000'000U + 20'004);
  EXPECT_LE(ts::peak_memory(), reserved + plan.projected_memory() + books);
}

}  // namespace
