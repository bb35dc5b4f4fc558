// SPDX-License-Identifier: Apache-2.0

/// \file
/// Blocks of matrix products, and the chunks of factors that their runs read.

#include "tessera/tessera.hpp"

#include "unit/array/counting_store.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <string>

namespace {

namespace ts = tessera;
using namespace ts::literals;
using ts::index_t;

// A matrix with the elements i + k, and its product with its transpose. A block of 16 x 16 elements
// of the product reads two chunks; one of all elements reads the 32 chunks.
TEST(ProductBlocks, AreLargerToReadChunksOnce) {
  constexpr index_t rows = 512;
  constexpr index_t columns = 64;
  ts::ndarray<double, 2> values({rows, columns});
  for (index_t i = 0; i < rows; ++i) {
    for (index_t k = 0; k < columns; ++k) values(i, k) = static_cast<double>(i + k);
  }
  const auto store = std::make_shared<ts::test::counting_store>();
  ts::store(ts::asarray(values), store, "x", {.chunks = {16, columns}});
  const ts::spec one_worker{.allowed_memory = 50_MB, .costs = {.workers = 1}};
  const auto x = ts::open<double, 2>(store, "x", one_worker);
  const auto reads_of = [&](const ts::pass_switches& passes) {
    const ts::plan plan(passes, ts::matmul(x, ts::matrix_transpose(x)));
    const long before = store->num_reads();
    const auto product = plan.compute();
    constexpr double squares = (columns - 1) * columns * (2 * columns - 1) / 6.0;
    for (index_t i = 0; i < rows; ++i) {
      for (index_t j = 0; j < rows; ++j) {
        const double linear = static_cast<double>((i + j) * columns * (columns - 1)) / 2;
        EXPECT_EQ(product(i, j), static_cast<double>(columns * i * j) + linear + squares);
      }
    }
    return store->num_reads() - before;
  };
  EXPECT_GE(reads_of({.cut_blocks = false, .size_blocks = false}), 1024);
  EXPECT_LE(reads_of({.cut_blocks = false}), 64);
}

// In a gigabyte all chunks of 16 rows, 102 MB, would be held; a step has some columns of them. The
// array has no chunks in its store, so that all elements are 2.
TEST(ProductBlocks, OfChunksThatAreLongReadACopy) {
  constexpr index_t batches = 64;
  constexpr index_t rows = 96;
  constexpr index_t columns = 12'500;
  const auto store = std::make_shared<ts::test::counting_store>();
  (void)ts::zarr_array::create(store, "x",
                               {.shape = {batches, rows, columns},
                                .chunks = {batches, 1, columns},
                                .dtype = ts::dtype::float64,
                                .fill_value = 2.0});
  const auto x = ts::open<double, 3>(store, "x", {.allowed_memory = 200_MB});
  const auto product = ts::matmul(x, ts::matrix_transpose(x));
  EXPECT_EQ(product.chunks(), (std::array<index_t, 3>{batches, 16, 16}));
  const ts::plan plan(product);
  EXPECT_LE(plan.projected_memory(), 200_MB);
  const long before = store->num_reads();
  const auto values = plan.compute();
  for (const double value : values.span()) EXPECT_EQ(value, 4.0 * columns);
  EXPECT_EQ(store->num_reads() - before, rows);
}

// The chunk of the product of a long column and a long row would be the product.
TEST(ProductBlocks, OfOuterProductsFitLittleMemory) {
  constexpr index_t rows = 3000;
  ts::ndarray<double, 2> column({rows, 2});
  for (index_t i = 0; i < rows; ++i) column(i, 0) = column(i, 1) = static_cast<double>(i);
  const auto store = std::make_shared<ts::memory_store>();
  ts::store(ts::asarray(column), store, "x", {.chunks = {rows, 2}});
  const auto x = ts::open<double, 2>(store, "x", {.allowed_memory = 60_MB});
  const ts::plan plan(ts::stored(ts::matmul(x, ts::matrix_transpose(x)), store, "product"));
  EXPECT_LE(plan.projected_memory(), 60_MB);
  static_cast<void>(plan.compute());
  const auto product = ts::open<double, 2>(store, "product").compute();
  for (index_t i = 0; i < rows; i += 7) {
    for (index_t j = 0; j < rows; ++j) EXPECT_EQ(product(i, j), static_cast<double>(2 * i * j));
  }
}

// Reads are a tenth of the time of this product: 12.8 GB, or four times as much in blocks of one
// chunk of the product.
TEST(ProductBlocks, AreLargerToReadLessThoughProductsTakeLong) {
  const auto store = std::make_shared<ts::memory_store>();
  (void)ts::zarr_array::create(
      store, "x", {.shape = {4000, 400'000}, .chunks = {4000, 1000}, .dtype = ts::dtype::float64});
  const ts::spec limits{.allowed_memory = 2_GB, .costs = {.workers = 2}};
  const auto x = ts::open<double, 2>(store, "x", limits);
  const auto product = ts::matmul(x, ts::matrix_transpose(x));
  EXPECT_EQ(product.chunks(), (std::array<index_t, 2>{2000, 2000}));
  EXPECT_EQ(ts::plan(product).bytes_read(), 12'800_MB);
}

// Rows in chunks of seven, of which a product has half a million pairs.
TEST(ProductBlocks, OfThinChunksReadFewTimesWhatIsNeeded) {
  const auto store = std::make_shared<ts::test::counting_store>();
  (void)ts::zarr_array::create(
      store, "x", {.shape = {3650, 260'000}, .chunks = {7, 260'000}, .dtype = ts::dtype::float32});
  for (const std::size_t workers : {1, 8, 1000}) {
    const auto x =
        ts::open<float, 2>(store, "x", {.allowed_memory = 100_MB, .costs = {.workers = workers}});
    const ts::plan plan(ts::matmul(x, ts::matrix_transpose(x)));
    EXPECT_LE(plan.projected_memory(), 100_MB);
    EXPECT_LT(plan.bytes_read(), workers < 1000 ? 40_GB : 90_GB) << workers;
  }
}

}  // namespace
