// SPDX-License-Identifier: Apache-2.0
/// \file
/// The encoding of the intermediates between the operations of a plan.

#include "tessera/core/array_sink.hpp"
#include "tessera/core/spec.hpp"
#include "tessera/tessera.hpp"

#include "core/api/array_kinds.hpp"

#include <gtest/gtest.h>

namespace {

namespace ts = tessera;
using namespace ts::literals;

/// Tells whether an intermediate of `type` is compressed.
bool is_compressed(const ts::spec& limits, ts::dtype type) {
  const auto place = ts::make_intermediate(0, type, {100, 100}, {10, 100}, limits);
  return place->write_cost().encoded > 0;
}

ts::spec in_storage_of(ts::bytes read, ts::bytes write) {
  return {.costs = {.read_bandwidth = read, .write_bandwidth = write}};
}

// lz4 takes 2 GB/s, and makes floats 1.5 times smaller, integers 3 times: it is worth it below
// 2 GB/s x (1 - 1 / 1.5) = 667 MB/s, and below 1,333 MB/s.
TEST(Intermediates, AreCompressedWhereStorageIsSlow) {
  const ts::spec slow{.costs = ts::costs::object_store()};
  EXPECT_TRUE(is_compressed(slow, ts::dtype::float64));
  EXPECT_TRUE(is_compressed(slow, ts::dtype::complex64));
  EXPECT_TRUE(is_compressed(slow, ts::dtype::int16));
  EXPECT_TRUE(is_compressed(in_storage_of(650_MB, 650_MB), ts::dtype::float32));
  EXPECT_FALSE(is_compressed(in_storage_of(690_MB, 690_MB), ts::dtype::float32));
  EXPECT_TRUE(is_compressed(in_storage_of(1300_MB, 1300_MB), ts::dtype::int64));
  EXPECT_TRUE(is_compressed(in_storage_of(1300_MB, 1300_MB), ts::dtype::boolean));
  EXPECT_FALSE(is_compressed(in_storage_of(1400_MB, 1400_MB), ts::dtype::uint8));
}

// Each written byte is read again, so it takes the time of both.
TEST(Intermediates, AreCompressedByWhatBothWaysTake) {
  EXPECT_TRUE(is_compressed(in_storage_of(2000_MB, 390_MB), ts::dtype::float64));
  EXPECT_FALSE(is_compressed(in_storage_of(2000_MB, 410_MB), ts::dtype::float64));
}

TEST(Intermediates, AreEncodedAsTheSpecSays) {
  for (const ts::costs& costs : {ts::costs::object_store(), ts::costs::file_system()}) {
    EXPECT_FALSE(
        is_compressed({.intermediate_compressor = "none", .costs = costs}, ts::dtype::int32));
    EXPECT_TRUE(
        is_compressed({.intermediate_compressor = "zstd", .costs = costs}, ts::dtype::float64));
  }
}

// Blosc takes at most 2^31 - 17 bytes.
TEST(Intermediates, OfChunksTooLargeForBloscAreNotCompressed) {
  for (const char* compressor : {"automatic", "zstd"}) {
    const ts::spec slow{.intermediate_compressor = compressor, .costs = ts::costs::object_store()};
    const auto encoded_size = [&](ts::index_t chunk) {
      const auto place = ts::make_intermediate(0, ts::dtype::uint8, {1LL << 40}, {chunk}, slow);
      return place->write_cost().encoded;
    };
    EXPECT_GT(encoded_size((1LL << 31) - 17), 0U);
    EXPECT_EQ(encoded_size((1LL << 31) - 16), 0U);
  }
}

}  // namespace
